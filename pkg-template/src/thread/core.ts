// The core's half of a thread: the questions it answers, and when it may be asked.
import * as core from "#core";
import { type AskNumber, event as EVENT, type EventNumber } from "../../generated/numbers.js";
import * as ASK from "../../generated/numbers/ask.js";
import * as made from "../../generated/numbers/made.js";
import { ThreadfoldError } from "../shared/errors.js";
import { Schema } from "../state/schema.js";

/** The arguments of each event to the core, in order. */
const PARTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["run-started", ["runId", "joined"]],
  ["run-finished", ["interrupts", "stopped", "folded"]],
  ["run-error", ["error"]],
  ["disconnected", ["error"]],
  ["message", ["message", "after", "streaming"]],
  ["text", ["messageId", "text"]],
  ["message-finished", ["messageId"]],
  ["messages", ["messages", "clientRoles", "partial"]],
  ["update", ["update"]],
  ["values", ["values", "partial"]],
  ["state", ["values", "own"]],
  ["delta", ["operations"]],
]);
/** A question, a change or an event, by its number in crates/core-wasm/src/numbers.rs. */
type Call = AskNumber | EventNumber;

const NUMBERS: ReadonlyMap<unknown, Call> = new Map([...Object.entries(EVENT), ["text", ASK.text]]);

/** A thread in the core. Refuses calls while one is under way. */
export class ThreadCore {
  #raw: core.RawThread | undefined;
  /** A thread may hold the values of thousands of updates. */
  readonly #arena = new core.Arena(2 ** 18);
  /** A call is under way: a reducer or a getter may call back into it. */
  #isBusy = false;
  /** The core's answers since the last change, by question: a page asks once for each message. */
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

  /** Whether a call is under way. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Throws `DISPOSED` and `BUSY`. */
  ready(): core.RawThread {
    if (!this.#raw) throw new ThreadfoldError("DISPOSED", "This Thread was disposed.");
    if (this.#isBusy) throw new ThreadfoldError("BUSY", "This Thread is being changed.");
    return this.#raw;
  }

  /** Folds an event. Returns the drift as a patch. */
  receive<T>(event: object): T {
    const own = (name: string) => (Object.hasOwn(event, name) ? (event as Record<string, unknown>)[name] : undefined);
    const type = own("type");
    const [first, second, third] = (PARTS.get(type) ?? []).map(own);
    return this.ask(NUMBERS.get(type) ?? EVENT.unknown, first, second, third, text(own("id")), text(own("key")));
  }

  /** Answers a question about the whole thread. */
  read<T>(what: AskNumber): T {
    this.ready();
    return (this.#known[what] ??= this.#call(what)) as T;
  }

  /** Reads state, pending and run, which listeners observe, with one call. */
  look(): readonly [state: unknown, pending: unknown, run: unknown] {
    this.ready();
    const known = this.#known;
    if (known[ASK.state] === undefined || known[ASK.pending] === undefined || known[ASK.run] === undefined)
      [known[ASK.state], known[ASK.pending], known[ASK.run]] = this.#call(ASK.look) as unknown[];
    return [known[ASK.state], known[ASK.pending], known[ASK.run]];
  }

  /** Asks the core a question that changes nothing. */
  find<T>(what: AskNumber, first: unknown): T {
    this.ready();
    return this.#call(what, first) as T;
  }

  ask<T>(what: Call, ...parts: unknown[]): T {
    this.ready();
    this.#known = [];
    return this.#call(what, ...parts) as T;
  }

  #call(what: Call, first?: unknown, second?: unknown, third?: unknown, id?: unknown, key?: unknown): unknown {
    const raw = this.ready();
    this.#isBusy = true;
    try {
      return this.#arena.call(
        () => ask(raw, what, first, second, third, id, key),
        (young) => raw.ask(ASK.relocate, young, 0, 0, 0, 0),
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

type Parts = [first?: unknown, second?: unknown, third?: unknown, id?: unknown, key?: unknown];

function ask(raw: core.RawThread, what: Call, ...[first, second, third, id, key]: Parts): unknown {
  const [one, other, another] = [core.hold(first), core.hold(second), core.hold(third)];
  return core.value(raw.ask(what, one, other, another, core.hold(id), core.hold(key)));
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);
