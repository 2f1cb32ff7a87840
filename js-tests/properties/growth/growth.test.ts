// Every public operation at n, 2n and 4n: none may grow faster than n^1.3. `GROWTH=table` prints the measurements.
import { afterAll, describe, expect, test } from "vitest";
import { agents } from "./agents.js";
import { contexts } from "./context.js";
import { graphs } from "./graphs.js";
import { lists } from "./lists.js";
import { growth, type Growth } from "./measure.js";
import { runners } from "./runners.js";
import { schemas } from "./schemas.js";
import { streams } from "./streams.js";
import { threads } from "./threads.js";

const LIMIT = 1.3;

/** Cases that still grow faster, to be fixed elsewhere. A case that no longer does fails here: remove its name then. */
const KNOWN = new Set<string>([]);

const table: (Growth & { name: string })[] = [];

function judge(name: string, grown: Growth): void {
  table.push({ name, ...grown });
  const figures = `${grown.times.map((time) => time.toFixed(1)).join(" / ")} ms at ${grown.n}, ${2 * grown.n}, ${4 * grown.n}`;
  if (KNOWN.has(name))
    expect(grown.exponent, `${name} is mended (${figures}): take it from KNOWN`).toBeGreaterThan(LIMIT);
  else expect(grown.exponent, `${name}: ${figures}`).toBeLessThanOrEqual(LIMIT);
}

describe("the cost of an operation grows no faster than n^1.3", () => {
  for (const subject of [...lists, ...schemas, ...threads, ...contexts, ...graphs, ...agents, ...runners])
    test(subject.name, async () => judge(subject.name, await growth(subject, LIMIT)));
  for (const subject of streams) test(subject.name, async () => judge(subject.name, await growth(subject, LIMIT)));
});

afterAll(() => {
  if (process.env["GROWTH"] !== "table") return;
  const line = ({ name, n, times: [a, b, c], exponent }: (typeof table)[number]) =>
    `${name.padEnd(72)} ${String(n).padStart(6)} ${[a, b, c].map((time) => time.toFixed(1).padStart(9)).join("")} ${exponent.toFixed(2).padStart(6)}`;
  console.log(["n, ms at n, 2n, 4n, exponent", ...table.map(line)].join("\n"));
});
