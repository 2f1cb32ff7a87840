// The questions of adapters and runners to a thread, besides its public methods.
import type { ThreadfoldError } from "../shared/errors.js";
import type { PatchOperation } from "../state/patch.js";
import type { ThreadEvent } from "./thread-events.js";
import type { Doubt, Proof } from "./proof.js";
import type { Subagents } from "./subagents.js";
import type { OptimisticUpdate } from "./thread-types.js";

/** Values over the state that is shown. */
export interface Layer {
  /** Called with each event that the thread has folded. */
  heard(event: ThreadEvent): void;
  /** Returns the state to show: the same object for the same state, until something changes. */
  over<S>(state: S): S;
}

/** A thread's answers to adapters, runners and `persist`. */
export interface Inside {
  /**
   * Returns the server's value of a field: the last one it sent, or the one a successful run submitted. Undefined if it
   * has none. Initial values, and those from `thread.update`, are not the server's until a run has submitted them. The
   * same holds for `"messages"` if a run was stopped or failed, because the server may not have received them.
   */
  said(field: string): unknown;
  /**
   * Returns whether one of the last 256 parts of the thread's run has this key, or this id if it has no key. Older ones
   * count as new. False for a disposed thread.
   */
  had(key: string): boolean;
  /** Calls the `error` listeners for something that could not be folded. In development, logs it if there are none. */
  report(error: ThreadfoldError, event?: unknown): void;
  /** Returns the sub-agents. */
  subagents(): Subagents;
  /** Whether the state is proven, and where it stands. */
  readonly proof: Proof;
  /** Notes a doubt, and calls the `doubt` listeners for a new one. */
  doubt(doubt: Doubt): void;
  /** Returns how many things could not be folded. */
  reports(): number;
  /** Calls the `drift` listeners. */
  drift(patch: readonly PatchOperation[], event: ThreadEvent): void;
  /** Lays predictions over the state that is shown, and calls the listeners. Undefined removes them. */
  lay(layer: Layer | undefined): void;
  /** Returns the state to show without predictions. */
  unpredicted(): object;
  /** Returns a handle to the optimistic update with this id; its status is `done` if there is none. */
  update(id: string): OptimisticUpdate;
  /** Makes changes, and then calls the listeners once for all of them. */
  now(change: () => void): void;
}

/** The key of a thread's {@link Inside}. One symbol for all copies of this module: each entry has its own. */
export const INSIDE: unique symbol = Symbol.for("threadfold.inside") as never;

/** Whether it is a thread, of any copy of the package. */
export const isThread = (value: unknown): boolean => typeof value === "object" && value !== null && INSIDE in value;
