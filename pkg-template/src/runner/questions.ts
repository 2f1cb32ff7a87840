import type { Thread } from "threadfold";
import type { Answer } from "./protocol.js";
import type { RunnerInterrupt } from "./runner-types.js";

const NONE: readonly never[] = [];

/** What a thread's run asks, and the answers that wait until all is answered. */
export class Questions<S extends object, U extends object> {
  readonly #thread: Thread<S, U>;
  readonly #read: (raw: unknown) => RunnerInterrupt;
  #of: unknown;
  #reopened: { readonly run: unknown; readonly interrupts: readonly unknown[] } | undefined;
  #all: readonly RunnerInterrupt[] = NONE;
  #open: readonly RunnerInterrupt[] = NONE;
  #answers: readonly Answer[] = NONE;

  /** @param read - Reads an interrupt of the protocol. */
  constructor(thread: Thread<S, U>, read: (raw: unknown) => RunnerInterrupt) {
    this.#thread = thread;
    this.#read = read;
  }

  /** All that the run asks. */
  get all(): readonly RunnerInterrupt[] {
    this.#look();
    return this.#all;
  }

  /** Those without an answer. The same array until they change. */
  get open(): readonly RunnerInterrupt[] {
    this.#look();
    return this.#open;
  }

  /** The answers that wait for others. */
  get answers(): readonly Answer[] {
    this.#look();
    return this.#answers;
  }

  /** What the run asks, as the server said it. */
  get raw(): readonly unknown[] | undefined {
    const { run } = this.#thread;
    if (run.status !== "interrupted" && run.status !== "failed") return undefined;
    return run.interrupts ?? (this.#reopened?.run === run ? this.#reopened.interrupts : undefined);
  }

  /** Opens these of a run that failed. */
  reopen(interrupts: readonly unknown[]): void {
    this.#reopened = { run: this.#thread.run, interrupts };
  }

  /** Keeps answers until all is answered, in place of those kept before. */
  keep(answers: readonly Answer[]): void {
    const answered = new Set(answers.map(({ interrupt }) => interrupt));
    this.#open = answers.length === 0 ? this.all : this.all.filter((interrupt) => !answered.has(interrupt));
    this.#answers = answers;
  }

  #look(): void {
    const asked = this.raw;
    if (asked === this.#of) return;
    this.#of = asked;
    this.#all = this.#open = asked?.map(this.#read) ?? NONE;
    this.#answers = NONE;
  }
}
