// The values that a run gets from its caller and from the graph around it.
import type { AnyGraph, GraphSpec } from "../build/graph-spec.js";
import { GraphValueError } from "../build/graph-errors.js";
import type { RunConfig } from "../given/run-config.js";
import { picked } from "../build/state-fields.js";
import { uuid6 } from "../ids/ids.js";
import { Pauses } from "../task/pauses.js";
import type { TaskPlace } from "../task/task-place.js";

/** The keys of `configurable` that are metadata, too. */
const METADATA = ["thread_id", "checkpoint_id", "checkpoint_ns", "task_id", "run_id", "assistant_id", "graph_id"];

/** The task that a graph runs inside, and how many graphs that task ran before. */
export interface Surroundings {
  readonly scope: RunScope;
  readonly place: TaskPlace;
  readonly count: number;
  /** Whether the task's signal may abort. */
  readonly hasSignal: boolean;
}

export class RunScope {
  readonly graph: AnyGraph;
  readonly config: RunConfig;
  /** Undefined for the outermost graph. */
  readonly inside: Surroundings | undefined;
  /** The number of graphs around it. */
  readonly depth: number;
  readonly context: unknown;
  readonly configurable: Readonly<Record<string, unknown>>;
  readonly threadId: string | undefined;
  readonly recursionLimit: number;
  /** How many nodes may run at a time. */
  readonly maxConcurrency: number;
  readonly pauses: Pauses;
  /** The caller's part in the metadata of checkpoints. */
  readonly checkpointMetadata: Readonly<Record<string, unknown>> | undefined;
  /** Whether the caller, or a task around, may abort it by a signal. */
  readonly hasSignal: boolean;
  /** Whether the caller or the graph gives what few contexts of nodes have. */
  readonly givesMore: boolean;
  #ns: string | undefined;
  #runId: string | undefined;

  constructor(graph: AnyGraph, config: RunConfig, inside: Surroundings | undefined) {
    const around = inside?.scope;
    this.graph = graph;
    this.config = config;
    this.inside = inside;
    this.depth = around ? around.depth + 1 : 0;
    this.context = inside ? (config.context ?? around?.context) : checkedContext(graph.spec, config);
    const given = config.configurable ?? around?.configurable;
    this.threadId = config.threadId ?? (given?.["thread_id"] as string | undefined) ?? around?.threadId;
    this.configurable =
      given && given["thread_id"] === this.threadId
        ? given
        : { ...given, ...(this.threadId !== undefined && { thread_id: this.threadId }) };
    this.recursionLimit = config.recursionLimit ?? graph.options.recursionLimit ?? around?.recursionLimit ?? 25;
    this.maxConcurrency = config.maxConcurrency ?? around?.maxConcurrency ?? Infinity;
    this.checkpointMetadata = config.checkpointMetadata ?? around?.checkpointMetadata;
    this.pauses = around?.pauses ?? new Pauses();
    const { callbacks, metadata, tags, signal } = config;
    this.hasSignal = signal !== undefined || inside?.hasSignal === true;
    this.givesMore = this.hasSignal || Boolean(callbacks ?? metadata ?? tags ?? this.store);
    atLeastOne("recursionLimit", this.recursionLimit);
    atLeastOne("maxConcurrency", config.maxConcurrency ?? 1);
  }

  get spec(): GraphSpec {
    return this.graph.spec;
  }

  /** The namespace of its checkpoints: empty for the outermost graph. */
  get ns(): string {
    return (this.#ns ??= this.inside ? innerNs(this.inside, this.graph.checkpointer === true) : "");
  }

  get path(): string[] {
    return this.ns === "" ? [] : this.ns.split("|");
  }

  get runId(): string {
    return (this.#runId ??= this.config.runId ?? uuid6(Date.now(), 0));
  }

  get store(): unknown {
    const { store = this.graph.options.store } = this.config;
    return store;
  }

  /** The metadata of langgraph.js's configs: the caller's, and the server's keys of `configurable`. */
  get callersMetadata(): Record<string, unknown> {
    return { ls_integration: "langgraph", ...picked(this.configurable, METADATA), ...this.config.metadata };
  }
}

/** The namespace of a graph inside a task: a second one in the same task gets a number. */
function innerNs({ place, count }: Surroundings, isKept: boolean): string {
  const ns = count > 0 ? `${place.ns}|${count}` : place.ns;
  return isKept ? ns.replaceAll(/:[^|]*/g, "") : ns;
}

function checkedContext({ parts }: GraphSpec, { context, configurable }: RunConfig): unknown {
  const { context: schema } = parts as { context?: { parse?(values: unknown): unknown } };
  if (!schema?.parse) return context;
  const checked = schema.parse(context ?? configurable ?? {});
  return context === undefined ? undefined : checked;
}

function atLeastOne(what: string, given: number): void {
  if (!(given >= 1)) throw new GraphValueError(`Passed "${what}" must be at least 1.`);
}
