// The data that a thread holds and returns.
import type { ThreadfoldError } from "../shared/errors.js";
import type { FileData } from "../state/files.js";
import type { AgUiMessage, LangChainMessage, MessagesUpdate } from "../state/messages.js";
import type { PatchOperation } from "../state/patch.js";
import type { Schema } from "../state/schema.js";
import type { Doubt } from "./proof.js";
import type { ThreadEvent } from "./thread-events.js";
import type { Todo } from "../state/todos.js";
import type { Tool } from "../state/tools.js";

/**
 * The state of a thread without a schema: the fields that every agent has. Declare the others of yours, optional unless
 * you give `values` for them; to allow any field, `Thread<ThreadState & Record<string, unknown>>`.
 *
 * @example
 * ```ts
 * import { Thread, type ThreadState } from "threadfold";
 *
 * interface Trip extends ThreadState {
 *   city?: string;
 * }
 *
 * const thread = new Thread<Trip>();
 * thread.optimistic({ city: "Rome" });
 * console.log(thread.getState().city?.toUpperCase()); // ROME
 * ```
 */
export interface ThreadState<M extends object = LangChainMessage> {
  messages: readonly M[];
  tools?: readonly Tool[];
  todos?: readonly Todo[];
  files?: Readonly<Record<string, FileData>>;
}

/** The state of a thread that AG-UI events are folded into: `new Thread<AgUiState>()`. */
export type AgUiState = ThreadState<AgUiMessage>;

/** A partial update of a thread's state: of the fields that the state declares, each its own kind of update. */
export type ThreadUpdate<S> = { [K in keyof S]?: FieldUpdate<K, S[K]> | undefined };

type FieldUpdate<K, Value> = K extends "messages"
  ? Value extends readonly (infer M)[] | undefined
    ? MessagesUpdate<M>
    : Value
  : K extends "files"
    ? Value extends Readonly<Record<string, infer F>> | undefined
      ? Readonly<Record<string, F | null>>
      : Value
    : Value;

/** The options of a new thread. */
export interface ThreadOptions<S, U = ThreadUpdate<S>> {
  /**
   * The state's fields; without one `messages`, `tools`, `todos` and `files` have their reducers, others are replaced.
   * Those of `todos` and `files` are DeepAgents': what you write to `todos` keeps only `content` and `status`, and
   * throws `INVALID_TODOS` for other statuses. Declare todos of another shape: `field.replace<MyTodo[]>()`.
   */
  schema?: SchemaFor<S, U> | undefined;
  /** The state to start with. */
  values?: Partial<NoInfer<S>> | undefined;
  /** The server's name for the thread. */
  threadId?: string | undefined;
  /**
   * How often to call listeners for what the server sends: once a `"task"`, the default, or once a `"frame"`, before it
   * is painted. For what you do yourself they are called at once.
   */
  notify?: "task" | "frame" | undefined;
  /**
   * `"full"` keeps what a server that summarizes takes out of its list, as the front of {@link Thread.history}. Default
   * `"server"`: the history is the server's.
   */
  history?: "server" | "full" | undefined;
}

/** The keys of what a state of this type cannot be without, besides its messages. */
type Needed<S> = Exclude<{ [K in keyof S]-?: {} extends Pick<S, K> ? never : K }[keyof S], "messages">;

/** No options, unless the state has fields that only `values` or a schema can give. */
export type NoOptions<S, U> = [Needed<S>] extends [never] ? [] : [options: ThreadOptions<S, U>];

/** A schema by the types of its states and updates. */
export type SchemaFor<S, U> =
  Schema<never> | { readonly fields: object; readonly "~state"?: S; readonly "~update"?: U };

/** Where an optimistic update stands. */
export type PendingStatus = "pending" | "sent" | "failed";

/** An optimistic update that the server's state does not have. */
export interface PendingUpdate<U = ThreadUpdate<ThreadState>> {
  readonly id: string;
  /** The update itself. Its messages are complete and have ids. */
  readonly update: U;
  /** `sent`: a run has submitted it. `failed`: that run failed; the update is still shown. */
  readonly status: PendingStatus;
  /** Why it failed. Its `cause` is the error that was given, unless that is a `ThreadfoldError`. */
  readonly error?: ThreadfoldError | undefined;
  /** True for one made with `{ manual: true }`: no run submits it. */
  readonly manual?: true;
  /** Folds it into the confirmed state: it stays, and is no longer pending. Does nothing once it is over, as the others. */
  settle(): void;
  /** Marks it failed: it stays shown, for a retry or a rollback. */
  fail(error: unknown): void;
  /** Takes it back, as if you had never made it. */
  rollback(): void;
  /** Makes it pending again. */
  retry(): void;
}

/** An optimistic update as a live handle. */
export interface OptimisticUpdate extends Pick<PendingUpdate, "id" | "settle" | "fail" | "rollback" | "retry"> {
  /** `done` once the server's state has it, or you settled it or rolled it back. */
  readonly status: PendingStatus | "done";
}

/** How an optimistic update gets to the server. */
export interface OptimisticOptions {
  /**
   * Whether a call of your own carries it, not a run. Only `settle` and `rollback` end it then. Default false.
   */
  manual?: boolean | undefined;
}

/**
 * How a run stands, of a thread, a runner and a chat. `ready`: it ended well, or there was none. `submitted`: it is
 * requested. `streaming`: the server has begun it. `interrupted`: it waits for an answer. `error`: it failed.
 * `disconnected`: the connection broke, or the page was reloaded. Without an `error`, a runner is rejoining the run;
 * with one, you can.
 */
export type RunStatus = "ready" | "submitted" | "streaming" | "interrupted" | "error" | "disconnected";

/** Where the thread's last run stands. */
export interface ThreadRun {
  readonly id?: string | undefined;
  readonly status: RunStatus;
  /** Why it failed, or why the connection broke. Its `cause` is the server's own error. */
  readonly error?: ThreadfoldError | undefined;
  /**
   * The run's interrupts, as the server sent them. Kept while the next run has no id yet, and if that fails without
   * one: the answers may not have arrived.
   */
  readonly interrupts?: readonly unknown[] | undefined;
  /** The id of the stream's last part, to join the run after it. */
  readonly lastEventId?: string | undefined;
}

/** A snapshot that contradicts earlier events. */
export interface Drift {
  /** Turns the predicted state into the snapshot's. */
  readonly patch: readonly PatchOperation[];
  /** The snapshot. */
  readonly event: ThreadEvent;
}

/** The value that {@link Thread.toJSON} returns and {@link Thread.fromJSON} accepts. */
export interface ThreadRecord {
  readonly version: 2;
  readonly threadId?: string | undefined;
  /** The messages that compactions removed from the server's list, and the last compaction's record. */
  readonly history: object;
  /**
   * The run, the confirmed and pending updates, the server's part of them, and the names of the schema's fields. The
   * form is internal.
   */
  readonly core: object;
  /** The position and the doubts, if there are any. */
  readonly proof?: unknown;
  /** The records of the sub-agents' threads, if there are any. */
  readonly subagents?: unknown;
}

/** The listeners of {@link Thread.on}. */
export interface ThreadListeners {
  /** Called when a snapshot contradicts earlier events. */
  drift: (drift: Drift) => void;
  /** Called for what could not be folded; the state is as it was before. */
  error: (error: ThreadfoldError, event?: unknown) => void;
  /** Called when a field may differ from the server's: see {@link Thread.doubts}. */
  doubt: (doubt: Doubt) => void;
}
