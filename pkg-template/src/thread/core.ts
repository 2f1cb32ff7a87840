// The core's half of a thread: what it is asked for, and when it may be asked.
import * as core from "#core";
import { ThreadfoldError } from "../errors.js";
import { Schema } from "../schema.js";

/** What a thread is asked for, by the core's numbers. */
export const ASK = {
  state: 0,
  confirmed: 1,
  pending: 2,
  record: 3,
  message: 4,
  update: 5,
  optimistic: 6,
  settle: 7,
  fail: 8,
  retry: 9,
  rollback: 10,
  text: 11,
  receive: 12,
  relocate: 13,
  streaming: 14,
  status: 15,
} as const;

/** How a thread is made: from a record, without a schema. */
const RECORDED = 1;
const OPEN = 2;

/** A thread of the core's, which is not asked while it answers. */
export class ThreadCore {
  #raw: core.RawThread | undefined;
  readonly #arena = new core.Arena();
  /** A call is under way: a reducer or a getter may come back here. */
  #isBusy = false;

  /** From values, or from the core's part of a record. */
  constructor(schema: Schema<unknown> | undefined, from: object, kind: "values" | "record") {
    const none = schema ? undefined : core.call(() => new core.RawSchema());
    try {
      const how = (kind === "record" ? RECORDED : 0) + (none ? OPEN : 0);
      this.#raw = this.#arena.call(() =>
        core.RawThread.make(none ?? Schema.handle(schema as Schema<unknown>), core.hold(from), how),
      );
    } finally {
      none?.free();
    }
  }

  /** Throws `DISPOSED` and `BUSY`. */
  ready(): core.RawThread {
    if (!this.#raw) throw new ThreadfoldError("DISPOSED", "This Thread was given up by free().");
    if (this.#isBusy) throw new ThreadfoldError("BUSY", "This Thread is being changed.");
    return this.#raw;
  }

  ask<T>(what: number, first?: unknown, second?: unknown): T {
    const raw = this.ready();
    this.#isBusy = true;
    try {
      return this.#arena.call(
        () => ask(raw, what, first, second) as T,
        () => ask(raw, ASK.relocate),
        raw,
      );
    } finally {
      this.#isBusy = false;
      // Given up by what it called.
      if (!this.#raw) raw.free();
    }
  }

  free(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (!this.#isBusy) raw?.free();
  }
}

function ask(raw: core.RawThread, what: number, first?: unknown, second?: unknown): unknown {
  return core.value(raw.ask(what, core.hold(first), core.hold(second)));
}
