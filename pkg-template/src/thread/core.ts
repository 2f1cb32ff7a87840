// The core's half of a thread: the questions it answers, and when it may be asked.
import * as core from "#core";
import { event as EVENT } from "../../generated/numbers.js";
import * as ASK from "../../generated/numbers/ask.js";
import * as made from "../../generated/numbers/made.js";
import { ThreadfoldError } from "../shared/errors.js";
import { Schema } from "../state/schema.js";

/** The arguments of each event to the core, in order. */
const PARTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["run-started", ["runId", "joined"]],
  ["run-finished", []],
  ["run-error", ["error"]],
  ["message", ["message", "after", "streaming"]],
  ["message-finished", ["messageId"]],
  ["messages", ["messages", "clientRoles", "partial"]],
  ["update", ["update"]],
  ["values", ["values", "partial"]],
  ["state", ["values"]],
  ["delta", ["operations"]],
]);
const NUMBERS: ReadonlyMap<unknown, number> = new Map(Object.entries(EVENT));

/** A thread in the core. Refuses calls while one is under way. */
export class ThreadCore {
  #raw: core.RawThread | undefined;
  /** A thread may hold the values of thousands of updates. */
  readonly #arena = new core.Arena(2 ** 18);
  /** A call is under way: a reducer or a getter may call back into it. */
  #isBusy = false;
  /** What the core has answered since it was last changed, by question: a page asks once for each message. */
  #known: unknown[] = [];

  /** Makes the thread from values, or from the core's part of a record. */
  constructor(schema: Schema<unknown> | undefined, from: object, kind: "values" | "record") {
    const none = schema ? undefined : core.call(() => new core.RawSchema());
    try {
      const how = (kind === "record" ? made.recorded : 0) + (none ? made.open : 0);
      this.#raw = this.#arena.call(() =>
        core.RawThread.make(none ?? Schema.handle(schema as Schema<unknown>), core.hold(from), how),
      );
    } finally {
      none?.free();
    }
  }

  get isDisposed(): boolean {
    return this.#raw === undefined;
  }

  /** Throws `DISPOSED` and `BUSY`. */
  ready(): core.RawThread {
    if (!this.#raw) throw new ThreadfoldError("DISPOSED", "This Thread was disposed.");
    if (this.#isBusy) throw new ThreadfoldError("BUSY", "This Thread is being changed.");
    return this.#raw;
  }

  /** Folds an event; `joined` overrides what a run's start says of it. Returns the drift as a patch. */
  receive<T>(event: object, joined: boolean | undefined): T {
    const own = (name: string) => (Object.hasOwn(event, name) ? (event as Record<string, unknown>)[name] : undefined);
    const type = own("type");
    const [first, second, third] = (PARTS.get(type) ?? []).map(own);
    return this.ask(NUMBERS.get(type) ?? EVENT.unknown, first, joined ?? second, third);
  }

  /** Answers a question about the whole thread. */
  read<T>(what: number): T {
    this.ready();
    return (this.#known[what] ??= this.#call(what)) as T;
  }

  ask<T>(what: number, first?: unknown, second?: unknown, third?: unknown): T {
    this.ready();
    this.#known = [];
    return this.#call(what, first, second, third) as T;
  }

  #call(what: number, first?: unknown, second?: unknown, third?: unknown): unknown {
    const raw = this.ready();
    this.#isBusy = true;
    try {
      return this.#arena.call(
        () => ask(raw, what, first, second, third),
        (young) => raw.ask(ASK.relocate, young, 0, 0),
        raw,
      );
    } finally {
      this.#isBusy = false;
      // User code freed the thread during the call.
      if (!this.#raw) raw.free();
    }
  }

  free(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (!this.#isBusy) raw?.free();
  }
}

function ask(raw: core.RawThread, what: number, first?: unknown, second?: unknown, third?: unknown): unknown {
  return core.value(raw.ask(what, core.hold(first), core.hold(second), core.hold(third)));
}
