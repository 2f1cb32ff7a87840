// A graph that runs: what a caller asks of it, and the configs that it is asked with.
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions } from "../shared/options.js";
import { after } from "../shared/timer.js";
import type { CheckpointConfig, CheckpointListOptions, CheckpointSaver } from "../checkpoint/types.js";
import type { Command } from "./build/command.js";
import { type DrawnGraph, drawnGraph, mermaidOf } from "./build/drawing.js";
import type { GraphSpec } from "./build/graph-spec.js";
import type { NodeOptions } from "./build/node.js";
import { NodeContext, TASK } from "./build/node-context.js";
import type { CompileOptions } from "./build/compile-options.js";
import { abortedWith } from "./run/linked-abort.js";
import { Run } from "./run/run.js";
import { GraphValueError } from "./build/graph-errors.js";
import {
  checkConfig,
  STREAM_MODES,
  type RunConfig,
  type StopAt,
  type StreamConfig,
  type StreamMode,
  type ThreadConfig,
} from "./build/run-config.js";
import { type StateSnapshot, stateHistory, stateSnapshot } from "./saved/state-snapshot.js";
import { GraphStream, type RunStreams, type StreamPart } from "./run/stream.js";
import type { Task } from "./run/task.js";
import { checkTime, timeIsUp } from "./build/timeout.js";
import { type StateUpdate, updateState } from "./saved/update-state.js";

/** The input of a graph: values, a command, or null to continue. */
export type GraphInput<Update> = Update | Command | null | undefined;

/** A config, or the context of the node that runs the graph inside. */
export type ConfigOrContext<Config> = Config | NodeContext<never, never> | undefined;

/** A graph that runs. {@link StateGraph.compile} makes it. */
export class CompiledStateGraph<
  // oxlint-disable-next-line typescript/no-explicit-any -- any graph, where it does not matter
  State = any,
  // oxlint-disable-next-line typescript/no-explicit-any -- the same
  Update = any,
  Context = unknown,
> {
  /** @internal */
  readonly lg_is_pregel = true;
  /** @internal Lets `@langchain/core` treat it as a part of a chain. */
  readonly lc_runnable = true;
  /** @internal */
  readonly keepsLeft = true;
  /** @internal */
  readonly spec: GraphSpec;
  readonly options: CompileOptions;
  readonly name: string;
  readonly description: string | undefined;
  readonly checkpointer: CheckpointSaver | boolean | undefined;
  stepTimeout: number | undefined;
  readonly #config: StreamConfig<Context>;

  /** @internal */
  constructor(spec: GraphSpec, options: CompileOptions, config: StreamConfig<Context> = {}) {
    this.spec = spec;
    this.options = options;
    this.name = options.name ?? "LangGraph";
    this.description = options.description;
    this.checkpointer = options.checkpointer;
    checkTime("stepTimeout", options.stepTimeout);
    this.stepTimeout = options.stepTimeout;
    this.#config = config;
  }

  /** Itself: where an agent of langchain.js has its graph. */
  get graph(): this {
    return this;
  }

  /** The fields of the state, by name. */
  get channels(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.spec.fields.keys.map((key) => [key, key]));
  }

  /** The names of the fields that a caller sees: not the private ones, or those of the output's schema. */
  get outputChannels(): readonly string[] {
    return this.spec.outputs;
  }

  /** The nodes that its runs stop before, unless their configs name others. */
  get interruptBefore(): StopAt | undefined {
    return this.#config.interruptBefore ?? this.options.interruptBefore;
  }

  /** The nodes that its runs stop after, unless their configs name others. */
  get interruptAfter(): StopAt | undefined {
    return this.#config.interruptAfter ?? this.options.interruptAfter;
  }

  /** The nodes, by name: their options, and `invoke`, which runs one alone. */
  get nodes(): Readonly<Record<string, NodeOptions & { invoke(input: unknown, config?: object): unknown }>> {
    return Object.fromEntries(
      this.spec.nodes.map(({ name, action, options }) => [
        name,
        {
          ...(options as NodeOptions),
          invoke: async (input: never, config: never = {} as never) =>
            typeof action === "function" ? action(input, config) : action.invoke(input, config),
        },
      ]),
    );
  }

  /** Returns the same graph with default options for its calls. */
  withConfig(config: StreamConfig<Context>): CompiledStateGraph<State, Update, Context> {
    checkConfig("withConfig", config);
    return new CompiledStateGraph(
      this.spec,
      this.options,
      merged(this.#config as StreamConfig, config as StreamConfig) as StreamConfig<Context>,
    );
  }

  /**
   * Runs the graph and returns its state. With a question open, or at a breakpoint, the result has `__interrupt__`.
   *
   * `input` is an update of the state, a command, or null to continue from the thread's position. Input that the graph
   * does not accept never reaches a node; it is reported to `on`, or else to the console. In a node, pass its `ctx` as
   * the config: then the graph runs inside that task.
   *
   * @throws {@link GraphRecursionError}, `EmptyInputError`, {@link InvalidUpdateError}, `GraphValueError`,
   *   and what a node throws.
   */
  async invoke(
    input: GraphInput<Update>,
    config?: ConfigOrContext<StreamConfig<Context>>,
  ): Promise<State & { __interrupt__?: { id: string; value?: unknown }[] }> {
    const { streamMode } = (config ?? {}) as StreamConfig;
    if (streamMode !== undefined && streamMode !== "values") {
      const parts: unknown[] = [];
      for await (const part of this.#stream("invoke", input, config, this.spec.outputs)) parts.push(part);
      return parts as never;
    }
    const { settings, parent } = this.#settings("invoke", config);
    return inTime(settings, async (limited) => {
      const run = new Run(this, limited, parent, { streams: parent?.run.reports.streams });
      await run.go(input);
      return run.result() as never;
    });
  }

  /**
   * Runs the graph and yields what happens. One mode as a string yields its payloads, a list of modes tuples
   * `[mode, payload]`, which have `mode`, `ns` and `payload` by name, too; `subgraphs` puts the namespace in front.
   * The run begins with the first `next()`; leaving a `for await` stops it.
   */
  stream<const Mode extends StreamMode | readonly StreamMode[] = "updates">(
    input: GraphInput<Update>,
    config?: (Omit<StreamConfig<Context>, "streamMode"> & { streamMode?: Mode }) | NodeContext<never, never>,
  ): GraphStream<
    Mode extends string ? any /* oxlint-disable-line typescript/no-explicit-any -- by its mode */ : StreamPart
  > {
    return this.#stream("stream", input, config as never, this.spec.fields.keys) as never;
  }

  #stream(
    call: string,
    input: unknown,
    config: ConfigOrContext<StreamConfig<Context>>,
    shows: readonly string[],
  ): GraphStream {
    const { settings, parent } = this.#settings(call, config);
    const { streamMode = parent ? "values" : "updates", subgraphs = false } = settings;
    const single = typeof streamMode === "string";
    for (const mode of single ? [streamMode] : streamMode)
      if (!STREAM_MODES.includes(mode)) throw new GraphValueError(`There is no stream mode '${mode}'.`);
    const form = {
      modes: new Set<string>(single ? [streamMode] : streamMode),
      single,
      subgraphs,
      depth: parent ? parent.run.scope.depth + 1 : 0,
    };
    const stop = new AbortController();
    const begin = async (streams: RunStreams) => {
      const inside = parent?.run.reports.streams;
      const output = { streams: inside ? toBoth(streams, inside) : streams, shows };
      const run = (limited: StreamConfig) => new Run(this, limited, parent, output).go(input);
      await abortedWith(settings.signal, stop, () => inTime({ ...settings, signal: stop.signal }, run));
    };
    return new GraphStream(form, begin, () => stop.abort());
  }

  #settings(
    call: string,
    config: ConfigOrContext<StreamConfig<Context>>,
  ): { settings: StreamConfig; parent: Task | undefined } {
    const parent = taskOf(config);
    const own = this.#config as StreamConfig;
    const given = (config ?? {}) as StreamConfig;
    // A copy of a node's context has more than options.
    if (!parent) checkConfig(call, given);
    if (!parent) return { settings: checked(config ? merged(own, given) : own), parent };
    const { callbacks, metadata, tags, store = parent.scope.graph.options.store } = parent.scope.config;
    const around = { callbacks: own.callbacks ?? callbacks, metadata, tags, store: own.store ?? store };
    // The context itself sets nothing of its own; a copy may, but has the callbacks of its task's messages.
    if (config instanceof NodeContext) return { settings: merged(own, around), parent };
    return { settings: checked({ ...merged(own, { ...around, ...given }), callbacks: around.callbacks }), parent };
  }

  /**
   * Returns a thread's state: its values, next nodes, open interrupts, and waiting joins.
   *
   * @throws `GraphValueError` without a checkpointer.
   */
  async getState(config: ThreadConfig, options?: { subgraphs?: boolean }): Promise<StateSnapshot<State>> {
    checkOptions("getState", options, ["subgraphs"]);
    return stateSnapshot(this, this.#thread(config), options) as Promise<StateSnapshot<State>>;
  }

  /** Yields what a thread's states were, the newest first. */
  getStateHistory(config: ThreadConfig, options?: CheckpointListOptions): AsyncGenerator<StateSnapshot<State>> {
    checkOptions("getStateHistory", options, ["limit", "before", "filter"]);
    return stateHistory(this, this.#thread(config), options) as AsyncGenerator<StateSnapshot<State>>;
  }

  /**
   * Writes to a thread as if a node had: its edges and conditions then say what comes next. Without `asNode` it is the
   * node that ran last. Returns the config of the new checkpoint, from which a run can continue.
   *
   * @throws {@link InvalidUpdateError} if the node is not clear, or not there.
   */
  updateState(config: ThreadConfig, values: unknown, asNode?: string): Promise<CheckpointConfig> {
    return updateState(this, this.#thread(config), [{ values, asNode }]);
  }

  /** Writes to a thread as several nodes, in several super-steps. */
  async bulkUpdateState(
    config: ThreadConfig,
    supersteps: readonly { updates: readonly StateUpdate[] }[],
  ): Promise<CheckpointConfig> {
    if (supersteps.length === 0) throw new ThreadfoldError("INVALID_ARGUMENT", "No supersteps provided");
    let at: CheckpointConfig = this.#thread(config);
    for (const { updates } of supersteps) {
      if (updates.length === 0) throw new ThreadfoldError("INVALID_ARGUMENT", "No updates provided");
      at = await updateState(this, at, updates);
    }
    return at;
  }

  #thread({ threadId, configurable }: ThreadConfig): CheckpointConfig {
    const given = { ...this.#config.configurable, ...configurable };
    const id = threadId ?? given["thread_id"] ?? this.#config.threadId;
    return { configurable: id === undefined ? given : { ...given, thread_id: id as string } };
  }

  /** Yields the graphs that are nodes of this one: all, `recurse` also those inside them, or the one of a namespace. */
  *getSubgraphs(namespace?: string, recurse = false): Generator<[string, CompiledStateGraph]> {
    for (const { name, inside } of this.spec.nodes) {
      if (!inside || (namespace !== undefined && !`${namespace}|`.startsWith(`${name}|`))) continue;
      const graph = inside as CompiledStateGraph;
      if (namespace === undefined || namespace === name) yield [name, graph];
      if (namespace === name) return;
      if (!recurse) continue;
      for (const [inner, deeper] of graph.getSubgraphs(namespace?.slice(name.length + 1), true))
        yield [`${name}|${inner}`, deeper];
    }
  }

  async *getSubgraphsAsync(namespace?: string, recurse?: boolean): AsyncGenerator<[string, CompiledStateGraph]> {
    yield* this.getSubgraphs(namespace, recurse);
  }

  /** Returns the graph's nodes and edges, for drawing. `xray` shows graphs inside. */
  getGraph(options?: { xray?: boolean | number }): DrawnGraph {
    checkOptions("getGraph", options, ["xray"]);
    return drawnGraph(this, options?.xray ?? false);
  }

  async getGraphAsync(options?: { xray?: boolean | number }): Promise<DrawnGraph> {
    return this.getGraph(options);
  }

  /**
   * Returns the graph as mermaid's text, as LangGraph writes it.
   *
   * @example
   * ```ts
   * import { defineSchema, field } from "threadfold";
   * import { START, StateGraph } from "threadfold/graph";
   *
   * const graph = new StateGraph(defineSchema({ n: field.replace<number>() }))
   *   .addNode("a", () => ({ n: 1 }))
   *   .addEdge(START, "a")
   *   .compile();
   * console.log(graph.drawMermaid().includes("__start__ --> a;")); // true
   * ```
   */
  drawMermaid(options?: { xray?: boolean | number; withStyles?: boolean; curveStyle?: string }): string {
    const { xray, ...drawing } = options ?? {};
    checkOptions("drawMermaid", drawing, ["withStyles", "curveStyle"]);
    return mermaidOf(this.getGraph({ ...(xray !== undefined && { xray }) }), drawing);
  }
}

/** The running task that a context belongs to. */
function taskOf(config: unknown): Task | undefined {
  const task = typeof config === "object" && config !== null ? (config as { [TASK]?: Task })[TASK] : undefined;
  return task && "run" in task ? task : undefined;
}

/** Returns a config with defaults. */
function merged(own: StreamConfig, given: StreamConfig): StreamConfig {
  if (Object.keys(own).length === 0) return given;
  const all: StreamConfig = {
    ...own,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  if (own.configurable && given.configurable) all.configurable = { ...own.configurable, ...given.configurable };
  if (own.metadata && given.metadata) all.metadata = { ...own.metadata, ...given.metadata };
  if (own.tags && given.tags) all.tags = [...new Set([...own.tags, ...given.tags])];
  return all;
}

/** Returns the config. @throws `GraphValueError` for an invalid timeout. */
function checked(config: StreamConfig): StreamConfig {
  checkTime("timeout", config.timeout);
  return config;
}

/** Does work whose signal aborts when the run's time is up. */
function inTime<T>(config: StreamConfig, work: (config: StreamConfig) => Promise<T>): Promise<T> {
  const { timeout } = config;
  return timeout === undefined || timeout === null ? work(config) : endedAfter(timeout, config, work);
}

/** Clears the timer at the end. */
function endedAfter<T>(timeout: number, config: StreamConfig, work: (config: StreamConfig) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const cancel = after(timeout, () => limit.abort(timeIsUp()));
  return abortedWith(config.signal, limit, () => work({ ...config, signal: limit.signal })).finally(cancel);
}

/** Sends to two streams: its own, and one of a graph around it. */
const toBoth = (own: RunStreams, around: RunStreams): RunStreams => ({
  wants: (mode, depth) => own.wants(mode, depth) || around.wants(mode, depth),
  push(ns, mode, payload, step, depth) {
    for (const one of [own, around]) if (one.wants(mode, depth)) one.push(ns, mode, payload, step, depth);
  },
});

export type { RunConfig };
