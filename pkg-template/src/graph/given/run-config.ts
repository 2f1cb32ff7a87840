// The options of a run.
import { checkOptions, type NamesOf } from "../../shared/options.js";
import type { TraceListener } from "./trace.js";

/** When checkpoints are saved: while the run continues, before each next step, or once at its end. */
export type Durability = "async" | "sync" | "exit";

export const STREAM_MODES = ["values", "updates", "messages", "custom", "tasks", "checkpoints", "debug"] as const;

/** The content of a stream. */
export type StreamMode = (typeof STREAM_MODES)[number];

/** Nodes to stop at; `"*"`: all. */
export type StopAt = readonly string[] | "*";

/** Where a thread is kept: langgraph.js's `configurable`. */
export interface ThreadConfig {
  /** The same as `configurable.thread_id`. */
  threadId?: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- its keys are the caller's
  configurable?: Readonly<Record<string, any>> | undefined;
}

/** The options of `invoke` and `stream`. */
export interface RunConfig<Context = unknown> extends ThreadConfig {
  /** The value of `ctx.context` in nodes. */
  context?: Context | undefined;
  /** How many super-steps the run may take. Default 25. */
  recursionLimit?: number | undefined;
  /** When checkpoints are saved. Default `"async"`. */
  durability?: Durability | undefined;
  /** Aborts the run: it throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long the run may take, in milliseconds. */
  timeout?: number | undefined;
  /** How many nodes of a super-step may run at a time. */
  maxConcurrency?: number | undefined;
  interruptBefore?: StopAt | undefined;
  interruptAfter?: StopAt | undefined;
  /** Receives each run and task, for tracing. */
  on?: TraceListener | undefined;
  /** LangChain's: nodes find them in their context. */
  callbacks?: unknown;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** More metadata of the run's checkpoints: `getStateHistory` filters by it. Needs to be JSON. */
  checkpointMetadata?: Readonly<Record<string, unknown>> | undefined;
  tags?: readonly string[] | undefined;
  runId?: string | undefined;
  runName?: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- it is the caller's
  store?: any;
}

/** The additional options of a stream. */
export interface StreamConfig<Context = unknown> extends RunConfig<Context> {
  /** Default `"updates"`. */
  streamMode?: StreamMode | readonly StreamMode[] | undefined;
  /** Whether graphs inside are shown, too. */
  subgraphs?: boolean | undefined;
  /**
   * Whether messages get their ids before an update is streamed, so that the stream and the state agree. The mode
   * `messages` does that for those in which a message is a dict; this also for texts and pairs in a field of messages.
   */
  messageIds?: boolean | undefined;
}

const NAMES: NamesOf<StreamConfig> = {
  threadId: true,
  configurable: true,
  context: true,
  recursionLimit: true,
  durability: true,
  signal: true,
  timeout: true,
  maxConcurrency: true,
  interruptBefore: true,
  interruptAfter: true,
  on: true,
  callbacks: true,
  metadata: true,
  checkpointMetadata: true,
  tags: true,
  runId: true,
  runName: true,
  store: true,
  streamMode: true,
  subgraphs: true,
  messageIds: true,
};

/** The names that langgraph.js adds to the config of a node, with which the node may run a graph. */
const OF_NODES = ["writer", "interrupt", "heartbeat", "executionInfo", "serverInfo", "control", "checkpointDuring"];

/** @throws {@link ThreadfoldError} `UNKNOWN_OPTION`. */
export function checkConfig(call: string, config: object): void {
  checkOptions(call, config, [...Object.keys(NAMES), ...OF_NODES]);
}
