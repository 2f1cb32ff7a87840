// A prompt cache pays for a context that grows at its end: the figures of prompt-cache.mjs, held.
import { expect, test } from "vitest";
import { present } from "../../support/present.js";
import { replay as replayed } from "./prompt-cache.mjs";

const replay = replayed as (
  names: string[],
) => { name: string; cost: number; withSummaries: number; breaks: number; most: number }[];

test("a stored cut at 24k costs at most 0.40 of sending everything, and less than a sliding one", () => {
  const rows = replay(["append-only", "Context, trigger 24k (keep half)", "trimMessages", "clearToolUses"]);
  const row = (name: string) => present(rows.find((one) => one.name.startsWith(name)));
  expect(row("append-only")).toMatchObject({ cost: 1, breaks: 0 });
  const ours = row("Context, trigger 24k (keep half)");
  expect(ours.cost).toBeLessThanOrEqual(0.4);
  expect(ours.most).toBeLessThan(27_000);
  for (const sliding of ["trimMessages", "clearToolUses"]) {
    expect(row(sliding).cost).toBeGreaterThan(1.2 * ours.cost);
    expect(row(sliding).breaks).toBeGreaterThan(3 * ours.breaks);
  }
});
