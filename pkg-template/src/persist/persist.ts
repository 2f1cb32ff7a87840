// Saves a thread as it changes.
import { ThreadfoldError } from "../shared/errors.js";
import type { ThreadView } from "../thread/subagents.js";
import type { AnyThread } from "../thread/thread.js";
import { tell } from "../shared/tell.js";
import { isPromise } from "../shared/is-promise.js";
import { keyOf, type Kept, type Place, save } from "./blocks.js";
import { checked, failure } from "./storage.js";
import type { PersistOptions } from "./types.js";
import { onLeaving, whenIdle } from "./page.js";
import { INSIDE } from "../thread/inside.js";

/**
 * Saves the thread after each change: at most once a second however many tokens come, when the page is idle. Also saves
 * when the page is hidden or left. Changes since the thread was created or last saved are included. Returns a function
 * that stops it; a React effect may return it. Its `flush()` saves pending changes now, and resolves when that is done,
 * or when it failed and `onError` received the error.
 *
 * A failed save is reported as an error. Earlier saves are kept. The next change, `flush()` or leaving the page tries
 * again.
 *
 * A save writes what changed: messages that make 64 KB go into an entry of their own, such as `chat#0`. It is written
 * again when one of its messages, or an earlier one, changes. Tokens cost nothing. Two tabs that save under one name do not notify each other. The
 * last to save wins, and a tab without changes does not save. `tabStorage()` of `threadfold/tabs` keeps them apart.
 *
 * Call it in a page, not on a server. To forget a thread, stop, then call {@link forgetThread}.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a name that is not a string, a storage without `getItem` and `setItem`,
 *   a `throttle` that is not a number of milliseconds, and an option that neither `persist` nor `loadThread` has.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { persist } from "threadfold/persist";
 *
 * const storage = {
 *   getItem: () => null,
 *   setItem: () => {
 *     throw new Error("The quota is full.");
 *   },
 * };
 * const thread = new Thread();
 * const stop = persist(thread, {
 *   name: "chat",
 *   storage,
 *   onError({ code, cause }) {
 *     console.log(code, (cause as Error).message); // STORAGE_FAILED The quota is full.
 *   },
 * });
 * thread.optimistic({ messages: "Hi" });
 * await stop.flush();
 * stop();
 * ```
 *
 * @example
 * ```tsx
 * import { useEffect } from "react";
 * import type { Thread } from "threadfold";
 * import { persist } from "threadfold/persist";
 *
 * export function usePersisted(thread: Thread, name: string) {
 *   useEffect(() => persist(thread, { name, storage: localStorage }), [thread, name]);
 * }
 * ```
 */
export function persist(thread: AnyThread, options: PersistOptions): (() => void) & { flush(): Promise<void> } {
  const { throttle = 1_000 } = checked("persist", options);
  if (!(Number.isFinite(throttle) && throttle >= 0))
    throw new ThreadfoldError("INVALID_ARGUMENT", "The throttle of persist() should be a number of milliseconds.");
  const saver = new Saver(thread, { ...options, throttle });
  return Object.assign(() => saver.stop(), { flush: () => saver.flush() });
}

/** The last save of a thread, or its loading, and the place. */
const lastSaved = new WeakMap<AnyThread, Place & { readonly kept: Kept; readonly looks?: readonly unknown[] }>();

/** Notes what a storage has of a thread that was loaded from it. */
export const noteLoaded = (thread: AnyThread, { name, storage }: Place, kept: Kept): void =>
  void lastSaved.set(thread, { name, storage, kept });

/** Notes that a thread has become one that was loaded. */
export function noteBecame(thread: AnyThread, loaded: AnyThread): void {
  const last = lastSaved.get(loaded);
  if (last) lastSaved.set(thread, { ...last, looks: looksOf(thread) });
}

/** They keep their identity until they change. */
const looksOf = (thread: ThreadView): readonly unknown[] => [
  thread.getState(),
  thread.pending,
  thread.run,
  ...thread.subagents.flatMap((one) => [one, ...looksOf(one.thread)]),
];

/** Whether a thread has changed since it was saved in this place or, if it never was, since it was made. */
function hasChanged(thread: AnyThread, { name, storage }: Place): boolean {
  const looks = lastIn(thread, { name, storage })?.looks;
  if (!looks) return thread.getState() !== thread.getInitialState();
  return looksOf(thread).some((look, at) => look !== looks[at]);
}

function lastIn(thread: AnyThread, { name, storage }: Place) {
  const last = lastSaved.get(thread);
  return last?.name === name && last.storage === storage ? last : undefined;
}

class Saver {
  readonly #thread: AnyThread;
  readonly #options: PersistOptions & { readonly throttle: number };
  readonly #ends: (() => void)[];
  #isUnsaved = false;
  /** The last save failed, and the error was reported. */
  #isFailing = false;
  /** Cancels the save that is due. */
  #cancel: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  /** The thread as it was when `stop` was called during a write. */
  #last: { readonly looks: readonly unknown[]; readonly state: object } | undefined;

  constructor(thread: AnyThread, options: PersistOptions & { readonly throttle: number }) {
    this.#thread = thread;
    this.#options = options;
    this.#ends = [thread.subscribe(() => this.#changed()), onLeaving(() => void this.flush(true))];
    if (hasChanged(thread, options)) this.#changed();
  }

  async flush(isLeaving = false): Promise<void> {
    this.#notice();
    // A storage that answers at once has the thread before the page is gone.
    if (!this.#writing) this.#save(isLeaving);
    while (this.#writing) {
      await this.#writing;
      if (this.#isUnsaved && !this.#isFailing) this.#save();
    }
  }

  stop(): void {
    if (this.#ends.length === 0) return;
    this.#notice();
    // The thread may be freed before the write in progress ends.
    try {
      if (this.#writing && this.#isUnsaved) this.#last = this.#look();
    } catch (error) {
      this.#failed(error);
    }
    void this.flush();
    for (const end of this.#ends.splice(0)) end();
  }

  /** Changes that the thread reports later are saved, too. */
  #notice(): void {
    if (this.#ends.length === 0) return;
    try {
      this.#thread.flush();
      // A sub-agent's tokens do not call the thread's listeners.
      if (this.#thread.subagents.length > 0 && hasChanged(this.#thread, this.#options)) this.#isUnsaved = true;
    } catch {
      // It was freed: nothing more will come.
    }
  }

  #changed(): void {
    this.#isUnsaved = true;
    if (this.#writing) return;
    this.#cancel ??= whenIdle(() => this.#save(), this.#options.throttle);
  }

  /** Saves pending changes, unless a save is in progress. */
  #save(isLeaving = false): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (!this.#isUnsaved || this.#writing) return;
    this.#isUnsaved = false;
    const { name, storage, version = 0 } = this.#options;
    try {
      const { looks, state } = this.#last ?? this.#look();
      const { kept } = lastIn(this.#thread, { name, storage }) ?? {};
      const done = save({ name: keyOf(name), storage }, { state, version }, kept, isLeaving);
      if (isPromise(done)) this.#writing = this.#wait(done, looks);
      else this.#succeeded(done, looks);
    } catch (error) {
      this.#failed(error);
    }
  }

  #look() {
    return { looks: looksOf(this.#thread), state: this.#thread.toJSON() };
  }

  async #wait(done: PromiseLike<Kept>, looks: readonly unknown[]): Promise<void> {
    let isStale = false;
    try {
      const kept = await done;
      isStale = this.#isUnsaved;
      this.#succeeded(kept, looks);
    } catch (error) {
      isStale = this.#isUnsaved;
      this.#failed(error);
    } finally {
      this.#writing = undefined;
    }
    if (isStale && this.#ends.length > 0) this.#changed();
  }

  #succeeded(kept: Kept, looks: readonly unknown[]): void {
    const { name, storage } = this.#options;
    lastSaved.set(this.#thread, { name, storage, kept, looks });
    this.#isFailing = false;
  }

  #failed(cause: unknown): void {
    this.#isUnsaved = true;
    if (this.#isFailing) return;
    this.#isFailing = true;
    const { name, onError } = this.#options;
    const error = failure(`Saving the thread '${name}'`, cause);
    if (onError) tell(onError, error);
    else this.#thread[INSIDE].report(error);
  }
}
