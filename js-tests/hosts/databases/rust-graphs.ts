// Random graphs, as data: langgraph.js, npm's threadfold and Rust each make their own of them.
import * as langgraph from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import * as threadfold from "threadfold/graph";
import { randomOf } from "../../support/random.js";

// oxlint-disable-next-line typescript/no-explicit-any -- two libraries under one form, which is what is tested
export type Any = any;

/** A node, by what it does. */
interface Does {
  readonly name: string;
  readonly defer: boolean;
  /** Whether it writes a field without a reducer. */
  readonly last: boolean;
  /** Whether it adds a message. */
  readonly says: boolean;
  readonly asks: boolean;
  /** Whether it fails, at first. */
  readonly fails: boolean;
  /** Where its command goes. `>x` is a Send to x. */
  readonly goto: readonly string[];
}

export interface Spec {
  readonly nodes: readonly Does[];
  readonly edges: readonly (readonly [string, string])[];
  readonly joins: readonly (readonly [readonly string[], string])[];
  /** The answers, by how long the log is. */
  readonly branches: readonly (readonly [string, readonly (readonly string[])[]])[];
  /** Whether it stops before each step. */
  readonly stops: boolean;
}

/** Draws a graph. A node leads to later ones alone, so every run ends. */
export function draw(seed: number): Spec {
  const random = randomOf(seed);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const chance = (of: number) => random() < of;
  const count = 3 + upTo(4);
  const name = (at: number) => "abcdefgh"[at] as string;
  const later = (from: number) => from + 1 + upTo(count - 2 - from);
  const joins: [string[], string][] = [];
  if (chance(0.5)) {
    const to = 2 + upTo(count - 3);
    const first = upTo(to - 1);
    const second = upTo(to - 1);
    if (first !== second) joins.push([[name(first), name(second)], name(to)]);
  }
  // A node after a join has no other way to it: langgraph.js would run it twice.
  const behind = new Set(joins.map(([, to]) => to));
  const laterThan = (from: number): string | undefined => {
    const to = name(later(from));
    return behind.has(to) ? undefined : to;
  };
  const edges: [string, string][] = [["__start__", "a"]];
  const branches: [string, string[][]][] = [];
  const gotos = new Map<string, string[]>();
  for (let from = 0; from < count - 1; from++) {
    for (let ways = 1 + upTo(1); ways > 0; ways--) {
      const to = laterThan(from);
      if (to === undefined) continue;
      const kind = random();
      const isNew = !edges.some(([a, b]) => a === name(from) && b === to);
      if (kind < 0.55 && isNew) edges.push([name(from), to]);
      else if (kind < 0.75) gotos.set(name(from), [chance(0.4) ? `>${to}` : to]);
      // One condition a node: langgraph.js distinguishes several by their names only.
      else if (!branches.some(([node]) => node === name(from))) {
        const answer = () => [chance(0.4) ? `>${to}` : to, ...(chance(0.3) ? [`>${to}`] : [])];
        branches.push([name(from), [answer(), chance(0.2) ? ["__end__"] : answer()]]);
      }
    }
  }
  const isReached = (node: string) =>
    behind.has(node) ||
    edges.some(([, to]) => to === node) ||
    [...gotos.values(), ...branches.flatMap(([, answers]) => answers)].flat().some((to) => to.endsWith(node));
  for (let at = 1; at < count; at++) if (!isReached(name(at))) edges.push(["a", name(at)]);
  const nodes = Array.from({ length: count }, (_, at) => {
    const asks = chance(0.15);
    return {
      name: name(at),
      defer: at > 0 && chance(0.12),
      // Two writes of a step would be an error: the first node is alone in its own.
      last: at === 0 && chance(0.5),
      says: chance(0.5),
      asks,
      fails: !asks && chance(0.1),
      goto: gotos.get(name(at)) ?? [],
    };
  });
  return {
    nodes,
    edges,
    joins,
    branches,
    stops: chance(0.5),
  };
}

const { Annotation, messagesStateReducer } = langgraph;

const Theirs = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  sum: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
  last: Annotation<string | null>,
  messages: Annotation({ reducer: messagesStateReducer, default: () => [] }),
});

const Ours = defineSchema({
  log: field.append<string>(),
  sum: field.reducer((a: number, b: number) => a + b, { default: () => 0 }),
  last: field.replace<string | null>(),
  messages: field.messages(),
});

export interface World {
  fails: boolean;
}

/** Makes the graph for one of the two packages. */
export function graphOf(runtime: "ours" | "theirs", spec: Spec, checkpointer: unknown, world: World): Any {
  const { StateGraph, Command, Send }: Any = runtime === "ours" ? threadfold : langgraph;
  const graph = new StateGraph(runtime === "ours" ? Ours : Theirs);
  const target = (name: string, from: string) =>
    name.startsWith(">")
      ? new Send(name.slice(1), { log: [`sent by ${from}`], sum: 0, last: null, messages: [] })
      : name;
  for (const { name, defer, last, says, asks, fails, goto } of spec.nodes) {
    const node = async (state: Any, ctx: Any) => {
      // Not at once: langgraph.js would lose the edges of the nodes beside it.
      if (fails && world.fails) {
        await new Promise((resolve) => void setTimeout(resolve, 5));
        throw new Error("not yet");
      }
      const sent = state.log[0]?.startsWith("sent by") ? ` ${state.log[0]}` : "";
      const log = [`${name}${sent}`];
      if (asks) {
        const question = `${name}?`;
        log.push(
          `${name} got ${JSON.stringify(runtime === "ours" ? ctx.interrupt(question) : langgraph.interrupt(question))}`,
        );
      }
      const message = { type: "ai", id: `${name} ${state.log.length}`, content: `I am ${name}` };
      const update = { log, sum: 1, ...(last && { last: name }), ...(says && { messages: [message] }) };
      return goto.length === 0 ? update : new Command({ update, goto: goto.map((to) => target(to, name)) });
    };
    graph.addNode(name, node, { defer, ends: goto.map((to) => to.replace(">", "")) });
  }
  for (const [from, to] of spec.edges) graph.addEdge(from, to);
  for (const [from, to] of spec.joins) graph.addEdge(from, to);
  for (const [from, answers] of spec.branches) {
    const path = ({ log }: { log: string[] }) =>
      (answers[log.length % answers.length] as readonly string[]).map((to) => target(to, from));
    const ends = [...new Set(answers.flat().map((to) => to.replace(">", "")))];
    graph.addConditionalEdges(from, path, ends);
  }
  const options = { checkpointer, ...(spec.stops && { interruptBefore: "*" }) };
  return graph.compile(options);
}

/** A list that is kept as deltas, whole after three updates. */
const Deltas = Annotation.Root({
  log: () =>
    new langgraph.DeltaChannel((list: string[], more: string[][]) => list.concat(...more), { snapshotFrequency: 3 }),
  sum: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
} as Any);

/** A node that writes to that list. */
export const ONE: Spec = {
  nodes: [{ name: "a", defer: false, last: false, says: false, asks: false, fails: false, goto: [] }],
  edges: [["__start__", "a"]],
  joins: [],
  branches: [],
  stops: false,
};

/** The graph of {@link ONE} over that list. */
export function deltaGraph(runtime: "ours" | "theirs", checkpointer: unknown): Any {
  const { StateGraph }: Any = runtime === "ours" ? threadfold : langgraph;
  return new StateGraph(Deltas)
    .addNode("a", () => ({ log: ["a"], sum: 1 }))
    .addEdge("__start__", "a")
    .compile({ checkpointer });
}
