// How a runner reaches an agent, whatever the protocol.
import type { Source } from "../stream/source.js";
import type { ThreadPosition } from "../thread/proof.js";
import type { RunStatus } from "../thread/thread-types.js";

/** A run that was under way when its connection ended. */
export interface RunRef {
  readonly threadId: string;
  readonly runId: string;
  /** The id of the last part received, if the stream has ids. */
  readonly lastEventId?: string | undefined;
}

/** The server's state of a thread. */
export interface LoadedThread {
  readonly values: object;
  /** Its last run's interrupts. */
  readonly interrupts?: readonly unknown[] | undefined;
  /** The run under way, if any. */
  readonly runId?: string | undefined;
  /** Whether nothing is left to do: the last run came to its end. */
  readonly isDone?: boolean | undefined;
  /** The checkpoint of the state. */
  readonly position?: ThreadPosition | undefined;
}

/** A checkpoint of a thread, and its messages. */
export interface CheckpointMessages {
  readonly id: string;
  /** The checkpoint before it. */
  readonly parent?: string | undefined;
  /** Whether it has an input that no step has taken yet. */
  readonly isInput?: boolean | undefined;
  readonly messages: readonly object[];
}

/** The streams of a thread. */
export type Streams = Pick<Transport<never, object>, "join" | "follow">;

/** Returns streams by which others share these. `address` says whose they are. */
export type ShareStreams = (streams: Streams, address: string) => Streams;

/** A thread in the server's list. */
export interface ListedThread {
  readonly threadId: string;
  /** How its last run stands. */
  readonly status: RunStatus;
  /** The times of its first and its last change, as ISO 8601. */
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
}

/** Which part of the server's list of threads to ask for. */
export interface ThreadQuery {
  /** How many threads; 10 by default. */
  readonly limit?: number | undefined;
  /** How many threads to skip. */
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Everything about reaching an agent, in plain functions: `{ ...httpTransport(options), cancel }` changes one of them.
 * Each asks once; whether to ask again is the runner's. The `signal` aborts once nobody reads any more: the run was
 * stopped or left, or the runner disposed. Throw an error with an HTTP `status` for a refusal; one without
 * counts as a broken connection.
 */
export interface Transport<Input, Part extends object> {
  /**
   * Starts a run. Returns its parts: a `Response`, its body, an async iterable, a list or an Observable. `changes` names
   * the fields of the input's state that the user's updates write.
   */
  run(
    input: Input,
    options: { readonly signal: AbortSignal; readonly changes?: readonly string[] },
  ): Source<Part> | PromiseLike<Source<Part>>;
  /** Joins a run: from its start, or after `lastEventId`. Without it, a run whose connection broke has failed. */
  join?:
    ((run: RunRef, options: { readonly signal: AbortSignal }) => Source<Part> | PromiseLike<Source<Part>>) | undefined;
  /** Stops a run on the server. Throw, or return a `Response` that is not ok, if it refuses: `stop()` reports that. */
  cancel?: ((run: RunRef, options: { readonly signal: AbortSignal }) => unknown) | undefined;
  /**
   * Brings user messages into a run under way, which reads each id once, before its next model call. Throw if the run is
   * over. Messages that the run does not stream by its end are sent with the next one. Without this method they wait.
   */
  steer?:
    ((run: RunRef, messages: readonly object[], options: { readonly signal: AbortSignal }) => unknown) | undefined;
  /** Returns the server's state of a thread; undefined if the server does not know it. Without this method, `load()` only joins. */
  load?:
    | ((
        threadId: string,
        options: { readonly signal: AbortSignal },
      ) => LoadedThread | undefined | PromiseLike<LoadedThread | undefined>)
    | undefined;
  /** Returns the thread's newest checkpoints, the newest first. Without it, no message has branches. */
  history?:
    ((threadId: string, options: { readonly limit: number }) => PromiseLike<readonly CheckpointMessages[]>) | undefined;
  /** Makes a copy of a checkpoint the thread's newest. Without it, `switchBranch()` throws. */
  fork?: ((threadId: string, checkpointId: string, options: { readonly signal: AbortSignal }) => unknown) | undefined;
  /** Lists the server's threads, the last changed first. Without it, `threads()` rejects. */
  threads?: ((query: ThreadQuery) => PromiseLike<readonly ListedThread[]>) | undefined;
  /**
   * Follows a thread, whoever runs it, until the signal aborts. Its source has a part for each run that begins: AG-UI's
   * `RUN_STARTED`, LangGraph's `metadata` with a `run_id`. `{ event: "reopened", data: undefined }` says that others may have been missed.
   * Other parts are passed over. Without it, `follow()` throws.
   */
  follow?:
    | ((threadId: string, options: { readonly signal: AbortSignal }) => Source<Part> | PromiseLike<Source<Part>>)
    | undefined;
  /** Returns what the agent can do: AG-UI's `AgentCapabilities`. Asked once, beside the first run. */
  capabilities?: (() => unknown) | undefined;
}
