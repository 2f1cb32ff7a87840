// Features that langgraph.js offers under a name or a form of its own: policies for all nodes, contexts, chains,
// streams' configs.
import { RunnableLambda, RunnableSequence } from "@langchain/core/runnables";
import { describe } from "vitest";
import { z } from "zod";
import { all, Annotation, type Loose, outcome, type Package, same, State } from "./beside-langgraph.js";

const config = { configurable: { thread_id: "t" } };
const one = (of: Package, node: unknown, more: object = {}, options: object = {}) =>
  new of.StateGraph(State).addNode("a", node, more).addEdge(of.START, "a").compile(options);
const once = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };

describe("policies", () => {
  same("for all nodes, one's own first, whenever they are set", async (of) => {
    const ran = { a: 0, b: 0 };
    const graph = new of.StateGraph(State)
      .addNode("a", () => {
        if (++ran.a < 3) throw new Error("again");
        return { log: ["a"] };
      })
      .addNode(
        "b",
        () => {
          ran.b++;
          throw new Error("never");
        },
        { retryPolicy: { ...once, maxAttempts: 1 } },
      )
      .addEdge(of.START, "a")
      .addEdge("a", "b")
      .setNodeDefaults({ timeout: 1000 })
      .setNodeDefaults({ retryPolicy: once })
      .compile();
    const { a, b } = graph.nodes;
    return [await outcome(graph.invoke({})), ran, a.retryPolicy, b.retryPolicy];
  });
  same("a call that a provider refuses for its quota is not made again", async (of) => {
    let ran = 0;
    const refused = () => {
      ran++;
      throw Object.assign(new Error("no"), { error: { code: "insufficient_quota" } });
    };
    return [await outcome(one(of, refused, { retryPolicy: once }).invoke({})), ran];
  });
  for (const timeout of [20, { idleTimeout: 20 }, { runTimeout: 20, idleTimeout: 5000 }])
    same(`a timeout of ${JSON.stringify(timeout)} says which it was`, async (of) => {
      const never = () => new Promise((resolve) => setTimeout(resolve, 200));
      const { threw } = (await outcome(one(of, never, { timeout }).invoke({}))) as { threw: Loose };
      const { node, kind, runTimeout, idleTimeout } = threw;
      return { node, kind, runTimeout, idleTimeout, timeout: threw.timeout };
    });
  same("an error of a timeout needs that timeout", (of) =>
    outcome(() => new of.NodeTimeoutError({ node: "n", elapsed: 1, kind: "run" })),
  );
});

describe("a node's input", () => {
  same("is all that it reads; its new fields are the graph's", async (of) => {
    const Input = Annotation.Root({ sum: State.spec.sum, note: Annotation<string>() });
    const seen: Loose[] = [];
    const reads = (state: object) => {
      seen.push({ ...state });
      return {};
    };
    const graph = new of.StateGraph(State)
      .addNode("a", () => ({ log: ["a"], sum: 1, note: "new" }))
      .addNode("b", reads, { input: Input })
      .addNode("c", reads)
      .addEdge(of.START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c")
      .compile();
    return [await graph.invoke({ log: ["in"] }), seen];
  });
});

describe("a node's context", () => {
  same("says where it runs, the same time of the first attempt to each", async (of) => {
    const seen: Loose[] = [];
    const node = (_: unknown, { executionInfo }: Loose) => {
      seen.push(executionInfo);
      if (seen.length < 2) throw new Error("again");
      return {};
    };
    await one(of, node, { retryPolicy: once }, { checkpointer: new of.MemorySaver() }).invoke({}, config);
    const [first, second] = seen.map(({ nodeFirstAttemptTime, ...info }) => [info, typeof nodeFirstAttemptTime]);
    return [first, second, seen[0].nodeFirstAttemptTime === seen[1].nodeFirstAttemptTime];
  });
  same("has the store that the graph was compiled with, inside too", async (of) => {
    const store = new (await import("@langchain/langgraph")).InMemoryStore();
    const put = async (_: unknown, ctx: Loose) => {
      await ctx.store.put(["n"], "k", { v: 1 });
      return {};
    };
    const get = async (_: unknown, ctx: Loose) => ({ log: [(await ctx.store.get(["n"], "k")).value] });
    const graph = new of.StateGraph(State)
      .addNode("put", one(of, put))
      .addNode("get", get)
      .addEdge(of.START, "put")
      .addEdge("put", "get");
    return graph.compile({ store }).invoke({ sum: 1 });
  });
  for (const [name, given] of Object.entries({
    "that is right": { context: { n: 1 } },
    "that is wrong": { context: { n: "one" } },
    "that is missing": {},
    "as configurable": { configurable: { n: 1 } },
    "as configurable, wrong": { configurable: { n: "one" } },
  }))
    same(`checks a context ${name}`, async (of) => {
      const graph = new of.StateGraph(State, z.object({ n: z.number() }))
        .addNode("a", (_: unknown, ctx: Loose) => ({ log: [ctx.context?.n ?? "none"] }))
        .addEdge(of.START, "a")
        .compile();
      const told = (await outcome(graph.invoke({}, given))) as { threw?: Loose };
      return told.threw ? told.threw.issues : told;
    });
});

describe("a graph", () => {
  const adds = (of: Package) => one(of, () => ({ log: ["a"] }));
  same("may have no fields", (of) => {
    const graph = new of.StateGraph(Annotation.Root({})).addNode("a", () => ({})).addEdge(of.START, "a");
    return all(graph.compile().stream({}));
  });
  same("runs one node alone", (of) => adds(of).nodes.a.invoke({ log: ["in"] }));
  same("is a part of a chain", (of) =>
    RunnableSequence.from([
      RunnableLambda.from((text: string) => ({ log: [text] })),
      adds(of),
      ({ log }) => log,
    ]).invoke("in"),
  );
});

describe("the fields of a config", () => {
  same("adds to withConfig's, and to what the run around says, but for what a node says otherwise", async (of) => {
    const seen: unknown[] = [];
    const node = (_: unknown, ctx: Loose) => {
      const { metadata = {}, tags } = ctx;
      const own = Object.entries(metadata).filter(([key]) => key.startsWith("own"));
      seen.push([own.sort(), tags]);
      return {};
    };
    const inner = one(of, node);
    const named = inner.withConfig({ tags: ["w"], metadata: { own1: 1, own2: 1 } });
    await named.invoke({}, { tags: ["call", "w"], metadata: { own2: 2 } });
    await named.withConfig({ tags: ["again"], metadata: { own2: 3 } }).invoke({});
    const calls = async (state: unknown, ctx: Loose) => {
      for (const graph of [inner, named]) {
        await graph.invoke(state, ctx);
        await graph.invoke(state, { ...ctx, tags: ["more"], metadata: { own4: 4 } });
      }
      return {};
    };
    await one(of, calls).invoke({}, { tags: ["run"], metadata: { own3: 3 } });
    return seen;
  });
});

describe("checkpoints of a stream", () => {
  same("have the run's config", async (of) => {
    const graph = one(of, () => ({ log: ["a"] }), {}, { checkpointer: new of.MemorySaver() });
    const more = { tags: ["t"], metadata: { m: 1 }, runName: "r", recursionLimit: 9, streamMode: "debug" };
    return all(graph.stream({ log: ["in"] }, { ...config, ...more }));
  });
});
