// The checkpoint that "exit" saves of a thread with branches: no branch gets another one's state. Beside langgraph.js.
import * as langgraph from "@langchain/langgraph";
import * as threadfold from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { all, Annotation, type Loose, outcome, type Package, plain, same } from "./beside-langgraph.js";

const thread = { configurable: { thread_id: "t" } };
const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  last: Annotation<string>(),
});

/** a, then z, which asks. */
const graphOf = (of: Package, checkpointer: Loose) =>
  new of.StateGraph(State)
    .addSequence({
      a: () => ({ log: ["a"] }),
      z: (_: unknown, ctx: Loose) => {
        const said = ctx.interrupt("q");
        return { log: [`z${said}`], last: said };
      },
    })
    .addEdge(of.START, "a")
    .compile({ checkpointer });

const history = async (graph: Loose): Promise<Loose[]> => all<Loose>(graph.getStateHistory(thread));
const shown = (states: Loose[]) => states.map(({ values, next, metadata }) => [values, next, metadata]);

/** Runs the thread to an interrupt, answers it, forks it after a, and continues the fork. */
const forked = async (of: Package, graph: Loose, durability: string, input: unknown) => {
  const config = { ...thread, durability: "exit" };
  await graph.invoke({ log: ["in"] }, config);
  await graph.invoke(new of.Command({ resume: "1" }), config);
  const old = (await history(graph)).find(({ next }) => next[0] === "z");
  await graph.updateState(old.config, { log: ["fork"] });
  const told: unknown[] = [await graph.invoke(input, { ...config, durability })];
  told.push(shown(await history(graph)));
  told.push(await graph.invoke(new of.Command({ resume: "2" }), config), shown(await history(graph)));
  return told;
};

for (const durability of ["exit", "async", "sync"]) {
  const run = (input: (of: Package) => unknown) => (of: Package) =>
    forked(of, graphOf(of, new of.MemorySaver()), durability, input(of));
  same(
    `a fork that asks keeps its own state, ${durability}`,
    run(() => null),
  );
  same(
    `a fork that asks keeps what the caller adds, ${durability}`,
    run((of) => new of.Command({ update: { last: "added" } })),
  );
}

test("langgraph.js's graph over this MemorySaver keeps a fork's state, too", async () => {
  const over = (checkpointer: Loose) => forked(langgraph, graphOf(langgraph, checkpointer), "exit", null);
  expect(plain(await over(new threadfold.MemorySaver()))).toEqual(plain(await over(new langgraph.MemorySaver())));
});

test.each(["exit", "async"])("a run that changes nothing leaves the history as it was, %s", async (durability) => {
  const graph = graphOf(threadfold, new threadfold.MemorySaver());
  await graph.invoke({ log: ["in"] }, { ...thread, durability });
  const places = async () =>
    (await history(graph)).map(({ values, next, metadata, config, parentConfig }) => [
      [values, next, metadata],
      [config, parentConfig],
    ]);
  const before = await places();
  await graph.invoke(null, { ...thread, durability });
  expect(await places()).toEqual(before);
});

test("a checkpoint that is saved again stays after its parent", async () => {
  const graph = graphOf(threadfold, new threadfold.MemorySaver());
  await graph.invoke({ log: ["in"] }, thread);
  const [before] = await history(graph);
  const command = new threadfold.Command({ resume: { ["0".repeat(32)]: "no" }, update: { last: "added" } });
  await graph.invoke(command, { ...thread, durability: "exit" });
  const [after, ...older] = await history(graph);
  expect(after.values).toEqual({ ...before.values, last: "added" });
  expect([after.config, after.parentConfig]).toEqual([before.config, before.parentConfig]);
  expect(older[0].values).not.toHaveProperty("last");
});

same("a run in which nothing happens saves nothing at its exit", async (of) => {
  const saver = new of.MemorySaver();
  const graph = new of.StateGraph(State)
    .addNode("a", () => ({ log: ["a"] }))
    .addEdge("__start__", "a")
    .compile({ checkpointer: saver });
  await graph.invoke({ log: ["in"] }, { ...thread, durability: "exit" });
  let puts = 0;
  const put = saver.put.bind(saver);
  saver.put = (...args: unknown[]) => {
    puts++;
    return put(...args);
  };
  return [await graph.invoke(null, { ...thread, durability: "exit" }), puts];
});

describe("random turns with a thread's branches", () => {
  /** Numbers from 0 to below 1, always the same of a seed. */
  const random = (seed: number) => () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  const turns = async (of: Package, seed: number, durabilities: string[]) => {
    const next = random(seed);
    const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T;
    const graph = graphOf(of, new of.MemorySaver());
    const told: unknown[] = [];
    for (let turn = 0; turn < 9; turn++) {
      const config = { ...thread, durability: pick(durabilities) };
      const kind = pick(["input", "answer", "null", "update", "fork", "fork"]);
      const states = await history(graph);
      const waits = states[0]?.next.length > 0;
      const old = states.length > 0 ? pick(states) : undefined;
      if (kind === "input") told.push(await outcome(graph.invoke({ log: [`in${turn}`] }, config)));
      else if (kind === "answer" && waits)
        told.push(await outcome(graph.invoke(new of.Command({ resume: `${turn}` }), config)));
      else if (kind === "null" && waits) told.push(await outcome(graph.invoke(null, config)));
      else if (kind === "update" && old) await graph.updateState(thread, { log: [`by hand ${turn}`] }, "a");
      else if (kind === "fork" && old) await graph.updateState(old.config, { log: [`fork ${turn}`] }, "a");
      told.push(shown(await history(graph)));
    }
    return told;
  };
  test.each([["exit"], ["exit", "async", "sync"]])("saved %s", async (...durabilities) => {
    for (let seed = 1; seed <= 20; seed++)
      expect(plain(await turns(threadfold, seed, durabilities)), `seed ${seed}`).toEqual(
        plain(await turns(langgraph, seed, durabilities)),
      );
  });
});
