// The options of `compile`.
import type { CheckpointSaver } from "../../checkpoint/types.js";
import type { NamesOf } from "../../shared/options.js";
import type { Durability, StopAt } from "../given/run-config.js";
import type { TraceListener } from "../given/trace.js";

/** The options of `compile`. */
export interface CompileOptions {
  /**
   * Keeps threads: a saver of threadfold or of langgraph.js. For a graph inside another: nothing takes the outer
   * graph's and forgets between runs, `true` remembers, `false` keeps nothing. It locks no thread: let a run of a
   * thread wait for the one before.
   */
  checkpointer?: CheckpointSaver | boolean | undefined;
  /** Nodes to stop before; `"*"`: all. `invoke(null, config)` resumes. */
  interruptBefore?: StopAt | undefined;
  /** Nodes to stop after. */
  interruptAfter?: StopAt | undefined;
  name?: string | undefined;
  description?: string | undefined;
  /** How many super-steps a run may take, if its config does not say. Default 25. */
  recursionLimit?: number | undefined;
  /** How long a super-step may take, in milliseconds. */
  stepTimeout?: number | undefined;
  /** When checkpoints are saved, if a run's config does not say. Default `"async"`. */
  durability?: Durability | undefined;
  /** Receives each run and task, for tracing. */
  on?: TraceListener | undefined;
  /** A store for nodes, found as `ctx.store`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- it is the caller's
  store?: any;
}

const NAMES: NamesOf<CompileOptions> = {
  checkpointer: true,
  interruptBefore: true,
  interruptAfter: true,
  name: true,
  description: true,
  recursionLimit: true,
  stepTimeout: true,
  durability: true,
  on: true,
  store: true,
};

export const COMPILE_OPTIONS: readonly string[] = Object.keys(NAMES);
