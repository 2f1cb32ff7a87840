// Cases from langgraph.js's own tests that other tests here do not cover, beside langgraph.js.
import { AIMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { MessagesAnnotation } from "@langchain/langgraph";
import { MemorySaver, Send, START, StateGraph } from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { all, type Loose, type Package, same, State } from "./beside-langgraph.js";

const config = { configurable: { thread_id: "t" } };
const says = (name: string) => () => ({ log: [name] });
const asks = (name: string) => (_: unknown, ctx: Loose) => ({ log: [`${name} ${ctx.interrupt(`${name}?`)}`] });
const answer = (of: Package, resume: unknown) => new of.Command({ resume });
const saved = (of: Package, builder: Loose) => builder.compile({ checkpointer: new of.MemorySaver() });

describe("going back inside a graph", () => {
  /** A graph that remembers, inside another: a, then two questions. */
  const nested = (of: Package, called: string[], remembers = true) => {
    const noted = (name: string, work: Loose) => (state: unknown, ctx: unknown) => {
      called.push(name);
      return work(state, ctx);
    };
    const inner = new of.StateGraph(State)
      .addSequence({ a: noted("a", says("a")), one: noted("one", asks("one")), two: noted("two", asks("two")) })
      .addEdge(of.START, "a")
      .compile(remembers ? { checkpointer: true } : {});
    return saved(of, new of.StateGraph(State).addNode("in", inner).addEdge(of.START, "in"));
  };
  const sources = async (graph: Loose) =>
    (await all<Loose>(graph.getStateHistory(config))).map(({ metadata, next }) => [metadata.source, next]);
  const innerConfig = async (graph: Loose) => {
    const at = { configurable: { ...config.configurable, checkpoint_ns: "in" } };
    return (await graph.getState(at, { subgraphs: true })).config;
  };

  test.each([0, 1])("to question %i forks both graphs, and the answers count from there", async (nth) => {
    const run = async (of: Package) => {
      const called: string[] = [];
      const graph = nested(of, called);
      const asked: Loose[] = [];
      await graph.invoke({ log: ["in"] }, config);
      asked.push(await innerConfig(graph));
      await graph.invoke(answer(of, 1), config);
      asked.push(await innerConfig(graph));
      await graph.invoke(answer(of, 2), config);
      const told: unknown[] = [await graph.invoke(null, asked[nth]), await sources(graph)];
      for (const again of [10, 20].slice(nth)) told.push((await graph.invoke(answer(of, again), config)).log);
      return { told, called, sources: await sources(graph) };
    };
    const { plain } = await import("./beside-langgraph.js");
    const ours = await run(await import("threadfold/graph"));
    expect(plain(ours)).toEqual(plain(await run(await import("@langchain/langgraph"))));
    expect(ours.told.at(-1)).toEqual(["in", "in", "a", nth === 0 ? "one 10" : "one 1", "two 20"]);
  });

  // As langgraph.js 1.4 does; 1.7 asks again without running `a`.
  test("at its newest checkpoint runs a graph that forgets from its beginning", async () => {
    const called: string[] = [];
    const graph = nested((await import("threadfold/graph")) as Package, called, false);
    await graph.invoke({ log: ["in"] }, config);
    const { tasks } = await graph.getState(config, { subgraphs: true });
    const { configurable } = tasks[0].state.config;
    const own = Object.entries(configurable).filter(([key]) => !key.startsWith("__"));
    const { __interrupt__: asked } = await graph.invoke(null, { configurable: Object.fromEntries(own) });
    expect([asked.length, called]).toEqual([1, ["a", "one", "a", "one"]]);
    expect((await sources(graph)).map(([source]) => source)).toEqual(["fork", "loop", "input"]);
  });
});

describe("messages", () => {
  const tells = (of: Package) =>
    new of.StateGraph(MessagesAnnotation)
      .addNode("a", () => ({ messages: [new AIMessage({ id: "1", content: "hi" })] }))
      .addEdge(of.START, "a")
      .compile();
  const around = {
    configurable: { thread_id: "t", assistant_id: "mine", count: 3, __own: "no" },
    metadata: { from: "here" },
    tags: ["quick"],
  };
  same("of a node come before its updates", (of) =>
    all(tells(of).stream({ messages: [] }, { streamMode: ["updates", "messages", "values"] })),
  );
  same("say the node, its tags, and what the caller said", (of) =>
    all(tells(of).stream({ messages: [] }, { ...around, streamMode: "messages" })),
  );
  same("of a model say what is known of the model", async (of) => {
    const model = new FakeListChatModel({ responses: ["ab"] });
    const named = model.withConfig({ tags: ["own"], runName: "named", metadata: { of: "model" } });
    const silent = model.withConfig({ tags: ["nostream"] });
    const graph = new of.StateGraph(State)
      .addNode("a", async (_: unknown, ctx: Loose) => {
        await silent.invoke("x", ctx);
        return { last: (await named.invoke("x", ctx)).content };
      })
      .addEdge(of.START, "a")
      .compile();
    const parts = await all<[Loose, Loose]>(graph.stream({}, { ...around, streamMode: "messages" }));
    return parts.map(([{ content }, metadata]) => [content, { ...metadata, versions: undefined }]);
  });
});

describe("a saver and a checkpoint stream", () => {
  const chain = (of: Package) => new of.StateGraph(State).addSequence({ a: says("a"), b: says("b") });
  const given = { configurable: { thread_id: "t", tenant: "x" }, metadata: { from: "here" }, tags: ["quick"] };
  const ofConfig = ({ configurable, metadata, tags, recursion_limit: limit }: Loose) => {
    const own = Object.entries(configurable).filter(([key]) => !key.startsWith("__"));
    return [Object.fromEntries(own), metadata, tags, limit];
  };
  const shown = (parts: Loose[]) =>
    parts.map(({ config: at, parentConfig = at, values, next }) => [
      ofConfig(parentConfig),
      ofConfig(at),
      values,
      next,
    ]);
  same("see the caller's configurable", async (of) => {
    const graph = saved(of, chain(of).addEdge(of.START, "a"));
    return shown(await all(graph.stream({ sum: 1 }, { ...given, streamMode: "checkpoints" })));
  });
  same("and where a run goes back to", async (of) => {
    const graph = saved(of, chain(of).addEdge(of.START, "a"));
    await graph.invoke({ sum: 1 }, config);
    const [, before] = await all<Loose>(graph.getStateHistory(config));
    return shown(await all(graph.stream(null, { ...before.config, streamMode: "checkpoints" })));
  });
  test("in every call", async () => {
    const seen = new Set<unknown>();
    class Noting extends MemorySaver {
      override getTuple(at: Loose) {
        seen.add(`get ${at.configurable.tenant}`);
        return super.getTuple(at);
      }
      override put(...put: Parameters<MemorySaver["put"]>) {
        seen.add(`put ${put[0].configurable?.["tenant" as never]}`);
        return super.put(...put);
      }
    }
    const graph = new StateGraph(State as unknown)
      .addNode("a", says("a"))
      .addEdge(START, "a")
      .compile({ checkpointer: new Noting() });
    await graph.invoke({}, given);
    expect([...seen]).toEqual(["get x", "put x"]);
    expect((await graph.getState(config)).config.configurable).not.toHaveProperty("tenant");
  });
});

describe("a node", () => {
  same("is told where it runs, and by which assistant", async (of) => {
    const seen: unknown[] = [];
    const notes = (_: unknown, ctx: Loose) => {
      seen.push([ctx.configurable.checkpoint_ns, ctx.configurable.thread_id, ctx.serverInfo]);
    };
    const inner = new of.StateGraph(State).addNode("b", notes).addEdge(of.START, "b").compile();
    const graph = saved(of, new of.StateGraph(State).addSequence({ a: notes, inner }).addEdge(of.START, "a"));
    const server = { assistant_id: "as", graph_id: "g", langgraph_auth_user: { identity: "me" } };
    await graph.invoke({ sum: 1 }, config);
    await graph.invoke({ sum: 1 }, { configurable: { thread_id: "u", checkpoint_ns: "", ...server } });
    return seen;
  });
  same("writes what a list of its answers says, in order", (of) =>
    new of.StateGraph(State)
      .addNode("a", () => [new of.Command({ update: { log: ["1"] } }), { log: ["2"] }, new of.Command({ goto: [] })])
      .addEdge(of.START, "a")
      .compile()
      .invoke({ sum: 1 }),
  );
  same("that asks is heard before one that answers in the same moment", (of) =>
    all(
      saved(
        of,
        new of.StateGraph(State)
          .addNode("a", says("a"))
          .addNode("b", asks("b"))
          .addEdge(of.START, "a")
          .addEdge(of.START, "b"),
      ).stream({ sum: 1 }, config),
    ),
  );
  test("has a signal of its own, which later errors leave alone", async () => {
    const signals = new Set<AbortSignal>();
    const warnings: string[] = [];
    const note = ({ name }: Error) => warnings.push(name);
    process.on("warning", note);
    const graph = new StateGraph(State as unknown)
      .addNode("worker", (_, ctx) => {
        signals.add(ctx.signal);
        ctx.signal.addEventListener("abort", () => {});
        return {};
      })
      .addNode("fails", () => {
        throw new Error("later");
      })
      .addConditionalEdges(START, () => Array.from({ length: 12 }, () => new Send("worker", {})))
      .addEdge("worker", "fails")
      .compile();
    await expect(graph.invoke({})).rejects.toThrow("later");
    await new Promise((resolve) => setTimeout(resolve));
    process.off("warning", note);
    expect([signals.size, [...signals].some(({ aborted }) => aborted), warnings]).toEqual([12, false, []]);
  });
});

test.each([
  [{ runTimeout: 0 }, "runTimeout must be greater than 0"],
  [{ idleTimeout: -1 }, "idleTimeout must be greater than 0"],
  [{ runTimeout: 1, refreshOn: "never" as never }, 'refreshOn must be "auto" or "heartbeat"'],
])("a node's timeout of %j is refused", (timeout, why) => {
  const graph = new StateGraph(State as unknown);
  expect(() => graph.addNode("a", says("a"), { timeout })).toThrow(why);
});
