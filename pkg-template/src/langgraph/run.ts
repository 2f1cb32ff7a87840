import type { Conversation } from "./conversation.js";
import { isKnown, type RunInterrupt } from "./interrupt.js";
import { isDict, type Dict } from "./merge.js";

/** Listeners for events besides the state. */
export interface RunListeners {
  /** Called with what nodes send by `get_stream_writer()`. */
  onCustom?: ((data: unknown, from: { namespace: readonly string[]; name?: string | undefined }) => void) | undefined;
  /** Called with each interrupt once. */
  onInterrupt?: ((interrupt: RunInterrupt) => void) | undefined;
}

/** The state of reading one run's stream. */
export class Run {
  readonly conversation: Conversation;
  readonly #listeners: RunListeners;
  /** Calls of listeners that are due once the part is folded, so that their errors are not those of the part. */
  #news: (() => void)[] = [];
  readonly #told: RunInterrupt[] = [];
  runId: string | undefined;
  error: unknown;
  /** Whether any run began in this reading. */
  began = false;
  /** Whether the run is over: it reported its end, or its stream ended. */
  ended = false;

  constructor(conversation: Conversation, listeners: RunListeners) {
    this.conversation = conversation;
    this.#listeners = listeners;
  }

  /** The run's interrupts. */
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

  /** Takes the interrupts of a state or an update. */
  interruptsOf(list: unknown, namespace: readonly string[]): void {
    for (const { id, value } of Array.isArray(list) ? list.filter(isDict) : []) {
      this.interrupt({ id: typeof id === "string" ? id : undefined, value, namespace });
    }
  }

  /** Takes the interrupts out of a state. Returns the rest; undefined if there is none. */
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

  /** Calls the listeners, once the part is folded. */
  tell(): void {
    const news = this.#news;
    if (news.length === 0) return;
    this.#news = [];
    for (const tell of news) tell();
  }
}
