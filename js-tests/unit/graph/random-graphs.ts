// Random graphs, as data: each is built with langgraph.js and with threadfold.

/** The actions of a node, by the number of its call. */
export interface Act {
  readonly kind: "update" | "nothing" | "goto" | "send" | "error" | "ask" | "command" | "list";
  readonly to?: readonly string[];
  /** Whether it writes the field that takes one write a step. */
  readonly last?: boolean;
  /** Whether it answers later. */
  readonly later?: boolean;
}

export interface NodeSpec {
  readonly name: string;
  readonly acts: readonly Act[];
  readonly defer: boolean;
}

export interface BranchSpec {
  readonly from: string;
  /** The answers, by how long the log is. `>x` is a Send to x. */
  readonly answers: readonly (readonly string[])[];
  readonly mapped: boolean;
}

export interface GraphCase {
  readonly nodes: readonly NodeSpec[];
  readonly edges: readonly (readonly [string, string])[];
  readonly joins: readonly (readonly [readonly string[], string])[];
  readonly branches: readonly BranchSpec[];
  readonly limit: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly durability: "async" | "sync" | "exit";
  readonly checkpointed: boolean;
  /** Whether questions are answered by id. */
  readonly byId: boolean;
  /** The caller's actions once the thread has ended. */
  readonly calls: readonly ("input" | "goto" | "update" | "none")[];
  /** Whether threadfold's graph has a schema of its own, not langgraph.js's annotation. */
  readonly ownSchema: boolean;
  /** The node as which the caller writes to the thread at its end, at first. */
  readonly writeAs: string | undefined;
}

export const START = "__start__";
export const END = "__end__";

/** Makes a graph of a random source. */
export function randomGraph(random: () => number): GraphCase {
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const chance = (of: number) => random() < of;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const some = <T>(list: readonly T[], most: number): T[] => [
    ...new Set(Array.from({ length: 1 + upTo(most - 1) }, () => pick(list))),
  ];
  const letters = "abcdefgh".split("").sort(() => random() - 0.5);
  const names = letters.slice(0, 2 + upTo(4));
  const wild = chance(0.2);
  const joins: [string[], string][] = Array.from({ length: chance(0.6) ? 1 + upTo(1) : 0 }, () => [
    some(names, 3),
    pick(names),
  ]);
  // Most nodes after a join have no other way in: langgraph.js sees only one trigger at a time.
  const alone = new Set(chance(0.8) ? joins.map(([, to]) => to) : []);
  const free = names.filter((name) => !alone.has(name));
  const open = free.length > 0 ? free : names;
  const act = (): Act => {
    const kind = random();
    const later = chance(0.3);
    if (kind < 0.6) return { kind: "update", later, last: chance(wild ? 0.15 : 0.03) };
    if (kind < 0.68) return { kind: "nothing", later };
    if (kind < 0.76)
      return { kind: pick(["goto", "command"] as const), to: some(chance(0.2) ? [...open, END] : open, 2) };
    if (kind < 0.82) return { kind: "send", to: some(names, 3) };
    if (kind < 0.86) return { kind: "list", to: some(open, 1) };
    if (kind < 0.92) return { kind: wild ? "error" : "update", later };
    return { kind: wild ? "ask" : "update", later };
  };
  const nodes = names.map((name) => ({
    name,
    acts: Array.from({ length: 1 + upTo(3) }, act),
    defer: chance(0.12),
  }));
  const edges: [string, string][] = some(open, 2).map((name) => [START, name]);
  for (const name of names) {
    const count = upTo(2);
    for (let at = 0; at < count; at++) edges.push([name, chance(0.25) ? END : pick(open)]);
  }
  const branches: BranchSpec[] = Array.from({ length: chance(0.5) ? 1 + upTo(1) : 0 }, () => ({
    from: pick([...names, START]),
    answers: Array.from({ length: 1 + upTo(3) }, () => some([...open, END, `>${pick(names)}`], 2)),
    mapped: chance(0.3),
  }));
  const stops = chance(0.15) ? some(names, 2) : [];
  const stopBefore = chance(0.5);
  const durability = pick(["async", "async", "sync", "exit"] as const);
  // langgraph.js saves a caller's writes again at the end, and applies them twice.
  const calls =
    durability === "exit" ? (["input", "none"] as const) : (["input", "input", "goto", "update", "none"] as const);
  return {
    nodes,
    edges: edges.filter(([from, to], at) => edges.findIndex(([a, b]) => a === from && b === to) === at),
    // Two joins into one node could be full at once, too.
    joins: joins.filter(([, to], at) => joins.findIndex(([, other]) => other === to) === at),
    branches,
    limit: chance(0.2) ? 2 + upTo(4) : 9 + upTo(6),
    before: stopBefore ? stops : [],
    after: stopBefore ? [] : stops,
    durability,
    checkpointed: chance(0.85),
    byId: chance(0.5),
    calls: Array.from({ length: 2 + upTo(2) }, () => pick(calls)),
    ownSchema: chance(0.5),
    // Rather as one that has conditions.
    writeAs: chance(0.3)
      ? pick([...names, ...branches.flatMap(({ from }) => (from === START ? [] : Array(4).fill(from)))])
      : undefined,
  };
}
