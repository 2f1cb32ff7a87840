import type { Thread } from "../thread/thread.js";
import type { PendingUpdate } from "../thread/thread-types.js";
import { messagesIn } from "./said.js";
import { carried } from "./waiting.js";

/** Tells which updates failed together: those with one error, the run's. */
export class Failed<S extends object, U extends object> {
  readonly #thread: Thread<S, U>;
  /** The errors of a thread that was loaded, where each is a copy. */
  readonly #copies: ReadonlySet<unknown>;
  /** The ids of what each run had said before it failed, by its error. */
  readonly #said = new WeakMap<object, ReadonlySet<unknown>>();

  constructor(thread: Thread<S, U>) {
    this.#thread = thread;
    this.#copies = new Set([thread.run, ...thread.pending].map(({ error }) => error));
  }

  /** Takes note of what the run had said that has failed just now: what was not there before. */
  note(before: ReadonlySet<unknown>): void {
    const { error } = this.#thread.run;
    if (typeof error !== "object" || error === null) return;
    const ids = messagesIn(this.#thread.getConfirmedState()).map(({ id }) => id);
    this.#said.set(error, new Set(ids.filter((id) => !before.has(id))));
  }

  /** Returns the ids of what the runs had said that these failed with; undefined if a reload has lost them. */
  saidWith(updates: readonly PendingUpdate<U>[]): ReadonlySet<unknown> | undefined {
    const known = updates.map(({ error }) => this.#said.get(error as object));
    return known.includes(undefined) ? undefined : new Set(known.flatMap((ids) => [...(ids ?? [])]));
  }

  /** Returns the ids of what the thread's run had said before it failed: nothing, if another program ran it. */
  get ofRun(): ReadonlySet<unknown> | "reloaded" {
    const { error } = this.#thread.run;
    return this.#said.get(error as object) ?? (this.#copies.has(error) ? "reloaded" : new Set());
  }

  /** Returns what is failed and carried by runs. */
  get all(): readonly PendingUpdate<U>[] {
    return carried(this.#thread).filter(({ status }) => status === "failed");
  }

  /**
   * Returns those that the thread's run carried, if it failed: none if it carried nothing that is still to be sent. Of a
   * run that did not fail, those of the last run that did.
   */
  get last(): readonly PendingUpdate<U>[] {
    const { all } = this;
    const { status, error } = this.#thread.run;
    const why = status === "failed" ? error : all.at(-1)?.error;
    return all.filter((update) => this.#isSame(update.error, why));
  }

  #isSame(one: unknown, other: unknown): boolean {
    if (one === other) return true;
    return this.#copies.has(one) && this.#copies.has(other) && said(one) === said(other);
  }
}

/** What of an error a record keeps. */
function said(error: unknown): string {
  const { message = error, code, status } = (error ?? {}) as { message?: unknown; code?: unknown; status?: unknown };
  return [message, code, status].map(String).join("\n");
}
