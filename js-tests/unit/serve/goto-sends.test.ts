// A run that begins at a node with an input of its own: `command.goto` with `{ node, input }`.
import * as theirs from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";

const TheirState = theirs.Annotation.Root({
  log: theirs.Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});
const work = () => ({ log: ["work"] });
const fin = (state: unknown) => ({ log: [`fin ${(state as { say?: string }).say ?? "as ever"}`] });

const GRAPHS: Record<string, () => unknown> = {
  "langgraph.js": () =>
    new theirs.StateGraph(TheirState)
      .addNode("work", work)
      .addNode("fin", fin as never)
      .addEdge(theirs.START, "work")
      .addEdge("work", "fin")
      .addEdge("fin", theirs.END)
      .compile({ checkpointer: new theirs.MemorySaver() }),
  "threadfold/graph": () =>
    new StateGraph(defineSchema({ log: field.append<string>() }))
      .addNode("work", work)
      .addNode("fin", fin)
      .addEdge(START, "work")
      .addEdge("work", "fin")
      .addEdge("fin", END)
      .compile({ checkpointer: new MemorySaver() }),
};

describe.each(Object.entries(GRAPHS))("%s", (_, made) => {
  const one = { node: "fin", input: { say: "1" } };
  test.each<[string, object, string[]]>([
    ["a Send", { goto: one }, ["fin 1"]],
    ["Sends", { goto: [one, { node: "fin", input: { say: "2" } }] }, ["fin 1", "fin 2"]],
    ["a Send without an input", { goto: { node: "fin" } }, ["fin as ever"]],
    ["a Send with an update", { goto: [one], update: { log: ["updated"] } }, ["updated", "fin 1"]],
    ["a Send with an update of pairs", { goto: [one], update: [["log", ["updated"]]] }, ["updated", "fin 1"]],
    ["a name beside a Send", { goto: ["work", one] }, ["fin 1", "work", "fin as ever"]],
  ])("%s", async (_name, command, log) => {
    const handler = serveLangGraph(made() as never);
    const body = JSON.stringify({ assistant_id: "agent", command });
    const answer = await handler(new Request("http://localhost/threads/t/runs/wait", { method: "POST", body }));
    const state = (await answer.json()) as { log: string[] };
    expect([...(state.log ?? [JSON.stringify(state)])].sort()).toEqual([...log].sort());
  });
});
