// The parts that a graph in the same program streams, in each of its forms, and its inputs.
import { ThreadfoldError } from "../shared/errors.js";

/** A part of a local graph's stream: `payload` as the mode has it, `ns` the subgraph that it comes from. */
export interface GraphPart {
  readonly mode: string;
  readonly ns: readonly string[];
  readonly payload: unknown;
}

/**
 * Reads a part: `{ mode, ns, payload }`, or the tuples of langgraph.js, `[ns, mode, payload]` and `[mode, payload]`.
 * Returns undefined for anything else, such as what a graph streams in a single mode, which does not say which.
 */
export function readGraphPart(part: unknown): GraphPart | undefined {
  if (Array.isArray(part)) {
    const list = part as unknown[];
    if (list.length === 3 && Array.isArray(list[0]) && typeof list[1] === "string")
      return ofGraph({ ns: list[0] as string[], mode: list[1], payload: list[2] });
    if (list.length === 2 && typeof list[0] === "string") return { ns: [], mode: list[0], payload: list[1] };
    return undefined;
  }
  if (typeof part !== "object" || part === null || !("payload" in part)) return undefined;
  const { mode, ns, payload } = part as { mode?: unknown; ns?: unknown; payload: unknown };
  if (typeof mode !== "string") return undefined;
  return ofGraph({ mode, ns: Array.isArray(ns) ? (ns as string[]) : [], payload });
}

/** langgraph.js names the task that streams a message; a server, and Python, the graph that the task is in. */
function ofGraph(part: GraphPart): GraphPart {
  const { mode, ns, payload } = part;
  const said: unknown = mode === "messages" && Array.isArray(payload) ? payload[1] : undefined;
  const task = (said as { langgraph_checkpoint_ns?: unknown } | null | undefined)?.langgraph_checkpoint_ns;
  return ns.length > 0 && task === ns.join("|") ? { ...part, ns: ns.slice(0, -1) } : part;
}

/** A compiled graph: of `threadfold/graph`, of langgraph.js, or anything that streams as they do. */
export interface RunnableGraph {
  readonly name?: string | undefined;
  /** Where it keeps its threads. Without one each run starts from its input. */
  readonly checkpointer?: unknown;
  /** The fields of the state, by their names; only the names are read. */
  readonly channels?: unknown;
  /** The names of the fields that a caller sees; all, if it does not say. */
  readonly outputChannels?: unknown;
  /** Whether new input keeps a super-step whose tasks had all saved their writes when a run was cut off. */
  readonly keepsLeft?: boolean;
  // Method syntax, so that a graph with narrower types of its own fits.
  stream(input: never, config: never): AsyncIterable<unknown> | PromiseLike<AsyncIterable<unknown>>;
  getState?(config: never): PromiseLike<unknown>;
  getStateHistory?(config: never, options?: never): AsyncIterable<unknown>;
  updateState?(config: never, values: never, asNode?: never): PromiseLike<unknown>;
}

/** A state of a thread, as `getState` returns it. */
export interface GraphState {
  readonly values?: unknown;
  readonly next?: readonly string[] | undefined;
  readonly tasks?: readonly GraphTask[] | undefined;
  readonly config?: GraphConfig | undefined;
  readonly parentConfig?: GraphConfig | undefined;
  readonly metadata?: unknown;
  readonly createdAt?: string | undefined;
}

export interface GraphTask {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly path?: unknown;
  readonly error?: unknown;
  readonly interrupts?: readonly GraphInterrupt[] | undefined;
  readonly state?: unknown;
  readonly result?: unknown;
}

/** Returns the questions of a thread's tasks. */
export const questionsOf = (state: GraphState | undefined): readonly GraphInterrupt[] =>
  (state?.tasks ?? []).flatMap(({ interrupts = [] }) => interrupts);

/** A question of a graph to its user. */
export interface GraphInterrupt {
  readonly id?: string | undefined;
  readonly value?: unknown;
}

export interface GraphConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
}

/** A command that a node returns or a run starts with, in the form that langgraph.js knows without its class. */
export interface CommandLike {
  readonly lg_name: "Command";
  readonly resume?: unknown;
  readonly update?: unknown;
  readonly goto?: unknown;
}

type CommandFields = Omit<CommandLike, "lg_name">;

export const command = (fields: CommandFields): CommandLike => new GraphCommand(fields);

/** langgraph.js takes a plain object for a state's update since 1.5, so it is an instance. */
class GraphCommand implements CommandLike {
  readonly lg_name = "Command";

  constructor(fields: CommandFields) {
    Object.assign(this, fields);
  }

  /** A RemoteGraph sends this. */
  toJSON(): object {
    return { ...this };
  }
}

/** Returns what a caller sees of a graph's state. */
export function shownState({ outputChannels: shown }: RunnableGraph, state: object): Readonly<Record<string, unknown>> {
  if (!Array.isArray(shown)) return state as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(state).filter(([name]) => shown.includes(name)));
}

/**
 * Returns a graph once it is checked, in the words of the function that takes it. An agent of langchain.js has its graph
 * inside: the agent's own `stream` answers no questions.
 */
export function checkedGraph(graph: unknown, taker: string): RunnableGraph {
  if (typeof (graph as RunnableGraph | undefined)?.stream !== "function")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `${taker} takes a compiled graph: its first argument has no stream().`,
    );
  return compiledOf(graph as RunnableGraph);
}

/** Returns the graph inside an agent of langchain.js; any other graph as it is. */
export function compiledOf<G extends RunnableGraph>(graph: G): G {
  const { graph: inside } = graph as { readonly graph?: G };
  return typeof inside?.stream === "function" ? inside : graph;
}

/**
 * Starts a run of a graph and returns its parts, in the modes asked for, of its subgraphs too.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a part that says neither its mode nor its payload.
 */
export async function* graphParts(graph: RunnableGraph, input: unknown, config: object): AsyncGenerator<GraphPart> {
  const stream = await graph.stream(input as never, { subgraphs: true, ...config } as never);
  for await (const given of stream) {
    const part = readGraphPart(given);
    if (!part)
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        "The graph streamed what is no [namespace, mode, payload]: is it a compiled graph?",
      );
    yield part;
  }
}

/** The interrupts of a state, an update, or a task's result. */
export function interruptsIn(value: unknown): GraphInterrupt[] {
  const list = (value as { __interrupt__?: unknown } | null | undefined)?.__interrupt__;
  return Array.isArray(list) ? (list as GraphInterrupt[]) : [];
}
