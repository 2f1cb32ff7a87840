import type { Conversation } from "./conversation.js";
import { isKnown, type RunInterrupt } from "./interrupt.js";
import { isDict, type Dict } from "./merge.js";

/** Whoever is told of what is no state. */
export interface RunListeners {
  /** Told what nodes send by `get_stream_writer()`. */
  onCustom?: ((data: unknown, from: { namespace: readonly string[]; name?: string | undefined }) => void) | undefined;
  /** Told of each interrupt once. */
  onInterrupt?: ((interrupt: RunInterrupt) => void) | undefined;
}

/** What one reading of a stream knows of its run. */
export class Run {
  readonly conversation: Conversation;
  readonly #listeners: RunListeners;
  /** What listeners are still to be told: their errors are theirs, and not those of the part that is folded. */
  #news: (() => void)[] = [];
  readonly #told: RunInterrupt[] = [];
  runId: string | undefined;
  error: unknown;
  /** Whether any run began in this reading. */
  began = false;
  /** Whether the run is over: by its own word, or by the end of a stream that ends with it. */
  ended = false;

  constructor(conversation: Conversation, listeners: RunListeners) {
    this.conversation = conversation;
    this.#listeners = listeners;
  }

  /** What the run asks. */
  get interrupts(): readonly RunInterrupt[] {
    return this.conversation.interrupts;
  }

  start(runId: string | undefined): void {
    this.began = true;
    this.runId = runId;
    this.ended = false;
    this.error = undefined;
    this.conversation.start(runId);
  }

  finish(): void {
    this.ended = true;
    this.conversation.finish();
  }

  fail(error: unknown): void {
    this.ended = true;
    this.error = error;
    this.conversation.fail(error);
  }

  interrupt(interrupt: RunInterrupt): void {
    this.conversation.interrupt(interrupt);
    if (isKnown(this.#told, interrupt)) return;
    this.#told.push(interrupt);
    this.#news.push(() => this.#listeners.onInterrupt?.(interrupt));
  }

  /** The interrupts of a state or an update. */
  interruptsOf(list: unknown, namespace: readonly string[]): void {
    for (const { id, value } of Array.isArray(list) ? list.filter(isDict) : []) {
      this.interrupt({ id: typeof id === "string" ? id : undefined, value, namespace });
    }
  }

  /** A state without the interrupts that come with it; undefined when it is nothing but them. */
  stateOf(data: unknown, namespace: readonly string[]): Dict | undefined {
    if (!isDict(data)) return undefined;
    if (!("__interrupt__" in data)) return data;
    const { __interrupt__: list, ...values } = data;
    this.interruptsOf(list, namespace);
    return Object.keys(values).length > 0 ? values : undefined;
  }

  custom(data: unknown, namespace: readonly string[], name?: string): void {
    this.#news.push(() => this.#listeners.onCustom?.(data, { namespace, name }));
  }

  /** Tells the listeners, once the part is folded. */
  tell(): void {
    const news = this.#news;
    if (news.length === 0) return;
    this.#news = [];
    for (const tell of news) tell();
  }
}
