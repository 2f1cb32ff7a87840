// Prints the results of the bench.
import { BARS } from "./bars.mjs";

const WIDTH = 44;

/** One line for each contender: its time, and how that compares with threadfold's. */
export function printCase({ name, n, us, unit = "µs" }) {
  console.log(`\n${name}, n = ${n.toLocaleString("en")}`);
  for (const [contender, time] of Object.entries(us)) {
    const times = contender === "threadfold" ? "" : `${precise(time / us.threadfold)} ×`;
    console.log(`  ${contender.padEnd(WIDTH)}${precise(time).padStart(12)} ${unit} ${times.padStart(12)}`);
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
  console.log("\nthe bars of DESIGN.md");
  const bars = barsOf(results, sizes);
  for (const { what, value, bar, ok } of bars)
    console.log(`  ${ok ? "ok    " : "missed"}  ${what.padEnd(72)}${precise(value).padStart(8)}  ${bar}`);
  return bars.filter(({ ok }) => !ok).length;
}

/** Each bar that was measured, and whether it is reached. */
export function barsOf(results, sizes) {
  const us = (name, n, contender) => results.find((result) => result.name === name && result.n === n)?.us[contender];
  return BARS.map(({ what, measured, atLeast, atMost }) => {
    const value = measured({ us, sizes });
    const ok = atLeast === undefined ? value <= atMost : value >= atLeast;
    return { what, value, ok, bar: atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}` };
  }).filter(({ value }) => Number.isFinite(value));
}

export function precise(number) {
  if (number >= 100) return Math.round(number).toLocaleString("en");
  return number.toPrecision(number >= 10 ? 3 : 2);
}
