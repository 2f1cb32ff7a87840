// Random streams, folded: tests/streams/ag_ui_words.rs asks Rust for the same threads.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { threadsOf } from "./fold-events.mjs";

interface Case {
  runs: object[][];
  threads: object[];
}

const cases = JSON.parse(readFileSync(new URL("fold-events.json", import.meta.url), "utf8")) as Case[];

test("folds random streams as recorded, and as Rust does", async () => {
  for (const { runs, threads } of cases) expect(await threadsOf(runs), JSON.stringify(runs)).toEqual(threads);
  expect(cases.length).toBeGreaterThanOrEqual(100);
});
