// That langgraph.js still answers as recorded: the native core's test (tests/graph) reads the records.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isThorough } from "../../../support/seed.js";
import { draw } from "./cases.mjs";
import { record } from "./record.mjs";

const lines = readFileSync(new URL("../../../peers/conformance/records/graphs-js.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");
/** Every so many: all take twelve seconds. */
const EVERY = isThorough() ? 1 : 31;

test("langgraph.js answers as recorded", async () => {
  expect(lines.length).toBeGreaterThan(1_000);
  for (let at = 0; at < lines.length; at += EVERY) {
    const graph = draw(at + 1);
    const answers = await record(graph);
    expect(JSON.stringify([graph, answers]), `case ${at + 1}`).toBe(lines[at]);
  }
});
