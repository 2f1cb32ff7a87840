// Where a list of messages can be cut so that no tool result loses its call. src/context/cut.rs is the same in Rust; here
// it is decided where the messages are, for to tell WebAssembly of them would cost more.
//
// A result belongs to the nearest message before it that calls its id. A cut `c`, which keeps the messages from `c` on,
// splits the two if it is between them; it is safe if it splits no two.
import type { Facts } from "./rows.js";

const AI = 0;
/** The first result of its call, in its place behind it. */
const IN_PLACE = 1;
/** The first result of its call, elsewhere. */
const DISPLACED = 2;
/** A result without a call, or a second one. */
const ORPHAN = 3;
const OTHER = 4;

class Message {
  /** The calls of an AI message without a result, and how many of those could be parsed. */
  open = 0;
  openValid = 0;
  /** Whether it needs repair, as far as is known. */
  isFaulty = false;
  /** The AI message that is last but for results: this one, or one before it. */
  readonly lastAi: Message | undefined;

  constructor(
    readonly role: number,
    readonly at: number,
    lastAi?: Message,
    /** The call that a result belongs to. */
    readonly call?: Call,
    /** The calls that an AI message makes. */
    readonly calls: Call[] = NONE,
  ) {
    this.lastAi = role === AI ? this : lastAi;
  }
}

interface Call {
  readonly id: string;
  readonly by: Message;
  /** Whether it could be parsed. */
  readonly isValid: boolean;
  isOpen: boolean;
  /** The call that had this id before. */
  readonly shadowed: Call | undefined;
}

const NONE: never[] = [];

/**
 * The safe cuts of a list of messages that grows at its end.
 *
 * To cut anywhere, a list is walked from its end down a chain of cuts: each message adds one that points to the next lower
 * safe one as of then. Nothing in the chain changes afterwards, so that taking messages off the end is free, and jump
 * pointers make each walk O(log n).
 */
export class Track {
  readonly #messages: Message[] = [];
  /** For each id the last call of it. */
  readonly #latest = new Map<string | undefined, Call>();
  // For each cut from 0 to the number of messages the next lower one, some lower one further down, and its depth. Numbers
  // in arrays: an object each is one more for the garbage collector to visit.
  readonly #below = [0];
  readonly #jump = [0];
  readonly #depth = [0];
  /** The messages at which a repair has something to do. */
  #faults = 0;

  get length(): number {
    return this.#messages.length;
  }

  /** Whether the messages need no repair. */
  get isWhole(): boolean {
    return this.#faults === 0;
  }

  /** The position of an AI message with a call that waits for its result: nothing follows it but results. */
  get pending(): number | undefined {
    return this.#waiting?.at;
  }

  /** Adds a message at the end. */
  push({ kind, ids, invalid, answers }: Facts): void {
    const before = this.#messages.at(-1)?.lastAi;
    if (kind === "ai") this.#pushAi(ids, ids.length - invalid);
    else if (kind === "tool") this.#pushResult(before, this.#latest.get(answers));
    else this.#push(new Message(OTHER, this.length));
    this.#settle(before);
  }

  #pushAi(ids: readonly string[], valid: number): void {
    const message = new Message(AI, this.length, undefined, undefined, ids.length > 0 ? [] : NONE);
    ids.forEach((id, position) => {
      const shadowed = this.#latest.get(id);
      // Called twice in one message, an id is one call: it takes one result.
      if (shadowed?.by === message) return;
      const call: Call = { id, by: message, isValid: position < valid, isOpen: true, shadowed };
      this.#latest.set(id, call);
      message.calls.push(call);
      opened(call, 1);
    });
    this.#push(message);
  }

  #pushResult(lastAi: Message | undefined, call: Call | undefined): void {
    let role = ORPHAN;
    if (call?.isOpen) {
      const before = this.#messages.at(-1) as Message;
      const isBehind = before === call.by || (before.role === IN_PLACE && before.call?.by === call.by);
      role = isBehind ? IN_PLACE : DISPLACED;
      call.isOpen = false;
      opened(call, -1);
    }
    this.#push(new Message(role, this.length, lastAi, call));
    this.#settle(call?.by);
  }

  /** Adds a message, and the cut behind it. */
  #push(message: Message): void {
    const below = message.call ? this.#lower(message.at, message.call.by.at) : message.at;
    const depth = this.#depth[below] as number;
    const jump = this.#jump[below] as number;
    const further = this.#jump[jump] as number;
    const reached = this.#depth[jump] as number;
    // The jumps of both are equally long: one over both is next.
    const isEven = depth - reached === reached - (this.#depth[further] as number);
    this.#below.push(below);
    this.#jump.push(isEven ? further : below);
    this.#depth.push(depth + 1);
    this.#messages.push(message);
    this.#settle(message);
  }

  /** Keeps the first `length` messages. */
  truncate(length: number): void {
    while (this.length > length) this.#pop(this.#messages.pop() as Message);
  }

  #pop({ role, call, calls, isFaulty }: Message): void {
    for (const numbers of [this.#below, this.#jump, this.#depth]) numbers.pop();
    this.#faults -= Number(isFaulty);
    for (const { id, shadowed } of calls)
      if (shadowed) this.#latest.set(id, shadowed);
      else this.#latest.delete(id);
    if (call && role !== ORPHAN) {
      call.isOpen = true;
      opened(call, 1);
      this.#settle(call.by);
    }
    this.#settle(this.#messages.at(-1)?.lastAi);
  }

  /**
   * Returns the largest safe cut that keeps all messages from `target` on, and a call that waits for its result: 0 if it
   * keeps all.
   */
  cut(target: number): number {
    return this.#lower(this.length, Math.min(target, this.pending ?? this.length));
  }

  /** Returns the smallest safe cut from `target` on that keeps a call that waits for its result. */
  nextCut(target: number): number | undefined {
    let at = this.cut(this.length);
    if (at < target) return undefined;
    while (at > 0) {
      const [jump, below] = [this.#jump[at] as number, this.#below[at] as number];
      if (below < target) break;
      at = jump >= target ? jump : below;
    }
    return at;
  }

  /** Returns all safe cuts, in ascending order. */
  cuts(): number[] {
    const cuts = [this.length];
    for (let at = this.length; at > 0;) cuts.push((at = this.#below[at] as number));
    return cuts.map((_, at) => cuts.at(-1 - at) as number);
  }

  isResult(at: number): boolean {
    const role = this.#messages[at]?.role ?? OTHER;
    return role > AI && role < OTHER;
  }

  /**
   * The nearest message before a result with a call of its id that could be parsed, unless the id is empty: that is none to
   * LangChain.
   */
  caller(result: number): number | undefined {
    let call = this.#messages[result]?.call;
    while (call && !call.isValid) call = call.shadowed;
    return call?.id ? call.by.at : undefined;
  }

  /** Returns the first safe cut at or below `limit` on the chain down from the cut `at`. */
  #lower(at: number, limit: number): number {
    while (at > limit) {
      const jump = this.#jump[at] as number;
      at = jump > limit ? jump : (this.#below[at] as number);
    }
    return at;
  }

  get #waiting(): Message | undefined {
    const last = this.#messages.at(-1)?.lastAi;
    return last && last.openValid > 0 ? last : undefined;
  }

  /** Notes whether a message needs repair, whatever has changed about it. */
  #settle(message: Message | undefined): void {
    if (!message) return;
    const { role, open, isFaulty } = message;
    const isNow = role === AI ? open > 0 && message !== this.#waiting : role === DISPLACED || role === ORPHAN;
    this.#faults += Number(isNow) - Number(isFaulty);
    message.isFaulty = isNow;
  }
}

/** Counts a call that has no result any more, or has one now. */
function opened({ by, isValid }: Call, more: number): void {
  by.open += more;
  if (isValid) by.openValid += more;
}
