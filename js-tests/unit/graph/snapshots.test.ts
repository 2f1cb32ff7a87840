// The full results of getState, getStateHistory and updateState, beside langgraph.js.
import { NodeInterrupt } from "@langchain/langgraph";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { all, Annotation, type Loose, type Package, same, State } from "./beside-langgraph.js";

const config = { configurable: { thread_id: "t" } };
const says = (name: string) => () => ({ log: [name] });
const history = (graph: Loose) => all<Loose>(graph.getStateHistory(config));

describe("a snapshot", () => {
  const chain = (of: Package, options: object = {}) =>
    new of.StateGraph(State)
      .addSequence({ a: says("a"), b: says("b") })
      .addEdge(of.START, "a")
      .compile({ checkpointer: new of.MemorySaver(), ...options });
  same("of an empty thread", (of) => chain(of).getState(config));
  same("at a breakpoint, and of all before", async (of) => {
    const graph = chain(of, { interruptBefore: ["b"] });
    await graph.invoke({ log: ["in"] }, config);
    return [await graph.getState(config), await history(graph)];
  });
  test("has its joins beside what compares and is serialised", async () => {
    const graph = new StateGraph(State as unknown)
      .addNode("a", says("a"))
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    const state = await graph.getState(config);
    expect(state.waiting).toEqual([]);
    expect(Object.keys(state)).not.toContain("waiting");
  });
  same("keeps in the history what was asked", async (of) => {
    const graph = new of.StateGraph(State)
      .addNode("ask", (_: unknown, ctx: Loose) => ({ log: [ctx.interrupt("what?")] }))
      .addEdge(of.START, "ask")
      .compile({ checkpointer: new of.MemorySaver() });
    await graph.invoke({ sum: 1 }, config);
    await graph.invoke(new of.Command({ resume: "that" }), config);
    return history(graph);
  });
  same("plans without what a command wrote behind it", async (of) => {
    const graph = new of.StateGraph(State)
      .addNode("ask", (_: unknown, ctx: Loose) => ({ log: [ctx.interrupt("what?")] }))
      .addNode("x", says("x"))
      .addEdge(of.START, "ask")
      .addConditionalEdges("ask", () => of.END, ["x", of.END])
      .compile({ checkpointer: new of.MemorySaver() });
    await graph.invoke({ sum: 1 }, config);
    await graph.invoke(new of.Command({ resume: "that", goto: "x" }), config);
    return history(graph);
  });
  same("of an interrupt that a node throws itself has no id", async (of) => {
    const graph = new of.StateGraph(State)
      .addNode("bad", () => {
        throw new NodeInterrupt("no");
      })
      .addEdge(of.START, "bad")
      .compile({ checkpointer: new of.MemorySaver() });
    return [await graph.invoke({ sum: 1 }, config), await graph.getState(config)];
  });
});

describe("a copy with updates", () => {
  const Name = Annotation.Root({ name: Annotation<string>({ reducer: (a, b) => `${a} > ${b}` }) });
  const fanned = (of: Package) =>
    new of.StateGraph(Name)
      .addSequence({
        one: () => new of.Command({ update: { name: "one" }, goto: new of.Send("two", {}) }),
        two: () => ({ name: "two" }),
        three: () => ({ name: "three" }),
      })
      .addEdge(of.START, "one")
      .compile({ checkpointer: new of.MemorySaver() });
  const told = async (graph: Loose) =>
    (await history(graph)).map(({ values, next, tasks, metadata }) => {
      return { values, next, metadata, tasks: tasks.map(({ name, result }: Loose) => [name, result]) };
    });
  same("writes as the tasks of the copied checkpoint, also of the copy of a copy", async (of) => {
    const graph = fanned(of);
    await graph.invoke({ name: "in" }, config);
    const first = (await history(graph)).at(-1);
    await graph.invoke(null, await graph.updateState(first.config, [[{ name: "in*" }, "__start__"]], "__copy__"));
    const once = await told(graph);
    const one = (await history(graph)).find(({ next }) => next[0] === "one");
    await graph.invoke(null, await graph.updateState(one.config, [[{ name: "one*" }, "one"]], "__copy__"));
    return [once, await told(graph)];
  });
  same("writes as each of several tasks of a node", async (of) => {
    const graph = fanned(of);
    await graph.invoke({ name: "in" }, config);
    const two = (await history(graph)).find(({ next }) => next[0] === "two");
    const updates = ["a", "b"].map((name) => [{ name }, "two"]);
    await graph.invoke(null, await graph.updateState(two.config, updates, "__copy__"));
    const three = (await history(graph)).find(({ next }) => next[0] === "three");
    await graph.invoke(null, await graph.updateState(three.config, null, "__copy__"));
    return told(graph);
  });
});
