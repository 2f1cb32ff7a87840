// The threads that devtools know: new ones show themselves, open conversations are looked up, others are added.
import { ThreadfoldError } from "../shared/errors.js";
import { DEVTOOLS } from "../shared/devtools-hook.js";
import { OPENED } from "../open/opened-key.js";
import { isThread } from "../thread/inside.js";
import type { AnyThread } from "../thread/thread.js";
import { ThreadRecording } from "./recording.js";
import { isReplaying } from "./replaying.js";

/** A runner, as devtools read it. */
export interface ShownRunner {
  readonly thread: AnyThread;
  readonly status?: string;
  readonly error?: Error | undefined;
}

/** Options of {@link Devtools.add}. */
export interface AddOptions {
  /** The thread's name in the panel. Default: its `threadId`. */
  readonly name?: string | undefined;
  /** Returns the thread's checkpoints, the latest first: `(id) => client.threads.getHistory(id)`, for one. */
  readonly checkpoints?: ((threadId: string | undefined) => unknown) | undefined;
}

/** A thread in the panel. */
export interface Found {
  readonly recording: ThreadRecording;
  readonly number: number;
  name?: string | undefined;
  checkpoints?: AddOptions["checkpoints"];
  runner?: ShownRunner | undefined;
}

type Page = { [DEVTOOLS]?: ((made: object) => void) | undefined; [OPENED]?: Map<string, { runner: ShownRunner }> };

/** All threads of a page. Holds only weakly what the page may forget. */
export class FoundThreads {
  readonly #byThread = new WeakMap<AnyThread, Found>();
  #all: WeakRef<Found>[] = [];
  readonly #imported: Found[] = [];
  #number = 0;
  #changed: (() => void) | undefined;

  /** Shows new threads and runners, and those that are open. */
  listen(): void {
    const page = globalThis as Page;
    page[DEVTOOLS] = (made) => {
      if (isReplaying()) return;
      if (isThread(made)) this.#find(made as AnyThread, true);
      else this.#take(made as ShownRunner);
    };
    for (const { runner } of page[OPENED]?.values() ?? []) this.#take(runner);
  }

  /** Calls back after each part of any thread; nothing is called back without one. */
  onChange(changed: (() => void) | undefined): void {
    this.#changed = changed;
    for (const { recording } of this.list()) recording.heard = changed;
  }

  /** The threads that are alive, and imported recordings. */
  list(): Found[] {
    const alive = this.#all.flatMap((ref) => {
      const found = ref.deref();
      return found?.recording.thread?.isDisposed === false ? [found] : [];
    });
    if (alive.length < this.#all.length) this.#all = alive.map((found) => new WeakRef(found));
    for (const { recording } of alive)
      for (const { thread, name } of recording.thread?.subagents ?? []) {
        const child = this.#find(thread as AnyThread, false);
        child.name ??= name && `${name} (sub-agent)`;
      }
    return [...alive, ...this.#imported];
  }

  add(target: AnyThread | ShownRunner, { name, checkpoints }: AddOptions): Found {
    const runner = isThread(target) ? undefined : (target as ShownRunner);
    const thread = runner ? runner.thread : (target as AnyThread);
    if (!isThread(thread))
      throw new ThreadfoldError("INVALID_ARGUMENT", "add: expected a thread, or a runner with a thread.");
    const found = this.#find(thread, false);
    found.runner = runner ?? found.runner;
    found.name = name ?? found.name;
    found.checkpoints = checkpoints ?? found.checkpoints;
    return found;
  }

  addImported(recording: ThreadRecording, name: string): Found {
    const found = { recording, name, number: ++this.#number };
    this.#imported.push(found);
    return found;
  }

  remove(found: Found): void {
    found.recording.dispose();
    this.#all = this.#all.filter((ref) => ref.deref() !== found);
    if (found.recording.thread) this.#byThread.delete(found.recording.thread);
  }

  dispose(): void {
    delete (globalThis as Page)[DEVTOOLS];
    for (const ref of this.#all) ref.deref()?.recording.dispose();
    this.#all = [];
  }

  #take(runner: ShownRunner): void {
    if (isThread(runner.thread)) this.#find(runner.thread, true).runner = runner;
  }

  #find(thread: AnyThread, isNew: boolean): Found {
    let found = this.#byThread.get(thread);
    if (!found) {
      found = { recording: new ThreadRecording(thread, isNew ? "later" : undefined), number: ++this.#number };
      found.recording.heard = this.#changed;
      this.#byThread.set(thread, found);
      this.#all.push(new WeakRef(found));
      this.#changed?.();
    }
    if (!isNew) found.recording.begin();
    return found;
  }
}
