// Savers that fail: the run fails with their error, at whichever call. Beside langgraph.js.
import { MemorySaver as TheirSaver } from "@langchain/langgraph";
import * as threadfold from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { all, Annotation, type Loose, outcome, type Package, same } from "./beside-langgraph.js";

const State = Annotation.Root({ log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }) });
type Method = "put" | "putWrites";
const METHODS = ["getTuple", "list", "put", "putWrites", "deleteThread", "getDeltaChannelHistory", "getNextVersion"];

/** Counts the calls of a method, and has the one of this index fail, or all from there on. */
class Failing {
  calls = 0;
  constructor(
    readonly method: Method,
    readonly at: number,
    readonly forGood: boolean,
  ) {}
  call<T>(work: () => T): T | Promise<never> {
    const index = this.calls++;
    const fails = index === this.at || (this.forGood && index > this.at);
    return fails ? Promise.reject(new Error("The disk is full.")) : work();
  }
}

const savers: Record<string, (of: Package, failing: Failing) => Loose> = {
  "a saver with a method of its own": (of, failing) => {
    const saver = new of.MemorySaver();
    const { method } = failing;
    const work = saver[method].bind(saver);
    saver[method] = (...given: unknown[]) => failing.call(() => work(...given));
    return saver;
  },
  "a subclass": (of, failing) => {
    class Full extends (of.MemorySaver as new () => Loose) {}
    const { method } = failing;
    Object.defineProperty(Full.prototype, method, {
      value(this: Loose, ...given: unknown[]) {
        return failing.call(() => of.MemorySaver.prototype[method].apply(this, given));
      },
    });
    return new Full();
  },
  "an object": (_, failing) => {
    const saver: Loose = new TheirSaver();
    const { method } = failing;
    const methods = METHODS.filter((name) => name in saver).map((name) => {
      const work = (...given: unknown[]) => saver[name](...given);
      return [name, name === method ? (...given: unknown[]) => failing.call(() => work(...given)) : work];
    });
    return { serde: saver.serde, ...Object.fromEntries(methods) };
  },
};

const later = () => new Promise((resolve) => setTimeout(resolve));
const graphs: Record<string, (of: Package) => Loose> = {
  "nodes that answer at once": (of) =>
    new of.StateGraph(State).addSequence({ a: () => ({ log: ["a"] }), b: () => ({ log: ["b"] }) }),
  "nodes that take time": (of) =>
    new of.StateGraph(State).addSequence({
      a: () => later().then(() => ({ log: ["a"] })),
      b: () => later().then(() => ({ log: ["b"] })),
    }),
  "a question": (of) =>
    new of.StateGraph(State).addSequence({
      a: () => ({ log: ["a"] }),
      b: (_: unknown, ctx: Loose) => ({ log: [ctx.interrupt("b?")] }),
    }),
};

const run = (graph: Loose, durability: string, how: "invoke" | "stream") => {
  const config = { configurable: { thread_id: "t" }, durability };
  return outcome(how === "invoke" ? graph.invoke({ log: ["in"] }, config) : all(graph.stream({ log: ["in"] }, config)));
};
const threw = (result: unknown) => (result as { threw?: Error }).threw?.message ?? "nothing";

describe.each(Object.keys(savers))("%s that fails", (kind) => {
  const saverOf = savers[kind] as (typeof savers)[string];
  for (const [name, graphOf] of Object.entries(graphs))
    for (const durability of ["async", "sync", "exit"])
      for (const method of ["put", "putWrites"] as const)
        test(`fails the run of ${name}, ${durability}, at each ${method}`, async () => {
          const compiled = (failing: Failing) =>
            graphOf(threadfold)
              .addEdge(threadfold.START, "a")
              .compile({ checkpointer: saverOf(threadfold, failing) });
          const never = new Failing(method, Infinity, false);
          expect(threw(await run(compiled(never), durability, "invoke"))).toBe("nothing");
          const results: string[] = [];
          for (let at = 0; at < never.calls; at++)
            for (const forGood of [true, false])
              for (const how of ["invoke", "stream"] as const)
                results.push(threw(await run(compiled(new Failing(method, at, forGood)), durability, how)));
          expect(results).toEqual(Array.from({ length: 4 * never.calls }, () => "The disk is full."));
          if (method === "put") expect(never.calls).toBeGreaterThan(0);
        });
});

// langgraph.js has promises of an earlier failure that reject before it awaits them.
for (const durability of ["async", "sync", "exit"])
  same(`a last checkpoint that is not saved fails invoke and stream, ${durability}`, async (of) => {
    const told: unknown[] = [];
    for (const how of ["invoke", "stream"] as const)
      for (const graphOf of Object.values(graphs)) {
        const compiled = (failing: Failing) => {
          const checkpointer = (savers["a subclass"] as (typeof savers)[string])(of, failing);
          return graphOf(of).addEdge(of.START, "a").compile({ checkpointer });
        };
        const never = new Failing("put", Infinity, false);
        await run(compiled(never), durability, how);
        const graph = compiled(new Failing("put", never.calls - 1, true));
        told.push(threw(await run(graph, durability, how)));
        told.push((await graph.getState({ configurable: { thread_id: "t" } })).values);
      }
    return told;
  });

test("a graph's run that could not be saved has ended in an error for its tracer", async () => {
  const told: string[] = [];
  const checkpointer = (savers["a subclass"] as (typeof savers)[string])(threadfold, new Failing("put", 0, true));
  const graph = graphs["nodes that answer at once"]?.(threadfold)
    .addEdge(threadfold.START, "a")
    .compile({ checkpointer });
  for (const durability of ["async", "exit"]) {
    const config = { threadId: durability, durability, on: ({ type }: { type: string }) => told.push(type) };
    await expect(graph.invoke({ log: [] }, config)).rejects.toThrow("The disk is full.");
  }
  expect(told.filter((type) => type.startsWith("run-"))).toEqual(["run-start", "run-error", "run-start", "run-error"]);
});

test("the saver of a page fails the run where it cannot place a checkpoint", async () => {
  const graph = graphs["nodes that answer at once"]?.(threadfold)
    .addEdge(threadfold.START, "a")
    .compile({ checkpointer: new threadfold.MemorySaver() });
  for (const durability of ["async", "sync", "exit"] as const)
    await expect(graph.invoke({ log: [] }, { threadId: "", durability })).rejects.toThrow("thread_id");
});
