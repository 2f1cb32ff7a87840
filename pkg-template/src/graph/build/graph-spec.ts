// A compiled graph: its nodes and channels by number, as the planner knows them.
import type { LeftIds } from "../ids/known-ids.js";
import { Plan } from "../planner/planner.js";
import type { Values } from "../types.js";
import { START, TASKS } from "./command.js";
import type { CompileOptions } from "./compile-options.js";
import type { BranchEntry, NodeEntry, NodeOptions } from "./node.js";
import { StateFields, visible } from "./state-fields.js";
import { type Declared, declared, type ZodRegistry } from "./state-forms.js";
import { type TimeoutPolicy, timeoutPolicy } from "./timeout.js";

/** A way that is decided when a node has run. */
export interface Branch {
  readonly path: BranchEntry["path"];
  readonly ends: BranchEntry["ends"];
}

/** A node by its number. */
export interface GraphNode {
  readonly number: number;
  readonly name: string;
  /** Whether it is START, which nobody sees run. */
  readonly isStart: boolean;
  readonly action: NodeEntry["action"];
  readonly options: NodeOptions<never, unknown, never>;
  readonly timeout: TimeoutPolicy | undefined;
  /** The fields that it reads, if not the whole state. */
  readonly reads: readonly string[] | undefined;
  /** The channels of its plain and list edges, in the order in which they are written. */
  readonly edges: readonly number[];
  readonly branches: readonly Branch[];
  /** The graph that it runs, if it is one or declares one. */
  readonly inside: AnyGraph | undefined;
  /** The node that handles its errors. */
  readonly handler: number | undefined;
  readonly handles: boolean;
}

/** A compiled graph, as runs, savers and drawings see it. */
export interface AnyGraph {
  readonly spec: GraphSpec;
  readonly options: CompileOptions;
  readonly name: string;
  readonly checkpointer: CompileOptions["checkpointer"];
  readonly stepTimeout: number | undefined;
  getSubgraphs(namespace?: string, recurse?: boolean): Iterable<[string, AnyGraph]>;
}

/** Returns whether a value is a compiled graph. */
export const isGraph = (value: unknown): value is AnyGraph =>
  typeof value === "object" && value !== null && "lg_is_pregel" in value && "spec" in value;

/** The builder's parts of a graph. */
export interface GraphParts {
  readonly nodes: readonly NodeEntry[];
  readonly edges: readonly (readonly [from: string | readonly string[], to: string])[];
  readonly branches: Readonly<Record<string, Readonly<Record<string, BranchEntry>>>>;
  readonly state: Declared;
  readonly input: Declared;
  readonly output: Declared;
  readonly context?: unknown;
  readonly registry?: ZodRegistry;
}

/** The parts as they are now: later changes to the builder do not affect the compiled graph. */
const frozen = (parts: GraphParts): GraphParts => ({
  ...parts,
  edges: [...parts.edges],
  branches: Object.fromEntries(Object.entries(parts.branches).map(([from, ways]) => [from, { ...ways }])),
});

/** The joins of list edges, by the names of their channels. */
function joinsOf(edges: GraphParts["edges"], numbers: ReadonlyMap<string, number>) {
  const number = (name: string) => numbers.get(name) as number;
  const joins = new Map<string, { from: number[]; to: number }>();
  for (const [from, to] of edges)
    if (typeof from !== "string")
      joins.set(`join:${from.join("+")}:${to}`, { from: [...new Set(from)].map(number), to: number(to) });
  return joins;
}

/** The place of each name in the order of all. */
function ranksOf(names: readonly string[]): number[] {
  const ranks = new Map([...names].sort((a, b) => (a < b ? -1 : 1)).map((name, rank) => [name, rank]));
  return names.map((name) => ranks.get(name) as number);
}

export class GraphSpec {
  readonly parts: GraphParts;
  readonly fields: StateFields;
  /** In order of insertion; START comes last. */
  readonly nodes: readonly GraphNode[];
  readonly numbers: ReadonlyMap<string, number>;
  /** The number of START. */
  readonly start: number;
  readonly joins: readonly { readonly from: readonly number[]; readonly to: number }[];
  /** The names of all channels by number, as checkpoints have them. */
  readonly channels: readonly string[];
  readonly channelNumbers: ReadonlyMap<string, number>;
  /** The fields that a caller may give. */
  readonly inputs: ReadonlySet<string>;
  /** The fields that a caller gets. */
  readonly outputs: readonly string[];
  readonly plan: Plan;
  /** The message ids that its runs know of each thread. */
  readonly leftIds: LeftIds = new WeakMap();

  constructor(parts: GraphParts) {
    this.parts = frozen(parts);
    const { nodes, edges, state, input, output, registry } = this.parts;
    const own = nodes.map(({ options }) => (options.input ? declared(options.input, false, registry) : undefined));
    this.fields = new StateFields([...new Set([state, input, output, ...own.filter((one) => one !== undefined)])]);
    this.start = nodes.length;
    this.numbers = new Map([...nodes.map(({ name }, number) => [name, number] as const), [START, this.start]]);
    const joins = joinsOf(edges, this.numbers);
    this.joins = [...joins.values()];
    const branches = nodes.map(({ name }) => `branch:to:${name}`);
    this.channels = [...this.fields.keys, START, TASKS, ...branches, ...joins.keys()];
    this.channelNumbers = new Map(this.channels.map((name, at) => [name, at]));
    this.nodes = this.#nodesOf(own);
    this.inputs = new Set(visible(input.fields, "input"));
    this.outputs = visible(output.fields, "output");
    const ephemeral = new Set(this.fields.ephemeral);
    this.plan = new Plan({
      fields: this.fields.keys.map((_, at) => ephemeral.has(at)),
      defer: nodes.map(({ options }) => options.defer ?? false),
      ranks: ranksOf([...this.numbers.keys()]),
      joins: this.joins,
    });
  }

  /** The nodes by number. `own` has the states that nodes declare as their input. */
  #nodesOf(own: readonly (Declared | undefined)[]): GraphNode[] {
    const { nodes, branches, state } = this.parts;
    /** The fields that a node reads if it declares none of its own. */
    const stateKeys = Object.keys(state.fields);
    const reads = this.fields.keys.length > stateKeys.length ? stateKeys : undefined;
    const edges = this.#edgeChannels();
    const made = (name: string, at: number, entry?: NodeEntry): GraphNode => ({
      number: at,
      name,
      isStart: at === this.start,
      action: entry?.action as NodeEntry["action"],
      options: entry?.options ?? {},
      timeout: timeoutPolicy(entry?.options.timeout),
      reads: own[at] ? Object.keys(own[at].fields) : reads,
      edges: [...(edges[at] as Set<number>)],
      branches: Object.values(branches[name] ?? {}),
      inside: [entry?.action, ...(entry?.options.subgraphs ?? [])].find(isGraph),
      handler: entry?.handler === undefined ? undefined : this.numbers.get(entry.handler),
      handles: entry?.handles ?? false,
    });
    return [...nodes.map((entry, at) => made(entry.name, at, entry)), made(START, this.start)];
  }

  /** The channels of each node's edges: those of plain edges come first. */
  #edgeChannels(): Set<number>[] {
    const first = this.fields.keys.length + 2;
    const channels = Array.from(this.numbers, () => new Set<number>());
    for (const [from, to] of this.parts.edges) {
      const target = this.numbers.get(to);
      if (typeof from === "string" && target !== undefined)
        channels[this.numbers.get(from) as number]?.add(first + target);
    }
    this.joins.forEach(({ from }, at) => {
      for (const one of from) channels[one]?.add(first + this.start + at);
    });
    return channels;
  }

  /** The values of a caller that the graph accepts, and the keys that it drops. */
  taken(input: Values): { values: Values; dropped: readonly string[] } {
    let dropped: string[] | undefined;
    for (const key in input) if (!this.inputs.has(key)) (dropped ??= []).push(key);
    if (!dropped) return { values: input, dropped: [] };
    const values = Object.fromEntries(Object.entries(input).filter(([key]) => this.inputs.has(key)));
    return { values, dropped };
  }
}
