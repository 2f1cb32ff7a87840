// Random graphs whose super-steps are run by the two runtimes in turns, each handing the thread to the other.
import { MemorySaver as TheirMemorySaver } from "@langchain/langgraph";
import { Annotation, START } from "@langchain/langgraph";
import * as fc from "fast-check";
import { MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { ours, type Runtime, theirs } from "./scenarios.js";

const State = Annotation.Root({
  log: Annotation<string[], string | string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});

/** A node may only lead to later ones, so every run ends. */
const way = fc.record({
  kind: fc.constantFrom("edge", "edge", "branch", "send", "goto"),
  from: fc.nat(99),
  to: fc.nat(99),
  also: fc.nat(99),
});
const spec = fc.record({
  defer: fc.array(fc.boolean(), { minLength: 3, maxLength: 8 }),
  ways: fc.array(way, { minLength: 2, maxLength: 12 }),
  joins: fc.array(fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)), { maxLength: 2 }),
  failing: fc.option(fc.nat(99), { nil: undefined }),
});
type Spec = typeof spec extends fc.Arbitrary<infer S> ? S : never;

interface World {
  readonly ran: string[];
  failed: boolean;
}

// oxlint-disable-next-line typescript/no-explicit-any -- two libraries under one form
function graphOf(runtime: Runtime, { defer, ways, joins, failing }: Spec, checkpointer: unknown, world: World): any {
  const count = defer.length;
  const name = (at: number) => `n${at}`;
  const graph = new runtime.StateGraph(State);
  const leads = ways.flatMap(({ kind, from, to, also }) => {
    const source = from % (count - 1);
    const later = (number: number) => source + 1 + (number % (count - 1 - source));
    return [{ kind, source, to: later(to), also: later(also) }];
  });
  // A node after a join has no other way to it: langgraph.js would run it twice.
  const barriers = joins.flatMap(([a, b, c]) => {
    const to = 2 + (c % (count - 2));
    const [first, second] = [a % to, b % to];
    return first === second ? [] : [{ from: [first, second], to }];
  });
  const behind = new Set(barriers.map(({ to }) => to));
  const once = barriers.filter(({ to }, at) => barriers.findIndex((other) => other.to === to) === at);
  const open = leads.filter(({ to, also, kind }) => !behind.has(to) && (kind === "edge" || !behind.has(also)));
  // One condition a node: langgraph.js distinguishes several by their names only.
  const isCondition = ({ kind }: { kind: string }) => kind === "branch" || kind === "send";
  const free = open.filter(
    (one, at) =>
      !isCondition(one) || open.findIndex((other) => isCondition(other) && other.source === one.source) === at,
  );
  for (let at = 0; at < count; at++) {
    const gotos = free.filter(({ kind, source }) => kind === "goto" && source === at).map(({ to }) => name(to));
    graph.addNode(
      name(at),
      async (given: { item?: string }) => {
        const one = given.item ?? name(at);
        world.ran.push(one);
        if (failing !== undefined && at === failing % count && !world.failed) {
          // Not at once: langgraph.js would lose the edges of the nodes beside it.
          await new Promise((resolve) => void setTimeout(resolve, 20));
          world.failed = true;
          throw new Error("not yet");
        }
        return gotos.length > 0 ? new runtime.Command({ update: { log: one }, goto: gotos }) : { log: one };
      },
      { defer: (defer[at] as boolean) && at > 0, ...(gotos.length > 0 && { ends: gotos }) },
    );
  }
  graph.addEdge(START, name(0));
  const drawn = new Set<string>();
  for (const { kind, source, to, also } of free) {
    const key = `${source} ${to}`;
    if (kind === "edge" && !drawn.has(key)) graph.addEdge(name(source), name(to));
    drawn.add(key);
    const targets = [...new Set([name(to), name(also)])];
    if (kind === "branch") {
      // By the thread's contents, so that both decide alike.
      const pick = ({ log }: { log: string[] }) => targets[log.length % targets.length];
      graph.addConditionalEdges(name(source), pick, targets);
    }
    if (kind === "send") {
      const sends = () => targets.map((target) => new runtime.Send(target, { item: `${target} sent by ${source}` }));
      graph.addConditionalEdges(name(source), sends, targets);
    }
  }
  for (const { from, to } of once) graph.addEdge(from.map(name), name(to));
  // Every node is reached in some way, as langgraph.js wants it.
  const reached = new Set([
    0,
    ...free.flatMap(({ kind, to, also }) => (kind === "edge" || kind === "goto" ? [to] : [to, also])),
    ...once.map(({ to }) => to),
  ]);
  for (let at = 0; at < count; at++) if (!reached.has(at)) graph.addEdge(name(0), name(at));
  return graph.compile({ checkpointer, interruptBefore: "*" });
}

const config = { configurable: { thread_id: "1" } };

/** Runs it step by step, each on the runtime that `turns` names. Returns the nodes that ran and the thread's state. */
async function play(given: Spec, turns: readonly boolean[], saver: unknown) {
  const world: World = { ran: [], failed: false };
  for (let step = 0; step < 60; step++) {
    const runtime = turns[step % turns.length] ? ours : theirs;
    const graph = graphOf(runtime, given, saver, world);
    try {
      await graph.invoke(step === 0 ? { log: "in" } : null, config);
    } catch (error) {
      if ((error as Error).message !== "not yet") throw error;
    }
    // langgraph.js's ids do not sort after another program's of the same millisecond.
    await new Promise((resolve) => void setTimeout(resolve, 2));
    const { next, values } = await graph.getState(config);
    if (step > 0 && next.length === 0) return { ran: world.ran.toSorted(), log: values.log };
  }
  throw new Error("It does not end.");
}

test.each([
  ["langgraph.js's MemorySaver", () => new TheirMemorySaver()],
  ["MemorySaver", () => new MemorySaver()],
])("step by step in turns, through %s", async (name, create: () => unknown) => {
  await fc.assert(
    fc.asyncProperty(spec, fc.array(fc.boolean(), { minLength: 2, maxLength: 9 }), async (given, turns) => {
      const alone = await play(given, [false], new TheirMemorySaver());
      expect(await play(given, turns, create())).toEqual(alone);
    }),
    seeded(`checkpoint/by turns, ${name}`, 40),
  );
});
