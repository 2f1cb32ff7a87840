// The recordings themselves: all there, small, and read back as they were written.
import { readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { FAILING, FAILING_AG_UI, GRAPHS, LANGGRAPH_GRAPHS, V2_GRAPHS } from "../../hosts/servers/scenarios.mjs";
import { format, KINDS, listRecordings, parse, pathOf, readRecording, type Part } from "./format.mjs";

test("every graph is recorded on both servers", () => {
  expect(listRecordings("ag-ui")).toEqual([...GRAPHS, "log-echoed"].sort());
  expect(listRecordings("langgraph")).toEqual(
    LANGGRAPH_GRAPHS.flatMap((graph) => [graph, `${graph}.two-modes`]).sort(),
  );
  expect(listRecordings("langgraph-v2")).toEqual([...V2_GRAPHS].sort());
});

const all = KINDS.flatMap((kind) => listRecordings(kind).map((name) => pathOf(kind, name)));

test("a recording is read back as it was written", () => {
  for (const path of all) {
    const text = readFileSync(path, "utf8");
    expect(format(parse(text)), path.pathname).toBe(text);
  }
});

/** Whether a server says that the run failed, in the words of any of the protocols. */
const failed = ({ event, data }: Part) =>
  event === "error" ||
  data.type === "RUN_ERROR" ||
  (data.method === "lifecycle" && data.params.data.event === "failed");

test.each(KINDS)("%s: those runs failed that were to fail", (kind) => {
  const expected: Record<string, number[]> = kind === "ag-ui" ? FAILING_AG_UI : FAILING;
  for (const name of listRecordings(kind)) {
    const turns = readRecording(kind, name).turns.flatMap(({ parts }, index) =>
      parts.some(failed) ? [index + 1] : [],
    );
    expect(turns, name).toEqual(expected[name.replace(/\..*/, "")] ?? []);
  }
});

test("together they are small", () => {
  expect(all.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(1_000_000);
});

test("state that is sent back compounds in an appending field", () => {
  const counts = (name: string) =>
    parse(readFileSync(pathOf("ag-ui", name), "utf8")).turns.map(({ state }) => state.values.count);
  expect(counts("log-echoed")).toEqual([1, 3, 7]);
  expect(counts("log")).toEqual([1, 2, 3]);
});
