import type { Thread } from "../thread/thread.js";
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
  readonly #answers = new Map<RunnerInterrupt, Answer>();
  readonly #byId = new Map<unknown, RunnerInterrupt>();

  /** @param read - Reads an interrupt of the protocol. */
  constructor(thread: Thread<S, U>, read: (raw: unknown) => RunnerInterrupt) {
    this.#thread = thread;
    this.#read = read;
  }

  /** Those without an answer. The same array until they change. */
  get open(): readonly RunnerInterrupt[] {
    this.#look();
    return this.#open;
  }

  /** Returns the first question with this id, whether or not an answer to it waits. */
  named(id: string): RunnerInterrupt | undefined {
    this.#look();
    return this.#byId.get(id);
  }

  /** Returns the answers that wait and these, in the order of the questions; undefined if some are still open. */
  whole(given: ReadonlyMap<RunnerInterrupt, Answer>): Answer[] | undefined {
    this.#look();
    const known = this.#answers;
    const more = [...given.keys()].filter((interrupt) => !known.has(interrupt));
    if (known.size + more.length < this.#all.length) return undefined;
    return this.#all.flatMap((interrupt) => given.get(interrupt) ?? known.get(interrupt) ?? []);
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

  /** Keeps answers until all is answered. */
  keep(given: ReadonlyMap<RunnerInterrupt, Answer>): void {
    this.#look();
    for (const [interrupt, answer] of given) this.#answers.set(interrupt, answer);
    this.#open = this.#open.filter((interrupt) => !given.has(interrupt));
  }

  /** Forgets the answers that wait: all is open. */
  forget(): void {
    this.#look();
    if (this.#answers.size > 0) this.#open = this.#all;
    this.#answers.clear();
  }

  #look(): void {
    const asked = this.raw;
    if (asked === this.#of) return;
    this.#of = asked;
    this.#all = this.#open = asked?.map(this.#read) ?? NONE;
    this.#answers.clear();
    this.#byId.clear();
    // Of several with one id it is the first.
    for (const one of this.#all) if (!this.#byId.has(one.id)) this.#byId.set(one.id, one);
  }
}
