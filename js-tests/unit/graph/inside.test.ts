// Graphs inside nodes: their view of the outer run, and their own streams.
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { describe } from "vitest";
import { all, type Loose, type Package, same, State } from "./beside-langgraph.js";

const says = (name: string) => () => ({ log: [name] });
const one = (of: Package, name: string, node: unknown, options: object = {}) =>
  new of.StateGraph(State).addNode(name, node).addEdge(of.START, name).compile(options);

describe("their view of the outer run", () => {
  same("tags, metadata, configurable and context", async (of) => {
    const seen = (_: unknown, ctx: Loose) => ({
      log: [ctx.tags, ctx.metadata.who, ctx.configurable.where, ctx.context.what],
    });
    const outer = one(of, "outer", one(of, "inner", seen));
    const config = { tags: ["t"], metadata: { who: "me" }, configurable: { where: "here" }, context: { what: 7 } };
    return (await outer.invoke({}, config)).log;
  });
  same("callbacks, so that their models are heard", async (of) => {
    const heard: string[] = [];
    const inner = one(of, "inner", async (_: unknown, ctx: Loose) => {
      await new FakeListChatModel({ responses: ["hi"] }).invoke("?", ctx);
      return { sum: 1 };
    });
    await one(of, "outer", inner).invoke({}, { callbacks: [{ handleChatModelStart: () => void heard.push("model") }] });
    return heard;
  });
  same("the limit of super-steps", (of) => {
    const limit = (_: unknown, ctx: Loose) => ({ sum: ctx.recursionLimit });
    return one(of, "outer", one(of, "inner", limit)).invoke({}, { recursionLimit: 13 });
  });
  same("the number of nodes at a time, two graphs deep", async (of) => {
    let [now, most] = [0, 0];
    const counting = async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
    };
    const leaf = new of.StateGraph(State)
      .addNode("a", counting)
      .addNode("b", counting)
      .addEdge(of.START, "a")
      .addEdge(of.START, "b")
      .compile();
    await one(of, "outer", one(of, "middle", leaf)).invoke({}, { maxConcurrency: 1 });
    return most;
  });
  same("its signal, as an own property for models", async (of) => {
    const seen = (_: unknown, ctx: Loose) => ({ log: [Object.hasOwn(ctx, "signal"), ctx.signal?.aborted] });
    const outer = one(of, "outer", one(of, "middle", one(of, "inner", seen)));
    return (await outer.invoke({}, { signal: new AbortController().signal })).log;
  });
  same("what a node says besides, with a copy of its context", (of) => {
    const inner = one(of, "inner", (_: unknown, ctx: Loose) => ({ log: [ctx.configurable.extra, ctx.tags] }));
    const outer = one(of, "outer", (_: unknown, ctx: Loose) =>
      inner.invoke({}, { ...ctx, tags: ["own"], configurable: { ...ctx.configurable, extra: "e" } }),
    );
    return outer.invoke({ log: [] }, { configurable: { given: "g" } });
  });
});

describe("their streams, asked for in a node", () => {
  const inner = (of: Package) =>
    new of.StateGraph(State)
      .addSequence({ a: says("a"), b: says("b") })
      .addEdge(of.START, "a")
      .compile();
  for (const streamMode of [undefined, "updates", "values", ["updates", "values"]])
    same(`of mode ${JSON.stringify(streamMode)}`, async (of) => {
      const parts: unknown[] = [];
      const outer = one(of, "outer", async (_: unknown, ctx: Loose) => {
        parts.push(...(await all(inner(of).stream({ log: ["in"] }, streamMode ? { ...ctx, streamMode } : ctx))));
        return { sum: 1 };
      });
      return { outer: await all(outer.stream({}, { streamMode: ["updates", "values"] })), parts };
    });
  same("without those of graphs inside them", async (of) => {
    const middle = one(of, "middle", inner(of));
    const parts: unknown[] = [];
    const outer = one(of, "outer", async (_: unknown, ctx: Loose) => {
      parts.push(...(await all(middle.stream({}, { ...ctx, streamMode: "updates" }))));
      return { sum: 1 };
    });
    await outer.invoke({});
    return parts;
  });
});

describe("by namespace", () => {
  for (const given of [[], [undefined, true], ["in", true], ["in|deep", true], ["in|nope", true]])
    same(JSON.stringify(given), async (of) => {
      const deep = one(of, "x", says("x"));
      const outer = new of.StateGraph(State)
        .addNode("in", one(of, "deep", deep))
        .addNode("by", (state: unknown, ctx: unknown) => deep.invoke(state, ctx), { subgraphs: [deep] })
        .addEdge(of.START, "in")
        .addEdge("in", "by")
        .compile();
      return Array.from(outer.getSubgraphs(...given), ([name]: [string]) => name);
    });
});

describe("that remember (checkpointer: true)", () => {
  const config = { configurable: { thread_id: "t" } };
  same("begin anew where the thread is taken back to before them", async (of) => {
    const seen: unknown[] = [];
    const inner = one(
      of,
      "ask",
      ({ log }: { log: string[] }, ctx: Loose) => {
        seen.push([...log]);
        return { log: [`said ${ctx.interrupt("what?")}`] };
      },
      { checkpointer: true },
    );
    const outer = new of.StateGraph(State)
      .addNode("first", () => ({ sum: 1 }))
      .addNode("inner", inner)
      .addEdge(of.START, "first")
      .addEdge("first", "inner")
      .compile({ checkpointer: new of.MemorySaver() });
    for (const resume of ["one", "two"]) {
      await outer.invoke({ last: resume }, config);
      await outer.invoke(new of.Command({ resume }), config);
    }
    const before = (await all<Loose>(outer.getStateHistory(config))).find(({ next }) => next[0] === "inner");
    seen.length = 0;
    const { __interrupt__: asked } = await outer.invoke(null, before.config);
    const sources = async () =>
      (await all<Loose>(outer.getStateHistory(config))).map(({ metadata }) => metadata.source);
    const forked = await sources();
    const { log } = await outer.invoke(new of.Command({ resume: "three" }), config);
    return { asked, seen, forked, log, after: await sources() };
  });
});
