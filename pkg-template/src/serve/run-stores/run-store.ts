// The interface of all that keeps runs: the memory of the program, Redis, or another engine.
import { ThreadfoldError } from "../../shared/errors.js";

/** Names a run. Two threads may have runs of one id. */
export interface RunKey {
  readonly threadId: string;
  readonly id: string;
}

/** A run that a server begins. */
export interface NewRun extends RunKey {
  /** The protocol that its parts speak. A server reads only the runs of its own. */
  readonly server: string;
  /** The identity that its thread belongs to, if that is known. */
  readonly owner: string | undefined;
  /** Facts that the server reads again, on any instance: values that JSON takes. */
  readonly about: object;
  /** Whether the run is refused while its thread has another one under way. */
  readonly isAlone: boolean;
}

/** A run as a store has it. */
export interface StoredRun extends RunKey {
  readonly server: string;
  readonly owner: string | undefined;
  readonly about: object;
  readonly hasEnded: boolean;
  /** Whether somebody asked it to stop. */
  readonly isStopped: boolean;
}

/** The right to write a run. It ends when another instance claims the run. */
export interface RunLease extends RunKey {
  /** Rises with every lease of the store. A write with an older number is `FENCED`. */
  readonly fence: number;
  /** How many parts the run has. */
  readonly last: number;
  /** The thread's runs that were under way when this one began. It waits for them. */
  readonly before: readonly RunKey[];
}

/** A part of a run as it is sent; a function makes the text when it is first needed. */
export type Part = string | (() => string);

/** A part with its number: the first of a run is 1. */
export type NumberedPart = readonly [at: number, part: Part];

/** A run with its number in the store. A run that begins later has a larger one. */
export type BegunRun = readonly [at: number, run: StoredRun];

/** Takes a text that was sent to a run. */
export type TakeText = (text: string) => void;

/** Selects runs of a thread. */
export interface RunFilter {
  readonly threadId: string;
  readonly id?: string | undefined;
}

/**
 * Keeps the runs of servers: who writes each of them, its parts, and whether it has ended. The program's memory is the
 * default. `RedisRuns` of `threadfold/serve/redis` and `PostgresRuns` of `threadfold/serve/postgres` share the runs between
 * instances.
 *
 * Every write names its lease. A store checks the lease and writes in one step: an instance that was silent for too long
 * must not write into a run that another one continues. Such a write fails with `FENCED`. A run that the engine lost
 * fails with `LOST`. An error of the engine itself is passed on.
 *
 * @example
 * ```ts
 * import { defineSchema, field } from "threadfold";
 * import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
 * import { MemoryRuns, serveAgUi } from "threadfold/serve";
 *
 * const graph = new StateGraph(defineSchema({ messages: field.messages() }))
 *   .addNode("answer", () => ({ messages: [{ type: "ai", content: "Hello" }] }))
 *   .addEdge(START, "answer")
 *   .addEdge("answer", END)
 *   .compile({ checkpointer: new MemorySaver() });
 * const runs = new MemoryRuns();
 * const [one, other] = [serveAgUi(graph, { runs }), serveAgUi(graph, { runs })];
 * const input = { threadId: "t1", runId: "r1", messages: [{ id: "m1", role: "user", content: "Hi" }] };
 * const started = await one(new Request("http://localhost", { method: "POST", body: JSON.stringify(input) }));
 * const joined = await other(new Request("http://localhost/threads/t1/runs/r1"));
 * console.log([await started.text(), await joined.text()].every((events) => events.includes("Hello"))); // true
 * ```
 */
export interface RunStore {
  /** How many milliseconds a lease holds without `renew`. Undefined where leases last as long as the program. */
  readonly ttl?: number | undefined;
  /**
   * Begins a run and leases it to the caller. A run of the same key that has ended is replaced.
   *
   * @param stop - Called once if somebody cancels the run, on any instance.
   * @param take - Called with each text that somebody sends to the run.
   * @throws {@link ThreadfoldError} `BUSY`: the thread, or the run's id, has a run under way.
   */
  begin(run: NewRun, stop: () => void, take?: TakeText): Promise<RunLease>;
  /** Leases a run of the protocol whose lease has run out, if there is one. */
  claim(
    server: string,
    stop: () => void,
    take?: TakeText,
  ): Promise<(RunLease & { readonly run: StoredRun }) | undefined>;
  /**
   * Calls `look` when runs may wait to be claimed. Servers of a store that has this method claim once at their first
   * request, and then when it calls. Servers of other stores claim and renew again and again.
   */
  whenOrphaned?(look: () => Promise<void>): void;
  /** Prolongs a lease. @throws {@link ThreadfoldError} `FENCED`, `LOST`. */
  renew(lease: RunLease): Promise<void>;
  /** Adds parts and sends them to all followers. @throws {@link ThreadfoldError} `FENCED`, `LOST`. */
  append(lease: RunLease, parts: readonly Part[]): Promise<void>;
  /** Replaces the facts about a run. @throws {@link ThreadfoldError} `FENCED`, `LOST`. */
  update(lease: RunLease, about: object): Promise<void>;
  /** Ends a run. Its followers end after its last part. @throws {@link ThreadfoldError} `FENCED`, `LOST`. */
  end(lease: RunLease, about: object): Promise<void>;
  /** Asks the run to stop, whichever instance has it. Nothing happens if it has ended. */
  cancel(key: RunKey): Promise<void>;
  /**
   * Sends a text to the run, whichever instance has it. It may be lost on its way, and nothing happens if the run has
   * ended. The sender learns from the run's parts what became of it. Without this method, runs cannot be steered.
   */
  send?(key: RunKey, text: string): Promise<void>;
  /**
   * Yields the parts after a number as they come, until the run ends or the signal aborts. After `Infinity` there are
   * none: it only waits for the end.
   *
   * @throws {@link ThreadfoldError} `LOST`: the run, or some of its parts, is gone. Read the thread from its checkpoints.
   */
  follow(key: RunKey, after: number, signal?: AbortSignal): AsyncIterable<NumberedPart>;
  /**
   * Yields the runs of a thread as they begin, on any instance, until the signal aborts. It starts with those after a
   * number, or with those under way. A number that the store has not reached counts as none: it is another store's.
   */
  watch(threadId: string, after: number | undefined, signal: AbortSignal): AsyncIterable<BegunRun>;
  /** Returns runs of a thread, the latest first. */
  runs(filter: RunFilter): Promise<StoredRun[]>;
  /** Drops a run. */
  remove(key: RunKey): Promise<void>;
  /** Frees connections and timers. Runs stay. */
  close(): Promise<void>;
}

export const textOf = (part: Part): string => (typeof part === "string" ? part : part());

/** Resolves when a run has ended, or is not there any more, or the signal aborts. */
export async function ended(store: RunStore, key: RunKey, signal?: AbortSignal): Promise<void> {
  try {
    for await (const _ of store.follow(key, Infinity, signal));
  } catch (error) {
    if (!isStoreError(error, "LOST")) throw error;
  }
}

export const isStoreError = (error: unknown, code: "BUSY" | "FENCED" | "LOST"): boolean =>
  error instanceof ThreadfoldError && error.code === code;

/** Whether a write failed because another instance has the run, or nobody. */
export const isGone = (error: unknown): boolean => isStoreError(error, "FENCED") || isStoreError(error, "LOST");
