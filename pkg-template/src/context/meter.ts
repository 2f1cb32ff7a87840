// Counts a context while it grows, a streamed token at a time.
import { sizeOf } from "./count.js";
import { withFields } from "./edited.js";
import { Estimated } from "./growing.js";
import { fieldsOf, isForScreen, type MessageParts, readParts } from "./message-parts.js";
import { codePoints } from "./python-text.js";
import { reading, wrong } from "./options.js";

/** Counts text that is appended to a message. */
interface Growing {
  readonly tokens: number;
  add(text: string): void;
}

class Approximated implements Growing {
  readonly #rest: number;
  #chars: number;
  #last = "";

  constructor(message: object) {
    const { chars, images } = sizeOf(readParts(message) as MessageParts, true);
    this.#rest = images * 85 + 3;
    this.#chars = chars;
  }

  get tokens(): number {
    return this.#rest + Math.ceil(this.#chars / 4);
  }

  add(text: string): void {
    // A pair whose halves come one by one is one.
    this.#chars += codePoints(this.#last + text) - this.#last.length;
    const end = text.charCodeAt(text.length - 1);
    this.#last = end >= 0xd800 && end < 0xdc00 ? text.slice(-1) : "";
  }
}

/** Messages that are only for the screen are not sent. */
const UNSENT: Growing = { tokens: 0, add: () => {} };

/** Counts the message anew: that is how much a counter of the caller's costs. */
class Recounted implements Growing {
  constructor(
    private message: object,
    private readonly count: (message: object) => number,
    public tokens = count(message),
  ) {}

  add(text: string): void {
    const { content } = fieldsOf(this.message);
    this.message = withFields(this.message, { content: (typeof content === "string" ? content : "") + text });
    this.tokens = this.count(this.message);
  }
}

/** Counts a model's input while it grows, at the cost of the new part: {@link Context.meter}. */
export class Meter {
  /** @internal */
  static readonly name = "Meter";
  #before: number;
  #messages: number;
  #last: Growing | undefined;
  #lastTokens = 0;
  /** The tokens from which on a trigger holds, with so many messages; and with those that there are. */
  readonly #dueAtMessages: (messages: number) => number;
  #dueAt = NaN;
  readonly #counter: unknown;
  readonly #count: (message: object) => number;

  /** @internal */
  constructor(
    list: readonly object[],
    tokens: number,
    dueAt: (messages: number) => number,
    counter: unknown,
    count: (message: object) => number,
  ) {
    this.#counter = counter;
    this.#count = count;
    this.#before = tokens;
    this.#messages = list.length;
    this.#dueAt = dueAt(list.length);
    this.#dueAtMessages = dueAt;
    const last = list.at(-1);
    if (last !== undefined) this.#open(last, tokens - count(last));
  }

  /** Adds a message at the end. */
  push(message: object): void {
    reading(() => this.#open(message, this.tokens));
    if (this.#last !== UNSENT) this.#dueAt = this.#dueAtMessages(++this.#messages);
  }

  /** Adds text to the content of the last message. */
  text(delta: string): void {
    if (typeof delta !== "string") throw wrong("delta", "a text");
    const last = this.#last;
    if (!last) throw wrong("text", "added behind a message");
    last.add(delta);
    this.#lastTokens = last.tokens;
  }

  /** The tokens of all. */
  get tokens(): number {
    return this.#before + this.#lastTokens;
  }

  /** Whether a trigger holds: then look at `due`. */
  get isDue(): boolean {
    return this.#before + this.#lastTokens >= this.#dueAt;
  }

  #open(message: object, before: number): void {
    const made = isForScreen(message)
      ? UNSENT
      : this.#counter === "estimate"
        ? new Estimated(message)
        : this.#counter === "approximate"
          ? new Approximated(message)
          : new Recounted(message, this.#count);
    [this.#last, this.#before, this.#lastTokens] = [made, before, made.tokens];
  }
}
