// The streams of a graph, beside langgraph.js.
import { AIMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { MessagesAnnotation } from "@langchain/langgraph";
import { describe, expect, test, vi } from "vitest";
import { defineSchema, field } from "threadfold";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { all, Annotation, type Loose, outcome, type Package, same, State } from "./beside-langgraph.js";

const config = { configurable: { thread_id: "t" } };

/** a, then b and c at once, then d after both. */
function diamond(of: Package, options: object = {}) {
  return new of.StateGraph(State)
    .addNode("a", (_: unknown, ctx: Loose) => {
      ctx.writer({ from: "a" });
      return { log: ["a"], sum: 1 };
    })
    .addNode("b", async (_: unknown, ctx: Loose) => {
      ctx.writer("from b");
      return { log: ["b"], last: "b" };
    })
    .addNode(
      "c",
      () =>
        new of.Command({
          update: [
            ["log", ["c"]],
            ["log", ["cc"]],
          ],
        }),
    )
    .addNode("d", () => undefined)
    .addEdge("__start__", "a")
    .addEdge("a", "b")
    .addEdge("a", "c")
    .addEdge(["b", "c"], "d")
    .compile(options);
}

describe.each(["values", "updates", "custom", "tasks", "checkpoints"])("%s", (streamMode) => {
  same("of runs that are saved at their exits", async (of) => {
    const graph = diamond(of, { checkpointer: new of.MemorySaver(), interruptBefore: ["d"] });
    const exit = { ...config, streamMode, durability: "exit" };
    return [await all(graph.stream({ log: ["in"] }, exit)), await all(graph.stream(null, exit))];
  });
  same("of a node whose error is handled", async (of) => {
    const fails = () => {
      throw new Error("no");
    };
    const errorHandler = () => ({ log: ["handled"] });
    const graph = new of.StateGraph(State).addNode("a", fails, { errorHandler }).addEdge("__start__", "a");
    return all(graph.compile({ checkpointer: new of.MemorySaver() }).stream({}, { ...config, streamMode }));
  });
  same("of a run", (of) =>
    all(diamond(of, { checkpointer: new of.MemorySaver() }).stream({ log: ["in"] }, { ...config, streamMode })),
  );
  same("as one of a list", (of) => all(diamond(of).stream({ log: ["in"] }, { streamMode: [streamMode] })));
});

const byMode = (parts: [string, unknown][]) =>
  Object.fromEntries(
    ["values", "updates", "custom", "tasks", "debug"].map((mode) => [mode, parts.filter(([of]) => of === mode)]),
  );

same(
  "several modes",
  (of) => all(diamond(of).stream({ log: ["in"] }, { streamMode: ["values", "updates", "custom", "tasks", "debug"] })),
  byMode,
);

/**
 * Removes the parts that only one of them has: threadfold the place of the graph's own checkpoint, langgraph.js its
 * inner parts.
 */
const placed = async (parts: Promise<unknown[]>) =>
  JSON.parse(
    JSON.stringify(await parts, (key, value) => (/^(checkpoint_map|__pregel_.*)$/.test(key) ? undefined : value)),
  );

for (const subgraphs of [true, false])
  same(`Sends and a command of a graph inside, subgraphs ${subgraphs}`, (of) => {
    const inner = new of.StateGraph(State)
      .addNode("leave", () => {
        const goto = [new of.Send("sent", { sum: 1 }), new of.Send("sent", { sum: 2 })];
        return new of.Command({ graph: of.Command.PARENT, goto, update: { log: ["up"] } });
      })
      .addEdge(of.START, "leave")
      .compile();
    const graph = new of.StateGraph(State)
      .addNode("inner", inner, { ends: ["sent"] })
      .addNode("sent", ({ sum }: { sum: number }) => ({ log: [`sent ${sum}`] }))
      .addEdge(of.START, "inner")
      .compile({ checkpointer: new of.MemorySaver() });
    const streamMode = ["updates", "tasks", "checkpoints"];
    const more = { streamMode, subgraphs, runName: "mine", tags: ["t"] };
    return placed(all(graph.stream({ log: ["in"] }, { ...config, ...more })));
  });

function nested(of: Package) {
  const inner = new of.StateGraph(State)
    .addNode("x", (_: unknown, ctx: Loose) => {
      ctx.writer("from x");
      return { log: ["x"] };
    })
    .addNode("y", () => ({ log: ["y"] }))
    .addEdge("__start__", "x")
    .addEdge("x", "y")
    .compile();
  return new of.StateGraph(State)
    .addNode("before", () => ({ log: ["before"] }))
    .addNode("inside", inner)
    .addEdge("__start__", "before")
    .addEdge("before", "inside")
    .compile();
}

same("graphs inside, one mode", (of) => all(nested(of).stream({}, { streamMode: "updates", subgraphs: true })));
same("graphs inside, several modes", (of) =>
  all(nested(of).stream({}, { streamMode: ["values", "updates", "custom"], subgraphs: true })),
);
same("graphs inside, not shown", (of) => all(nested(of).stream({}, { streamMode: ["values", "updates"] })));

for (const subgraphs of [true, false])
  same(`graphs inside, in checkpoints, subgraphs ${subgraphs}`, async (of) => {
    const inner = new of.StateGraph(State)
      .addNode("x", () => ({ log: ["x"] }))
      .addEdge("__start__", "x")
      .compile();
    const outer = new of.StateGraph(State).addNode("in", inner).addEdge("__start__", "in");
    const graph = outer.compile({ checkpointer: new of.MemorySaver() });
    return placed(all(graph.stream({ log: ["in"] }, { ...config, streamMode: "checkpoints", subgraphs })));
  });

describe("a graph with an output of its own", () => {
  const withOutput = (of: Package) =>
    new of.StateGraph({ stateSchema: State, output: Annotation.Root({ last: State.spec.last }) })
      .addNode("x", () => ({ log: ["x"], last: "l" }))
      .addNode("y", () => ({ log: ["y"] }))
      .addEdge(of.START, "x")
      .addEdge("x", "y")
      .compile();
  const streamMode = ["values", "updates", "tasks"];
  same("shows all of it in a stream", (of) => all(withOutput(of).stream({ log: ["in"] }, { streamMode })));
  same("shows its output where it is invoked", (of) => withOutput(of).invoke({ log: ["in"] }, { streamMode }));
  same("shows its output inside another", (of) => {
    const graph = new of.StateGraph(State).addNode("in", withOutput(of)).addEdge(of.START, "in").compile();
    return all(graph.stream({ log: ["in"] }, { streamMode, subgraphs: true }));
  });
});

same("what earlier runs have saved of tasks, in checkpoints", async (of) => {
  let fails = true;
  const inner = new of.StateGraph(State)
    .addNode("x", (_: unknown, ctx: Loose) => ({ log: [ctx.interrupt("x?")] }))
    .addEdge("__start__", "x")
    .compile();
  const graph = new of.StateGraph(State)
    .addNode("asks", inner)
    .addNode("done", () => ({ log: ["done"] }))
    .addNode("fails", () => {
      if (fails) throw new Error("no");
      return {};
    })
    .addEdge("__start__", "asks")
    .addEdge("__start__", "done")
    .addEdge("asks", "fails")
    .compile({ checkpointer: new of.MemorySaver() });
  const stream = (input: unknown) =>
    placed(all(graph.stream(input, { ...config, streamMode: "checkpoints", subgraphs: true })));
  const told = [await stream({ log: ["in"] }), await outcome(stream(new of.Command({ resume: "yes" })))];
  fails = false;
  return [...told, await stream(null)];
});

same("a question", (of) => {
  const graph = new of.StateGraph(State)
    .addNode("ask", (_: unknown, ctx: Loose) => ({ log: [ctx.interrupt("why?")] }))
    .addNode("other", () => ({ log: ["other"] }))
    .addEdge("__start__", "ask")
    .addEdge("__start__", "other")
    .compile({ checkpointer: new of.MemorySaver() });
  const streamMode = ["values", "updates", "tasks"];
  return (async () => [
    await all(graph.stream({ log: ["in"] }, { ...config, streamMode })),
    await all(graph.stream(new of.Command({ resume: "so" }), { ...config, streamMode })),
  ])();
});

same("a breakpoint", (of) => {
  const graph = diamond(of, { checkpointer: new of.MemorySaver(), interruptBefore: ["d"], interruptAfter: ["a"] });
  return (async () => [
    await all(graph.stream({ log: ["in"] }, { ...config, streamMode: ["values", "updates"] })),
    await all(graph.stream(null, { ...config, streamMode: ["values", "updates"] })),
    await all(graph.stream(null, { ...config, streamMode: ["values", "updates"] })),
  ])();
});

same("messages that nodes return", async (of) => {
  const graph = new of.StateGraph(MessagesAnnotation)
    .addNode("answer", () => ({ messages: [new AIMessage({ id: "1", content: "Hello" })] }))
    .addNode("more", () => ({ messages: new AIMessage({ id: "2", content: "More" }) }))
    .addEdge("__start__", "answer")
    .addEdge("answer", "more")
    .compile();
  const parts = await all<[unknown, Record<string, unknown>]>(
    graph.stream({ messages: [{ role: "user", content: "Hi", id: "0" }] }, { streamMode: "messages" }),
  );
  const keys = ["langgraph_node", "langgraph_step", "langgraph_triggers", "langgraph_path"];
  return parts.map(([message, metadata]) => [message, keys.map((key) => metadata[key])]);
});

same("tokens of a model", async (of) => {
  const model = new FakeListChatModel({ responses: ["Hello"] });
  const graph = new of.StateGraph(MessagesAnnotation)
    .addNode("answer", async ({ messages }: Loose, ctx: Loose) => ({ messages: [await model.invoke(messages, ctx)] }))
    .addEdge("__start__", "answer")
    .compile();
  const parts = await all<[Loose, Record<string, unknown>]>(
    graph.stream({ messages: [{ role: "user", content: "Hi", id: "0" }] }, { streamMode: "messages" }),
  );
  return parts.map(([{ content }, metadata]) => [content, metadata["langgraph_node"]]);
});

describe.each([false, true])("messages of graphs inside, subgraphs: %s", (subgraphs) => {
  same("tell tokens only where they are asked for", async (of) => {
    const model = new FakeListChatModel({ responses: ["ab"] });
    const inner = new of.StateGraph(MessagesAnnotation)
      .addNode("call", async ({ messages }: Loose, ctx: Loose) => ({ messages: [await model.invoke(messages, ctx)] }))
      .addEdge("__start__", "call")
      .compile();
    const graph = new of.StateGraph(MessagesAnnotation)
      .addNode("outer", inner)
      .addNode("after", () => ({ messages: [new AIMessage({ id: "after", content: "S" })] }))
      .addEdge("__start__", "outer")
      .addEdge("outer", "after")
      .compile();
    const input = { messages: [{ role: "user", content: "Hi", id: "0" }] };
    const parts = await all<Loose>(graph.stream(input, { streamMode: "messages", subgraphs }));
    return parts.map((part) => {
      const [ns, [{ content }, { langgraph_node: node }]] = subgraphs ? part : [[], part];
      return [ns.length, content, node];
    });
  });
});

same("a node that a breakpoint stops is announced when it runs", async (of) => {
  const graph = diamond(of, { checkpointer: new of.MemorySaver(), interruptBefore: ["b"] });
  const turn = (input: unknown) => all(graph.stream(input, { ...config, streamMode: "tasks" }));
  return [await turn({ log: ["in"] }), await turn(null)];
});

same("a checkpoint of a graph inside, as streamed, goes back to it", async (of) => {
  const called: string[] = [];
  const noted = (name: string) => () => {
    called.push(name);
    return { log: [name] };
  };
  const inner = new of.StateGraph(State).addSequence({ x: noted("x"), y: noted("y") }).addEdge("__start__", "x");
  const graph = new of.StateGraph(State)
    .addNode("inside", inner.compile())
    .addNode("after", noted("after"))
    .addEdge("__start__", "inside")
    .addEdge("inside", "after")
    .compile({ checkpointer: new of.MemorySaver() });
  const parts = await all<Loose>(
    graph.stream({ log: ["in"] }, { ...config, streamMode: "checkpoints", subgraphs: true }),
  );
  const [, { config: said }] = parts.find(([ns, { next }]) => ns.length > 0 && next[0] === "y");
  // langgraph.js's config has fields that only a run of its own has.
  const own = Object.entries(said.configurable).filter(([key]) => !key.startsWith("__pregel"));
  const from = { configurable: Object.fromEntries(own) };
  return [await graph.invoke(null, from), called];
});

describe("ours alone", () => {
  const schema = defineSchema({ log: field.append<string>() });
  const graph = new StateGraph(schema)
    .addNode("a", (_, ctx) => {
      ctx.write("w");
      return { log: ["a"] };
    })
    .addEdge(START, "a")
    .compile();

  test("a part of several modes has its parts by name, too", async () => {
    const [first] = await all(graph.stream({}, { streamMode: ["custom", "updates"] }));
    expect(first).toEqual(["custom", "w"]);
    const { mode, ns, payload } = first as { mode: string; ns: readonly string[]; payload: unknown };
    expect({ mode, ns, payload }).toEqual({ mode: "custom", ns: [], payload: "w" });
  });

  test("leaving the loop stops the run", async () => {
    const seen: number[] = [];
    const loop = new StateGraph(defineSchema({ n: field.replace<number>() }))
      .addNode("a", async ({ n = 0 }) => {
        seen.push(n);
        return { n: n + 1 };
      })
      .addEdge(START, "a")
      .addConditionalEdges("a", () => "a")
      .compile();
    for await (const _ of loop.stream({ n: 0 }, { recursionLimit: 1000 })) if (seen.length >= 2) break;
    const { length } = seen;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(seen.length).toBeLessThanOrEqual(length + 1);
  });

  test.each(["async", "sync", "exit"] as const)("its saves are done then, with durability %s", async (durability) => {
    const saver = new MemorySaver();
    const put = saver.put.bind(saver);
    saver.put = async (...given) => {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      return put(...given);
    };
    const names = ["a", "b", "c"];
    const ran: string[] = [];
    const builder = new StateGraph(schema) as Loose;
    for (const name of names) builder.addNode(name, () => ({ log: [ran.push(name) && name] }));
    builder.addEdge(START, "a").addEdge("a", "b").addEdge("b", "c");
    const saved = builder.compile({ checkpointer: saver, durability });
    for await (const part of saved.stream({}, config)) if (part.b) break;
    expect((await saved.invoke(null, config)).log).toEqual(names);
    expect(ran.filter((name) => name !== "c")).toEqual(["a", "b"]);
  });

  test("a saver that hangs is waited for a second at most", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const saver = new MemorySaver();
    const graph = new StateGraph(schema)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("b", () => ({ log: ["b"] }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    const stream = graph.stream({}, config);
    await stream.next();
    saver.put = () => new Promise(() => {});
    const leaving = stream.return();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await leaving).toEqual({ value: undefined, done: true });
    vi.useRealTimers();
  });

  test("an error comes after everything before it", async () => {
    const failing = new StateGraph(schema)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("b", () => {
        throw new Error("b fails");
      })
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();
    const parts: unknown[] = [];
    const reading = (async () => {
      for await (const part of failing.stream({})) parts.push(part);
    })();
    await expect(reading).rejects.toThrow("b fails");
    expect(parts).toEqual([{ a: { log: ["a"] } }]);
  });
});
