import { type InboxMessage, RunInbox } from "../../shared/run-inbox.js";
import {
  isGone,
  type NewRun,
  type NumberedPart,
  type Part,
  type RunKey,
  type RunLease,
  type RunStore,
} from "./run-store.js";

/** A run that this program works on: it writes the run's parts into the store, in order. */
export class WorkedRun implements RunKey {
  readonly id: string;
  readonly threadId: string;
  /** The identity that its thread belongs to, if that is known. */
  readonly owner: string | undefined;
  /** The messages that its user sends into it. */
  readonly inbox = new RunInbox();
  /** Stops the run. */
  readonly stop = new AbortController();
  /** Resolves when the run is over. */
  readonly over: Promise<void>;
  readonly #store: RunStore;
  #lease: RunLease | undefined;
  #settle: () => void = () => {};
  #hasEnded = false;
  /** Parts that wait until those before them are written. */
  #waiting: Part[] = [];
  #writing: Promise<void> | undefined;
  #failure: unknown;

  #letKnow: () => void = () => {};
  /** Resolves once the store has the run, or has refused it. */
  readonly begun = new Promise<void>((resolve) => (this.#letKnow = resolve));

  constructor(store: RunStore, { threadId, id }: RunKey, owner: string | undefined) {
    this.#store = store;
    this.threadId = threadId;
    this.id = id;
    this.owner = owner;
    this.over = new Promise((resolve) => (this.#settle = resolve));
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether a store keeps the run. */
  isIn(store: RunStore): boolean {
    return this.#store === store;
  }

  /** The run's place in the store; undefined before it has one. */
  get lease(): RunLease | undefined {
    return this.#lease;
  }

  /**
   * Puts the run into the store. If the store refuses it, the run is over.
   *
   * @param run - With `owner`, if its thread has turned out to be another user's.
   * @returns The thread's runs that were under way.
   */
  async begin(run: Pick<NewRun, "server" | "about" | "isAlone"> & Partial<NewRun>): Promise<readonly RunKey[]> {
    const { threadId, id, owner } = this;
    try {
      this.#lease = await this.#store.begin(
        { owner, ...run, threadId, id },
        () => this.stop.abort(),
        (text) => this.take(text),
      );
      return this.#lease.before;
    } catch (error) {
      this.drop();
      throw error;
    } finally {
      this.#letKnow();
    }
  }

  /** Takes messages that were sent to the run. */
  take(text: string): void {
    this.inbox.add(JSON.parse(text) as InboxMessage[]);
  }

  /** Continues a run that the store leased to this program. */
  continue(lease: RunLease): void {
    this.#lease = lease;
    this.#letKnow();
  }

  /** Renews its lease. A run that another instance continues stops here. */
  async renew(): Promise<void> {
    if (!this.#lease || this.#hasEnded) return;
    try {
      await this.#store.renew(this.#lease);
    } catch (error) {
      if (!isGone(error)) throw error;
      this.#fail(error);
    }
  }

  /** Writes a part after those before it. A store that fails, or has given the run to another instance, stops the run. */
  add(part: Part): void {
    this.#waiting.push(part);
    this.#writing ??= this.#write();
  }

  /** Replaces the facts about the run. */
  async update(about: object): Promise<void> {
    try {
      if (this.#lease) await this.#store.update(this.#lease, about);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ends the run in the store, after its last part. */
  async end(about: object): Promise<void> {
    await this.#writing;
    try {
      const ending = this.#lease && this.#failure === undefined && this.#store.end(this.#lease, about);
      // At once: a follower may know of the end before this program's next turn.
      this.#hasEnded = true;
      await ending;
    } catch (error) {
      this.#fail(error);
    }
    this.drop();
  }

  /** Ends the run in this program alone: another one has it, or nobody. */
  drop(): void {
    this.#letKnow();
    this.#hasEnded = true;
    this.#settle();
  }

  /** The run's parts after a number, as they come. */
  follow(after: number, signal?: AbortSignal): AsyncIterable<NumberedPart> {
    return this.#store.follow(this.#lease ?? this, after, signal);
  }

  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0 && this.#lease && this.#failure === undefined) {
        const parts = this.#waiting;
        this.#waiting = [];
        await this.#store.append(this.#lease, parts);
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#writing = undefined;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.stop.abort();
  }
}
