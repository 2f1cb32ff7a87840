// Answers with updates, and commands to old checkpoints. The answers here are LangGraph's for Python; differences of
// langgraph.js are named.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation } from "@langchain/langgraph";
import * as langgraph from "@langchain/langgraph";
import * as threadfold from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { all, type Loose, outcome, type Package, same, State } from "./beside-langgraph.js";

const config = { configurable: { thread_id: "t" } };
const ours: Package = threadfold;
const says = (name: string) => () => ({ log: [name], sum: 1 });
const asks = (name: string) => (_: unknown, ctx: Loose) => ({ log: [`${name}:${ctx.interrupt(`${name}?`)}`] });

/** Edges are written `a>b`, or `a+b>c` for a join. */
function graphOf(of: Package, nodes: Record<string, unknown>, edges: readonly string[], state: unknown = State): Loose {
  const builder = new of.StateGraph(state);
  for (const [name, node] of Object.entries(nodes)) builder.addNode(name, node);
  for (const edge of edges) {
    const [from, to] = edge.split(">") as [string, string];
    builder.addEdge(from.includes("+") ? from.split("+") : from, to);
  }
  return builder.compile({ checkpointer: new of.MemorySaver() });
}

const pair = (of: Package) =>
  graphOf(of, { a: asks("a"), b: asks("b"), c: says("c") }, ["__start__>a", "__start__>b", "a+b>c"]);
const chain = (of: Package) => graphOf(of, { a: says("a"), b: says("b"), c: says("c") }, ["__start__>a", "a>b", "b>c"]);
const idsOf = ({ __interrupt__: asked }: Loose): string[] => asked.map(({ id }: { id: string }) => id);
const historyOf = async (graph: Loose): Promise<Loose[]> => all<Loose>(graph.getStateHistory(config));

/** Answers two questions one after the other, each time with an update. */
async function answeredInTurn(of: Package, graph: Loose, again = graph): Promise<Loose> {
  const [first, second] = idsOf(await graph.invoke({ log: ["in"] }, config)) as [string, string];
  await graph.invoke(new of.Command({ resume: { [first]: "1" }, update: { log: ["u1"], sum: 5 } }), config);
  return again.invoke(new of.Command({ resume: { [second]: "2" }, update: { log: ["u2"], sum: 7 } }), config);
}

describe("several answers in one step", () => {
  test("the updates that come with them add up", async () => {
    const told = await answeredInTurn(ours, pair(ours));
    expect(told).toEqual({ log: ["in", "u1", "u2", "a:1", "b:2", "c"], sum: 13 });
  });

  test("langgraph.js forgets those of the first", async () => {
    const { sum } = await answeredInTurn(langgraph, pair(langgraph));
    expect(sum).toBe(8);
  });

  test("they are saved, for another process and for langgraph.js", async () => {
    const checkpointer = new langgraph.MemorySaver();
    const builder = (of: Package): Loose =>
      new of.StateGraph(State)
        .addNode("a", asks("a"))
        .addNode("b", asks("b"))
        .addEdge("__start__", "a")
        .addEdge("__start__", "b")
        .compile({ checkpointer });
    const told = await answeredInTurn(ours, builder(ours), builder(ours));
    expect(told).toEqual({ log: ["in", "u1", "u2", "a:1", "b:2"], sum: 12 });
  });

  test("of two questions of one task, too", async () => {
    const twice = (_: unknown, ctx: Loose) => ({ log: [ctx.interrupt("1"), ctx.interrupt("2")] });
    const graph = graphOf(ours, { a: twice }, ["__start__>a"]);
    await graph.invoke({ log: ["in"] }, config);
    await graph.invoke(new ours["Command"]({ resume: "x", update: { log: ["u1"] } }), config);
    const { log } = await graph.invoke(new ours["Command"]({ resume: "y", update: { log: ["u2"] } }), config);
    expect(log).toEqual(["in", "u1", "u2", "x", "y"]);
  });

  test.each([10, 20, 40])("%i of them are saved once each", async (count) => {
    const names = Array.from({ length: count }, (_, at) => `n${at}`);
    const nodes = Object.fromEntries(names.map((name) => [name, asks(name)]));
    const graph = graphOf(
      ours,
      nodes,
      names.map((name) => `__start__>${name}`),
    );
    const ids = idsOf(await graph.invoke({ log: [] }, config));
    let told: Loose;
    for (const id of ids)
      told = await graph.invoke(new ours["Command"]({ resume: { [id]: "y" }, update: { sum: 1 } }), config);
    expect(told.sum).toBe(count);
  });
});

describe("an old checkpoint", () => {
  same("gives a question the answer that it had", async (of) => {
    const told: unknown[] = [];
    for (let at = 0; at < 4; at++) {
      const graph = graphOf(of, { a: says("a"), b: asks("b"), c: says("c") }, ["__start__>a", "a>b", "b>c"]);
      await graph.invoke({ log: ["in"] }, config);
      await graph.invoke(new of.Command({ resume: "1" }), config);
      const { config: old } = (await historyOf(graph))[at];
      told.push(await graph.invoke(new of.Command({ resume: "2" }), old));
    }
    return told;
  });

  same("asks again where it is only run again, or forked", async (of) => {
    const told: unknown[] = [];
    for (const forks of [false, true]) {
      const graph = graphOf(of, { a: says("a"), b: asks("b") }, ["__start__>a", "a>b"]);
      await graph.invoke({ log: ["in"] }, config);
      await graph.invoke(new of.Command({ resume: "1" }), config);
      const { config: old } = (await historyOf(graph)).find(({ next }) => next[0] === "b");
      const from = forks ? await graph.updateState(old, { log: ["forked"] }) : old;
      told.push(await graph.invoke(null, from), await graph.invoke(new of.Command({ resume: "2" }), config));
    }
    return told;
  });

  test.each([
    [0, ["in", "a", "b", "c", "new", "b", "c"], 4],
    [1, ["in", "a", "b", "new", "b", "c", "c"], 3],
    [2, ["in", "a", "new", "b", "c"], 2],
    [3, ["in", "new", "a", "b", "b", "c", "c"], 1],
  ])("is forked by a command, in one step: the %i-th from the end", async (at, log, step) => {
    const graph = chain(ours);
    await graph.invoke({ log: ["in"] }, config);
    const { config: old } = (await historyOf(graph))[at];
    // A newest checkpoint is not forked, even if it is named.
    const told = await graph.invoke(new ours["Command"]({ update: { log: ["new"] }, goto: "b" }), old);
    expect(told.log).toEqual(log);
    const made = (await historyOf(graph)).filter(({ metadata }) => metadata.source === (at === 0 ? "input" : "fork"));
    expect(made[0].metadata.step).toBe(step);
  });

  test("is not changed by the commands that fork it", async () => {
    const graph = chain(ours);
    await graph.invoke({ log: ["in"] }, config);
    const { config: old } = (await historyOf(graph)).find(({ next }) => next[0] === "b");
    for (const word of ["one", "two"]) {
      const { log } = await graph.invoke(new ours["Command"]({ update: { log: [word] } }), old);
      expect(log).toEqual(["in", "a", word, "b", "c"]);
    }
  });
});

describe("a breakpoint", () => {
  const stopped = async (of: Package): Promise<Loose> => {
    const graph = new of.StateGraph(State)
      .addSequence({ a: says("a"), b: says("b"), c: says("c") })
      .addEdge("__start__", "a")
      .compile({ checkpointer: new of.MemorySaver(), interruptBefore: ["b"] });
    await graph.invoke({ log: ["in"] }, config);
    return graph;
  };
  const told = async (graph: Loose) =>
    (await historyOf(graph)).map(({ values, next, metadata: { source, step } }) => ({ values, next, source, step }));

  same("is forked, and gone on from as it was", async (of) => {
    const graph = await stopped(of);
    const { config: old } = await graph.getState(config);
    const fork = await graph.updateState(old, { log: ["forked"] });
    return [await graph.invoke(null, fork), await graph.invoke(null, old), await told(graph)];
  });
  same("is passed by an update as its node", async (of) => {
    const graph = await stopped(of);
    await graph.updateState(config, { log: ["instead of b"] }, "b");
    return [await graph.invoke(null, config), await told(graph)];
  });
});

describe("messages without ids", () => {
  /** Returns the streamed messages, and whether each one has the id it has in the state. */
  async function streamed(of: Package, nodes: Record<string, unknown>, edges: string[]) {
    const graph = graphOf(of, nodes, edges, MessagesAnnotation);
    const input = { messages: [new HumanMessage("?")] };
    const parts = await all<Loose>(graph.stream(input, { ...config, streamMode: "messages" }));
    const { values } = await graph.getState(config);
    const ids = new Set(values.messages.map(({ id }: { id: string }) => id));
    return parts.map(([{ id, content }]) => [content, ids.has(id)]);
  }

  same("are streamed with the state's", (of) =>
    streamed(of, { a: () => ({ messages: [new AIMessage("hi")] }), b: () => ({ messages: new AIMessage("ho") }) }, [
      "__start__>a",
      "a>b",
    ]),
  );

  same("are streamed once, by a graph inside", (of) => {
    const inner = new of.StateGraph(MessagesAnnotation)
      .addNode("y", () => ({ messages: [new AIMessage("inside")] }))
      .addEdge("__start__", "y")
      .compile();
    return streamed(of, { inner, after: () => ({ messages: [new AIMessage("after")] }) }, [
      "__start__>inner",
      "inner>after",
    ]);
  });

  test("as dicts, and in commands", async () => {
    const { Command } = threadfold;
    const parts = await streamed(
      ours,
      {
        a: () => ({ messages: [{ role: "assistant", content: "a dict" }] }),
        b: () => new Command({ update: { messages: [new AIMessage("in a command")] } }),
      },
      ["__start__>a", "a>b"],
    );
    expect(parts).toEqual([
      ["a dict", true],
      ["in a command", true],
    ]);
  });

  test("a dict that a node returns is left as it is", async () => {
    const given = Object.freeze({ role: "assistant", content: "mine" });
    await streamed(ours, { a: () => ({ messages: [given] }) }, ["__start__>a"]);
    expect(given).toEqual({ role: "assistant", content: "mine" });
  });
});

test("a list without messages stays the list that it is, also where messages are streamed", async () => {
  const log = Object.freeze(["x", "y"]);
  for (const streamMode of ["values", "messages"]) {
    let seen: unknown;
    const graph = new threadfold.StateGraph({ channels: { log: null } } as never)
      .addNode("a", () => ({ log }) as never)
      .addNode("b", (state) => void (seen = (state as Loose).log))
      .addEdge(threadfold.START, "a")
      .addEdge("a", "b")
      .compile();
    await all(graph.stream({} as never, { streamMode: streamMode as never }));
    expect(seen).toBe(log);
  }
});

const told = async (graph: Loose) =>
  (await historyOf(graph)).map(({ values, next, metadata: { source, step } }) => ({ values, next, source, step }));

describe("a checkpoint that is named", () => {
  for (const resume of [null, "an answer", "by id"])
    for (const how of ["asks", "fails"])
      same(
        `and is the newest: what had finished does not run again, where another ${how}, with ${resume}`,
        async (of) => {
          const ran: string[] = [];
          let fails = true;
          const graph = new of.StateGraph(State)
            .addNode("a", () => (ran.push("a"), { log: ["a"] }))
            .addNode("b", async (_: unknown, ctx: Loose) => {
              ran.push("b");
              if (how === "asks") return { log: [ctx.interrupt("b?")] };
              await new Promise((resolve) => setTimeout(resolve, 5));
              if (fails) throw new Error("no");
              return { log: ["b"] };
            })
            .addEdge(of.START, "a")
            .addEdge(of.START, "b")
            .compile({ checkpointer: new of.MemorySaver() });
          await outcome(graph.invoke({ log: ["in"] }, config));
          const { config: named, tasks } = await graph.getState(config);
          fails = false;
          const id = tasks.flatMap(({ interrupts }: Loose) => interrupts)[0]?.id ?? "";
          const input = resume && new of.Command({ resume: resume === "by id" ? { [id]: "yes" } : resume });
          return [await graph.invoke(input, named), ran, await told(graph)];
        },
      );
  for (const kept of [undefined, true])
    same(`and was written by hand, with newer ones: a fork, with a graph inside (${kept})`, async (of) => {
      const inner = new of.StateGraph(State)
        .addNode("p", () => ({ log: ["p"] }))
        .addNode("q", asks("q"))
        .addEdge(of.START, "p")
        .addEdge("p", "q")
        .compile({ checkpointer: kept });
      const graph = new of.StateGraph(State)
        .addNode("a", () => ({ log: ["a"] }))
        .addNode("in", inner)
        .addEdge(of.START, "a")
        .addEdge("a", "in")
        .compile({ checkpointer: new of.MemorySaver() });
      await graph.invoke({ log: ["in"] }, config);
      const written = await graph.updateState(config, { log: ["by hand"] }, "a");
      await graph.invoke(null, config);
      await graph.invoke(new of.Command({ resume: "first" }), config);
      const back = await graph.invoke(null, written);
      return [back, await graph.invoke(new of.Command({ resume: "again" }), config), await told(graph)];
    });
});
