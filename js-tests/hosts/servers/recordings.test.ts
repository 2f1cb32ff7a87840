// The recordings match today's servers: a run ends where the recorded one did, with the same events.
import { expect, inject, test } from "vitest";
import { readRecording, type Recording } from "../../peers/recorded/format.mjs";
import { recordAgUi, recordLangGraph, recordV2 } from "./record.mjs";
import { GRAPHS, LANGGRAPH_GRAPHS, V2_GRAPHS } from "./scenarios.mjs";

/** Ids that servers make, by the order in which they first appear. */
function named(value: unknown): unknown {
  const names = new Map<string, string>();
  const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|call-[0-9a-f]{8}|\b[0-9a-f]{32}\b/g;
  const text = JSON.stringify(value).replaceAll(
    id,
    (found) => names.get(found) ?? (names.set(found, `<${names.size}>`), `<${names.size - 1}>`),
  );
  return JSON.parse(text);
}

function summary({ turns }: Recording) {
  const kinds = (turn: Recording["turns"][number]) =>
    [
      ...new Set(turn.parts.map(({ event, data }) => event?.replace(/\|.*/, "") ?? (data as { type: string }).type)),
    ].sort();
  return { states: named(turns.map(({ state }) => state)), kinds: turns.map(kinds) };
}

test.concurrent.each(GRAPHS)("AG-UI: %s", async (graph) => {
  const options = { echo: graph !== "log", thread: crypto.randomUUID() };
  expect(summary(await recordAgUi(inject("agUi"), graph, options))).toEqual(summary(readRecording("ag-ui", graph)));
});

test.concurrent.each(LANGGRAPH_GRAPHS)("LangGraph: %s", async (graph) => {
  expect(summary(await recordLangGraph(inject("langGraph"), graph))).toEqual(
    summary(readRecording("langgraph", graph)),
  );
});

test.concurrent.each(V2_GRAPHS)("LangGraph, protocol v2: %s", async (graph) => {
  expect(summary(await recordV2(inject("langGraph"), graph))).toEqual(summary(readRecording("langgraph-v2", graph)));
});
