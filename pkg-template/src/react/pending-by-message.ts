// The pending updates of a thread by the messages that they are about, and who listens to those of one message.
import type { PendingUpdate } from "../thread/thread-types.js";

interface Store<U> {
  readonly pending: readonly PendingUpdate<U>[];
  subscribe(listener: () => void): () => void;
}
type Updates<U> = readonly PendingUpdate<U>[];

const NONE: readonly never[] = [];

/** One subscription for all components of a thread: while `pending` stays the same array, a change wakes none of them. */
export class PendingByMessage<U> {
  readonly #thread: Store<U>;
  #pending: Updates<U> = NONE;
  #byId = new Map<string, Updates<U>>();
  /** `pending`, when listeners were last notified. */
  #told: Updates<U> = NONE;
  readonly #listeners = new Map<() => void, { readonly id: string; told: Updates<U> }>();
  #end = () => {};

  constructor(thread: Store<U>) {
    this.#thread = thread;
  }

  /** The same array, until one of them changes. */
  get(id: string): Updates<U> {
    const { pending } = this.#thread;
    if (pending !== this.#pending) this.#read(pending);
    return this.#byId.get(id) ?? NONE;
  }

  add(id: string, listener: () => void): () => void {
    const own = () => listener();
    if (this.#listeners.size === 0) {
      this.#told = this.#thread.pending;
      this.#end = this.#thread.subscribe(() => this.#tell());
    }
    this.#listeners.set(own, { id, told: this.get(id) });
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#end();
    };
  }

  #read(pending: Updates<U>): void {
    const byId = new Map<string, PendingUpdate<U>[]>();
    for (const update of pending) {
      const { messages = [] } = update.update as { messages?: readonly { id: string }[] };
      for (const id of new Set(messages.map((message) => message.id))) {
        const others = byId.get(id);
        if (others) others.push(update);
        else byId.set(id, [update]);
      }
    }
    const before = this.#byId;
    this.#byId = new Map([...byId].map(([id, updates]) => [id, kept(before.get(id), updates)]));
    this.#pending = pending;
  }

  #tell(): void {
    if (this.#thread.pending === this.#told) return;
    this.#told = this.#thread.pending;
    for (const [listener, heard] of [...this.#listeners]) {
      const now = this.get(heard.id);
      if (now === heard.told || !this.#listeners.has(listener)) continue;
      heard.told = now;
      listener();
    }
  }
}

function kept<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  return before?.length === now.length && now.every((item, at) => item === before[at]) ? before : now;
}
