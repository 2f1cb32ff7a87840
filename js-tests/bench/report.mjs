// What the bench prints.
import { BARS } from "./bars.mjs";

const WIDTH = 44;

/** One line for each contender: its time, and how that compares with threadfold's. */
export function printCase({ name, n, us }) {
  console.log(`\n${name}, n = ${n.toLocaleString("en")}`);
  for (const [contender, time] of Object.entries(us)) {
    const times = contender === "threadfold" ? "" : `${precise(time / us.threadfold)} ×`;
    console.log(`  ${contender.padEnd(WIDTH)}${precise(time).padStart(12)} µs ${times.padStart(12)}`);
  }
}

export function printSizes(sizes) {
  console.log("\nsizes, gzipped");
  for (const [what, bytes] of Object.entries(sizes)) {
    console.log(`  ${what.padEnd(WIDTH)}${(bytes / 1024).toFixed(1).padStart(12)} KiB`);
  }
}

/** Prints each bar that was measured, with ok or missed; returns how many were missed. */
export function printBars(results, sizes) {
  const us = (name, n, contender) => results.find((result) => result.name === name && result.n === n)?.us[contender];
  console.log("\nthe bars of DESIGN.md");
  let missed = 0;
  for (const { what, measured, atLeast, atMost } of BARS) {
    const value = measured({ us, sizes });
    if (Number.isNaN(value)) continue;
    const ok = atLeast === undefined ? value <= atMost : value >= atLeast;
    if (!ok) missed++;
    const bar = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
    console.log(`  ${ok ? "ok    " : "missed"}  ${what.padEnd(72)}${precise(value).padStart(8)}  ${bar}`);
  }
  return missed;
}

function precise(number) {
  if (number >= 100) return Math.round(number).toLocaleString("en");
  return number.toPrecision(number >= 10 ? 3 : 2);
}
