import type { Conversation } from "./conversation.js";
import type { RunInterrupt } from "./interrupt.js";
import { isDict, type Dict } from "../shared/dict.js";

/** The state of reading one run's stream. */
export class Run {
  readonly conversation: Conversation;
  runId: string | undefined;
  error: unknown;
  /** Whether any run began in this reading. */
  began = false;
  /** Whether the run is over: it reported its end, or its stream ended. */
  ended = false;

  constructor(conversation: Conversation) {
    this.conversation = conversation;
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

  finish(folded?: boolean): void {
    this.ended = true;
    this.conversation.finish(folded);
  }

  fail(error: unknown): void {
    this.ended = true;
    this.error = error;
    this.conversation.fail(error);
  }

  interrupt(interrupt: RunInterrupt): void {
    this.conversation.interrupt(interrupt);
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
}
