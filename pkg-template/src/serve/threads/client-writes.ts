// Approval is a boundary: what a client may do to a thread besides giving its graph input and answers.
import { isDict } from "../../shared/dict.js";
import { compiledOf, type GraphState, type RunnableGraph } from "../../stream/graph-parts.js";
import { delegatesOf } from "../../shared/delegates.js";
import { Refusal } from "../refusal.js";

/** The options of a run that name the nodes at which it stops. */
type Breakpoints = "interruptBefore" | "interruptAfter";

/** The parts of a compiled graph, of threadfold or langgraph.js, that show where it asks. */
interface CompiledGraph extends RunnableGraph {
  readonly interruptBefore?: unknown;
  readonly interruptAfter?: unknown;
  /** Defaults of its runs: langgraph.js's `withConfig`. */
  readonly config?: Readonly<Partial<Record<Breakpoints, unknown>>> | undefined;
  readonly nodes?: object | undefined;
  /** Of threadfold's agents: it names the sub-agents. */
  readonly spec?: unknown;
  getSubgraphs?(namespace?: string, recurse?: boolean): Iterable<readonly [name: string, graph: CompiledGraph]>;
}

/** The node in which `humanInTheLoopMiddleware` asks, threadfold's and LangChain's. */
const ASKS = /HumanInTheLoopMiddleware\./;
/** The field of threadfold's middleware, which may have been given another name. */
const EDITED = "hitlEditedToolCalls";
/** The node of an agent that runs the approved calls. */
const TOOLS = "tools";

/** The parts of a request for a run that may write. */
interface WritingRequest {
  readonly input?: unknown;
  readonly command?: { readonly update?: unknown; readonly goto?: unknown } | null;
  readonly context?: unknown;
}

/** Decides which writes of clients a server's threads take, besides input and answers. */
export class ClientWrites {
  readonly #areOpen: boolean;
  readonly #why: string;
  readonly #remedy: string;

  /**
   * @param graphs - All graphs of the server: a thread may be run by each of them.
   * @param allowed - The program's own word. Without it clients write where no graph has approvals.
   * @param remedy - The end of the sentence that refuses a write.
   */
  constructor(
    graphs: readonly RunnableGraph[],
    allowed?: boolean | undefined,
    remedy = ": the option clientWrites: true allows it.",
  ) {
    this.#remedy = remedy;
    this.#areOpen = allowed ?? !graphs.some(hasApprovals);
    this.#why = allowed === undefined ? "a graph of the server has approvals" : "clientWrites is false";
  }

  /** @throws {@link Refusal} 403 where clients may not write: the state of a thread, and which node runs next. */
  check(what: string): void {
    if (!this.#areOpen) throw new Refusal(403, `Clients may not send ${what}, as ${this.#why}${this.#remedy}`);
  }

  /** @throws {@link Refusal} 403 for a command that writes or jumps, and 422 for one in place of an input. */
  checkRun({ input, command, context }: WritingRequest): void {
    const form = (input as { lg_name?: unknown } | null | undefined)?.lg_name;
    if (form !== undefined) throw new Refusal(422, "The input has lg_name: send a command as the request's command.");
    for (const part of ["update", "goto"] as const) if (command?.[part] != null) this.check(`command.${part}`);
    // LangChain's humanInTheLoopMiddleware reads its own options there first.
    if (isDict(context) && "interruptOn" in context) this.check("context.interruptOn");
  }

  /**
   * Checks where a run begins.
   *
   * @param place - The checkpoint that the request names, if it names one.
   * @param graphNamed - Finds the graph that made a checkpoint.
   * @throws {@link Refusal} 403 for a checkpoint inside a subgraph, and for a run without input where tools or a subgraph
   *   are next at an earlier checkpoint, or at one of another graph: they would run unasked.
   */
  async checkPlace(
    graph: RunnableGraph,
    { input, command }: WritingRequest,
    place: Configurable,
    graphNamed: (name: string) => RunnableGraph | undefined,
  ): Promise<void> {
    const { thread_id, checkpoint_ns = "", checkpoint_id, checkpoint_map } = place;
    if (this.#areOpen) return;
    const places = Object.entries(checkpoint_map ?? {});
    if (checkpoint_ns !== "" || places.some(([namespace, id]) => namespace !== "" || id !== checkpoint_id))
      this.check("a checkpoint inside a subgraph");
    if ((input != null && !command) || !graph.checkpointer) return;
    const stateAt = (configurable: Configurable) =>
      graph.getState?.({ configurable } as never) as PromiseLike<GraphState>;
    const last = await stateAt({ thread_id });
    const isLast = checkpoint_id === undefined || last?.config?.configurable?.["checkpoint_id"] === checkpoint_id;
    const { next = [], metadata } = (isLast ? last : await stateAt(place)) ?? {};
    const { graph_id: name } = (metadata ?? {}) as { graph_id?: unknown };
    const isOwn = typeof name !== "string" || graphNamed(name) === graph;
    if (isLast && isOwn) return;
    const graphs = new Set(subgraphsOf(graph, false).map(([name]) => name));
    const at = isOwn ? "an earlier checkpoint" : "a checkpoint of another graph";
    if (next.some((node) => node === TOOLS || graphs.has(node)))
      this.check(`a run without input from ${at} at which tools or a subgraph are next`);
  }

  /**
   * Checks the checkpoint that becomes the thread's newest once more, without a change.
   *
   * @throws {@link Refusal} 403 for one inside a subgraph, and for one at which something is left to do: it would run unasked.
   */
  async checkFork(graph: RunnableGraph, place: Configurable): Promise<void> {
    if (this.#areOpen) return;
    const isRoot = (place["checkpoint_ns"] ?? "") === "" && place["checkpoint_map"] === undefined;
    const state = isRoot ? ((await graph.getState?.({ configurable: place } as never)) as GraphState) : undefined;
    if (state?.next?.length !== 0) this.check("a switch to a checkpoint at which nodes are next");
  }
}

/** Names the checkpoint at which a run begins: a config's `configurable`. */
type Configurable = Readonly<Record<string, unknown>>;

/**
 * Whether a graph, one inside it or a sub-agent has approvals: `humanInTheLoopMiddleware` (`interruptOn`) or
 * breakpoints. That a node calls `interrupt()` cannot be seen from outside.
 */
export function hasApprovals(graph: RunnableGraph): boolean {
  // A set may grow while it is read: with the graphs inside each of its graphs, and those that their tools run.
  const all = new Set([compiledOf<CompiledGraph>(graph)]);
  for (const one of all) {
    const inside = [...subgraphsOf(one, true).map(([, inner]) => inner), ...(delegatesOf(one.spec) as CompiledGraph[])];
    for (const inner of inside) all.add(compiledOf<CompiledGraph>(inner));
  }
  return [...all].some(
    (one) =>
      breakpointsOf(one, "interruptBefore").length > 0 ||
      breakpointsOf(one, "interruptAfter").length > 0 ||
      Object.keys(one.nodes ?? {}).some((name) => ASKS.test(name)) ||
      Object.hasOwn(Object(one.channels) as object, EDITED),
  );
}

/** Returns the breakpoints of a run: a client adds to the graph's own, and takes none away. */
export function withBreakpoints(graph: RunnableGraph, name: Breakpoints, asked: unknown): unknown {
  const all = [...new Set([...breakpointsOf(compiledOf<CompiledGraph>(graph), name), asked].flat())];
  return all.includes("*") ? "*" : all;
}

function breakpointsOf(graph: CompiledGraph, name: Breakpoints): unknown[] {
  return [graph.config?.[name] ?? graph[name] ?? []].flat();
}

const subgraphsOf = (graph: RunnableGraph, recurse: boolean): (readonly [name: string, graph: CompiledGraph])[] => [
  ...(compiledOf<CompiledGraph>(graph).getSubgraphs?.(undefined, recurse) ?? []),
];
