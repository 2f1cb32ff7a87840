// Records what a thread folds, within bounds, and shows the thread as it was.
import { ThreadfoldError } from "../shared/errors.js";
import { isThread } from "../thread/inside.js";
import type { ThreadEvent } from "../thread/thread-events.js";
import type { AnyThread, Thread } from "../thread/thread.js";
import { messagesIn, type RecordedPart } from "./part.js";
import { fileOf, partsOf } from "./recording-file.js";
import { replaying } from "./replaying.js";

/** A replay folds at most so many parts after a record. */
const BETWEEN_RECORDS = 1_000;
/** The oldest parts go when there are more, or more messages in them. */
const MOST_PARTS = 10_000;
const MOST_MESSAGES = 50_000;

/** The parts of a thread's recording, and the thread at each of them. */
export class ThreadRecording<T extends AnyThread = AnyThread> {
  /** The recorded thread. Undefined for one that was imported. */
  readonly thread: T | undefined;
  /** @internal Called for every part. */
  heard: (() => void) | undefined;
  #parts: RecordedPart[] = [];
  #dropped = 0;
  readonly #like: T;
  readonly #ends: (() => void)[] = [];
  /** The parts since listeners were called, and since the last record; the messages in all, and since the last record. */
  #unseen = 0;
  #sinceRecord = 0;
  #messages = 0;
  #messagesSinceRecord = 0;
  #hasBegun = false;
  #isOver = false;
  #current: RecordedPart | undefined;
  #pending: readonly object[] = [];
  #context: unknown;
  #replay: { readonly thread: T; at: number } | undefined;

  /**
   * @internal
   * @param from - The parts of a file; `"later"` for a thread that is still being made, which a saved one may replace.
   */
  constructor(like: T, from?: readonly RecordedPart[] | "later") {
    this.#like = like;
    if (typeof from === "object") {
      this.#parts = [...from];
      return;
    }
    this.thread = like;
    this.#attach(like);
    if (from === "later") queueMicrotask(() => this.begin());
    else this.begin();
  }

  /** The parts, in order, the oldest first. Same array until the oldest are dropped; it grows in place. */
  get parts(): readonly RecordedPart[] {
    return this.#parts;
  }

  /** How many older parts were dropped. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Returns a thread as it was after the part at this place of {@link ThreadRecording.parts}. It is yours to read until
   * the next call. Folds at most 1,000 parts.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a place that the recording does not have.
   */
  at(place: number): T {
    const parts = this.#parts;
    if (!parts[place])
      throw new ThreadfoldError("INVALID_ARGUMENT", `at(${place}): the recording has ${parts.length} parts.`);
    let from = place;
    while (from > 0 && !parts[from]?.record) from--;
    const last = this.#replay;
    return replaying(() => {
      if (!last || last.at > place || last.at < from) this.#restart(from);
      const { thread, at } = this.#replay as { thread: T; at: number };
      for (let next = at + 1; next <= place; next++) {
        const event = parts[next]?.event;
        if (event) thread.receive(event);
      }
      this.#replay = { thread, at: place };
      return thread;
    });
  }

  #restart(from: number): void {
    this.#replay?.thread.dispose();
    const { schema, constructor } = this.#like;
    const record = this.#parts[from]?.record ?? {};
    const thread = (constructor as typeof Thread).fromJSON(record, schema && { schema }) as AnyThread as T;
    // Without a listener, the thread would log again what could not be folded.
    thread.on("error", () => {});
    this.#replay = { thread, at: from };
  }

  /**
   * Returns the recording as JSON, for {@link importRecording}. It is the record of the thread at its end, too: `npx
   * threadfold inspect` and `Thread.fromJSON` read it.
   */
  toJSON(): object {
    return fileOf(this.thread?.isDisposed === false ? this.thread.toJSON() : {}, this.#parts, this.#dropped);
  }

  /** Stops recording. The recorded parts stay. */
  dispose(): void {
    this.#isOver = true;
    for (const end of this.#ends.splice(0)) end();
    this.#forgetReplay();
  }

  #forgetReplay(): void {
    this.#replay?.thread.dispose();
    this.#replay = undefined;
  }

  #attach(thread: AnyThread): void {
    const { receive, update } = thread;
    const own = {
      receive: (event: ThreadEvent) => {
        // Somebody who wrapped the method since may still call this one.
        if (this.#isOver) return receive.call(thread, event);
        this.begin();
        return this.#fold(event, () => receive.call(thread, event));
      },
      update: (values: object) => {
        this.begin();
        // Listeners are called before `update` returns, and see a change that no part made.
        this.#unseen = 0;
        update.call(thread, values);
      },
    };
    const before = Object.fromEntries(
      Object.entries({ receive, update }).filter(([name]) => Object.hasOwn(thread, name)),
    );
    Object.assign(thread, own);
    this.#ends.push(() => {
      for (const name of ["receive", "update"] as const) {
        if (thread[name] !== own[name]) continue;
        delete (thread as Partial<AnyThread>)[name];
        if (name in before) Object.assign(thread, { [name]: before[name] });
      }
    });
  }

  /** @internal */
  begin(): void {
    const { thread } = this;
    if (this.#hasBegun || this.#isOver || !thread || thread.isDisposed) return;
    this.#hasBegun = true;
    this.#pending = thread.pending;
    this.#context = thread.context;
    this.#add({ at: Date.now(), kind: "start", record: recordOf(thread) });
    this.#unseen = 0;
    this.#ends.push(
      thread.subscribe(() => this.#changed(thread)),
      thread.on("drift", ({ patch }) => {
        if (this.#last) this.#last.drift = patch;
      }),
      thread.on("error", (error) => {
        // The thread logs only what nobody listens for.
        console.warn(`threadfold: ${error.message}`, error);
        if (this.#last) this.#last.error = { code: error.code, message: error.message };
      }),
      thread.on("doubt", ({ field, reason }) => {
        if (this.#last) this.#last.doubts = [...(this.#last.doubts ?? []), `${field}: ${reason}`];
      }),
    );
  }

  /** The part that is being folded, or the last one: a fold reports some things after its part. */
  get #last(): RecordedPart | undefined {
    return this.#current ?? this.#parts.at(-1);
  }

  #fold(event: ThreadEvent, fold: () => boolean): boolean {
    const outer = this.#current;
    const part: RecordedPart = { at: Date.now(), kind: String((event as ThreadEvent | undefined)?.type), event };
    this.#current = part;
    // Before its listeners fold more.
    this.#parts.push(part);
    try {
      const isFolded = fold();
      this.#count(part);
      return isFolded;
    } catch (error) {
      this.#parts.splice(this.#parts.lastIndexOf(part), 1);
      throw error;
    } finally {
      this.#current = outer;
    }
  }

  #add(part: RecordedPart): void {
    this.#parts.push(part);
    this.#count(part);
  }

  #count(part: RecordedPart): void {
    const messages = messagesIn(part.event);
    this.#unseen++;
    this.#sinceRecord++;
    this.#messages += messages;
    this.#messagesSinceRecord += messages;
    const { thread } = this;
    const isDue = this.#sinceRecord >= BETWEEN_RECORDS || this.#messagesSinceRecord >= MOST_MESSAGES / 5;
    if (isDue && thread && part === this.#parts.at(-1)) part.record = recordOf(thread);
    if (part.record && thread) {
      part.status = thread.run.status;
      this.#sinceRecord = this.#messagesSinceRecord = 0;
    }
    if (this.#parts.length > MOST_PARTS || this.#messages > MOST_MESSAGES) this.#dropOldest();
    this.heard?.();
  }

  #dropOldest(): void {
    const next = this.#parts.findIndex((part, at) => at > 0 && part.record);
    if (next < 0) return;
    const gone = this.#parts.slice(0, next);
    this.#parts = this.#parts.slice(next);
    this.#dropped += next;
    this.#messages -= gone.reduce((sum, { event }) => sum + messagesIn(event), 0);
    this.#forgetReplay();
  }

  /** Records a change that the parts alone do not make: what the user sent, a rollback, an update of the page's. */
  #changed(thread: AnyThread): void {
    const { pending, context } = thread;
    const isOwn = this.#unseen === 0;
    if (isOwn || pending !== this.#pending || context !== this.#context) {
      const kind = pending === this.#pending ? "change" : "pending";
      this.#pending = pending;
      this.#context = context;
      this.#add({ at: Date.now(), kind, note: noteOf(kind, thread), record: recordOf(thread) });
    }
    this.#unseen = 0;
  }
}

/**
 * Records what a thread folds and what the page changes: the last 10,000 parts, and the thread at each of them. A part
 * that is recorded costs under a microsecond.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but a thread, `DISPOSED`.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { recordThread } from "threadfold/devtools";
 *
 * const thread = new Thread();
 * const recording = recordThread(thread);
 * thread.optimistic({ messages: "Hi" });
 * thread.receive({ type: "run-started", runId: "r1" });
 * thread.receive({ type: "message", message: { type: "ai", id: "a", content: "" }, streaming: true });
 * thread.receive({ type: "text", messageId: "a", text: "Hello" });
 * console.log(recording.parts.map(({ kind }) => kind).join()); // start,pending,run-started,message,text
 * console.log(recording.at(1).pending.length, recording.at(1).getState().messages.length); // 1 1
 * console.log(recording.at(4).getMessage("a")?.content); // Hello
 * ```
 */
export function recordThread<T extends AnyThread>(thread: T): ThreadRecording<T> {
  if (!isThread(thread))
    throw new ThreadfoldError("INVALID_ARGUMENT", "recordThread: expected a thread, such as new Thread().");
  return new ThreadRecording(thread);
}

/**
 * Makes a recording from JSON that {@link ThreadRecording.toJSON} returned.
 *
 * @param like - A thread of the same schema.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but such a recording.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { importRecording, recordThread } from "threadfold/devtools";
 *
 * const thread = new Thread();
 * const recording = recordThread(thread);
 * thread.update({ messages: "Hi" });
 * const file = JSON.stringify(recording);
 * const imported = importRecording(JSON.parse(file), new Thread());
 * console.log(imported.at(1).getState().messages[0]?.content); // Hi
 * ```
 */
export function importRecording<T extends AnyThread>(file: unknown, like: T): ThreadRecording<T> {
  return new ThreadRecording(like, partsOf(file));
}

function noteOf(kind: string, { pending }: AnyThread): string {
  if (kind === "change") return "changed by the page";
  const counts = ["pending", "sent", "failed"].flatMap((status) => {
    const count = pending.filter((update) => update.status === status).length;
    return count > 0 ? [`${count} ${status}`] : [];
  });
  return counts.join(", ") || "none pending";
}

/** A thread with a circular value has no record: a replay then starts before it. */
function recordOf(thread: AnyThread): object | undefined {
  try {
    return thread.toJSON();
  } catch {
    return undefined;
  }
}
