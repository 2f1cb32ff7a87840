// Results of a node, or inputs of a caller, besides a plain update. Instances of langgraph.js are accepted, too.
import { checkOptions } from "../../shared/options.js";

/** Where a graph begins. */
export const START = "__start__";

/** The channel of Sends. */
export const TASKS = "__pregel_tasks";
/** Where a graph ends. */
export const END = "__end__";

/**
 * Runs a node in the next super-step with an input of its own, besides any other run of it.
 *
 * @example
 * ```ts
 * import { defineSchema, field } from "threadfold";
 * import { Send, START, StateGraph } from "threadfold/graph";
 *
 * const graph = new StateGraph(defineSchema({ words: field.append<string>(), shouted: field.append<string>() }))
 *   .addNode("shout", ({ word }: { word: string }) => ({ shouted: [word.toUpperCase()] }))
 *   .addConditionalEdges(START, ({ words }) => words.map((word) => new Send("shout", { word })))
 *   .compile();
 * console.log((await graph.invoke({ words: ["a", "b"] })).shouted); // [ 'A', 'B' ]
 * ```
 */
export class Send<Args = unknown> {
  readonly lg_name = "Send";
  readonly node: string;
  readonly args: Args;
  /** Takes the place of the node's own timeout. */
  declare readonly timeout?: unknown;

  constructor(node: string, args: Args, options?: { timeout?: unknown }) {
    checkOptions("new Send", options, ["timeout"]);
    this.node = node;
    this.args = args;
    if (options?.timeout !== undefined) this.timeout = options.timeout;
  }

  toJSON(): { lg_name: "Send"; node: string; args: Args } {
    return { lg_name: this.lg_name, node: this.node, args: this.args };
  }
}

/** Where a command leads to. */
export type Goto<Nodes extends string = string> = Nodes | Send | readonly (Nodes | Send)[];

/** The fields of a command. */
export interface CommandParams<Update = unknown, Nodes extends string = string, Resume = unknown> {
  /** An update of the state, or pairs of a field and its update, in which a field may occur twice. */
  update?: Update | undefined;
  /** The nodes to run next, besides those that edges lead to. */
  goto?: Goto<Nodes> | undefined;
  /** The answer to an interrupt, or `{ [id]: answer }` for some of several. */
  resume?: Resume | undefined;
  /** `Command.PARENT`: the graph in which this graph is a node. */
  graph?: string | undefined;
}

/** A copy of a command, `{ ...command }`, has its marks, too. */
const PARAMS = ["update", "goto", "resume", "graph", "lg_name", "lc_direct_tool_output"];

/**
 * Updates the state and chooses what to run next. A node returns one; a caller gives one to answer an interrupt.
 *
 * @example
 * ```ts
 * import { defineSchema, field } from "threadfold";
 * import { Command, START, StateGraph } from "threadfold/graph";
 *
 * const graph = new StateGraph(defineSchema({ path: field.append<string>() }))
 *   .addNode("a", () => new Command({ update: { path: ["a"] }, goto: "b" }), { ends: ["b"] })
 *   .addNode("b", () => ({ path: ["b"] }))
 *   .addEdge(START, "a")
 *   .compile();
 * console.log((await graph.invoke({})).path); // [ 'a', 'b' ]
 * ```
 */
export class Command<Update = unknown, Nodes extends string = string, Resume = unknown> {
  static readonly PARENT = "__parent__";
  readonly lg_name = "Command";
  /** Lets LangChain's tools return one. */
  readonly lc_direct_tool_output = true;
  readonly graph: string | undefined;
  readonly update: Update | undefined;
  readonly resume: Resume | undefined;
  readonly goto: readonly (Nodes | Send)[];

  constructor(params: CommandParams<Update, Nodes, Resume>) {
    checkOptions("new Command", params, PARAMS);
    const { graph, update, resume, goto } = params;
    this.graph = graph;
    this.update = update;
    this.resume = resume;
    this.goto = goto === undefined || goto === null ? [] : Array.isArray(goto) ? goto : [goto as Nodes | Send];
  }

  toJSON(): object {
    return { lg_name: this.lg_name, update: this.update, resume: this.resume, goto: this.goto };
  }
}

const named = (value: unknown): unknown => (value as { lg_name?: unknown } | null | undefined)?.lg_name;

/** Returns whether a value is a command, ours or of langgraph.js. */
export function isCommand(value: unknown): value is Command {
  return typeof value === "object" && named(value) === "Command";
}

/** Returns whether a value is a send, ours or of langgraph.js. */
export function isSend(value: unknown): value is Send {
  return typeof value === "object" && named(value) === "Send";
}

/** Returns the send for a stored or plain one; undefined for anything else. */
export function toSend(value: unknown): Send | undefined {
  if (isSend(value)) return value;
  const { node, args, timeout } = (value ?? {}) as Partial<Send>;
  return typeof node === "string" && args !== undefined ? new Send(node, args, { timeout }) : undefined;
}

/** Returns what a command's `update` writes: the object itself, or one for each pair. */
export function updatesOf({ update }: Command): readonly object[] {
  if (!Array.isArray(update)) return update && typeof update === "object" ? [update] : [];
  return (update as readonly [string, unknown][]).map(([key, value]) => ({ [key]: value }));
}
