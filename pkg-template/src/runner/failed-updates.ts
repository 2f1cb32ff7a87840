// Updates that failed together.
import type { PendingUpdate } from "../thread/thread-types.js";
import type { Thread } from "../thread/thread.js";
import { carried, messagesIn } from "./messages-in.js";

/** Tells which updates failed together: those with one error, the run's. */
export class FailedUpdates<S extends object, U extends object> {
  readonly #thread: Thread<S, U>;
  /** The errors of a thread that was loaded, where each is a copy. */
  readonly #copies: ReadonlySet<unknown>;
  /** The ids of the messages that each run received before it failed, by its error. */
  readonly #received = new WeakMap<object, ReadonlySet<unknown>>();

  constructor(thread: Thread<S, U>) {
    this.#thread = thread;
    this.#copies = new Set([thread.run, ...thread.pending].map(({ error }) => error));
  }

  /** Records the messages that the run received before it just failed: those that are not in `before`. */
  note(before: ReadonlySet<unknown>): void {
    const { error } = this.#thread.run;
    if (typeof error !== "object" || error === null) return;
    const ids = messagesIn(this.#thread.getConfirmedState()).map(({ id }) => id);
    this.#received.set(error, new Set(ids.filter((id) => !before.has(id))));
  }

  /**
   * Returns the ids of the messages received by the runs with which these updates failed. Undefined if a reload has
   * lost them.
   */
  receivedWith(updates: readonly PendingUpdate<U>[]): ReadonlySet<unknown> | undefined {
    const known = updates.map(({ error }) => this.#received.get(error as object));
    return known.includes(undefined) ? undefined : new Set(known.flatMap((ids) => [...(ids ?? [])]));
  }

  /**
   * Returns the ids of the messages that the thread's run received before it failed. Returns none if another program
   * ran it.
   */
  get ofRun(): ReadonlySet<unknown> | "reloaded" {
    const { error } = this.#thread.run;
    return this.#received.get(error as object) ?? (this.#copies.has(error) ? "reloaded" : new Set());
  }

  /** Returns the failed updates that runs carried. */
  get all(): readonly PendingUpdate<U>[] {
    return carried(this.#thread).filter(({ status }) => status === "failed");
  }

  /**
   * Returns the updates that the thread's run carried, if it failed. Returns none if nothing that it carried is left to
   * send. If the run did not fail, returns those of the last run that did.
   */
  get last(): readonly PendingUpdate<U>[] {
    const { all } = this;
    const { status, error } = this.#thread.run;
    const why = status === "error" ? error : all.at(-1)?.error;
    return all.filter((update) => this.#isSame(update.error, why));
  }

  #isSame(one: unknown, other: unknown): boolean {
    if (one === other) return true;
    return this.#copies.has(one) && this.#copies.has(other) && wordsOf(one) === wordsOf(other);
  }
}

/** The text of an error that a record keeps. */
function wordsOf(error: unknown): string {
  const { message = error, code, status } = (error ?? {}) as { message?: unknown; code?: unknown; status?: unknown };
  return [message, code, status].map(String).join("\n");
}
