// Every example runs, prints the output in its comments, and passes the type checker.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksOf, documents, outside, sources, type Block } from "./blocks.js";
import { isThorough } from "../../support/seed.js";
import { cleanUp, complaints, expected, prepare, type Printed, run, runTogether } from "./run.js";

const blocks = [...sources(), ...documents()].flatMap(blocksOf);
const typed = blocks.filter(({ language }) => language !== "js");
const runnable = blocks.filter((block) => outside(block) === undefined);
let refused = new Map<string, string[]>();
let together = new Map<string, Printed[]>();

beforeAll(async () => {
  prepare();
  [refused, together] = await Promise.all([complaints(typed), isThorough() ? together : runTogether(runnable)]);
}, 120_000);

afterAll(cleanUp);

test("every example is found", () => {
  const marks = sources().map((path) => readFileSync(path, "utf8").match(/^\s*\* @example/gm)?.length ?? 0);
  const fences = documents().map(
    (path) => readFileSync(path, "utf8").match(/^\s*```(js|jsx|ts|tsx|javascript|typescript)\b/gm)?.length ?? 0,
  );
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  expect(sum(marks)).toBeGreaterThan(0);
  expect(sources().flatMap(blocksOf).length).toBeGreaterThanOrEqual(sum(marks));
  expect(documents().flatMap(blocksOf)).toHaveLength(sum(fences));
});

test("an example that prints something else than it says is noticed", async () => {
  const code = `for (const n of [1, 2]) console.log(n as number); // 1, then 2\nconsole.log(\n  { a: [] },\n); // { a: [1] }\nif (Math.PI < 3) console.log(""); // never`;
  const block: Block = { name: "made up", language: "ts", code };
  expect(expected(block).map(({ text }) => text)).toEqual(["1, then 2", "{ a: [1] }", "never"]);
  expect((await run(block)).map(({ text }) => text)).toEqual(["1, then 2", "{ a: [] }", undefined]);
});

for (const block of blocks) {
  const reason = outside(block);

  if (reason === undefined) {
    test(`${block.name} prints what it says`, async () => {
      const said = expected(block);
      const unsaid = said.filter(({ text }) => text === undefined).map(({ code }) => code);
      expect(unsaid, "a console.log without a comment that says what it prints").toEqual([]);
      expect(together.get(block.name) ?? (await run(block))).toEqual(said);
    });
  }
  if (block.language !== "js") {
    test(`${block.name} has the right types${reason === undefined ? "" : ` (that is all: ${reason})`}`, () => {
      expect(refused.get(block.name) ?? []).toEqual([]);
    });
  } else if (reason !== undefined) {
    test(`${block.name} can be checked`, () => {
      expect.fail(`${reason}, and nobody checks JavaScript that does not run: make it TypeScript`);
    });
  }
}
