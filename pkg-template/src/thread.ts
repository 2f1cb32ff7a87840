import * as core from "#core";
import { development } from "./development.js";
import { option, ThreadfoldError } from "./errors.js";
import type { PatchOperation } from "./patch.js";
import { Schema } from "./schema.js";
import type { ThreadEvent } from "./thread-events.js";
import type {
  OptimisticUpdate,
  PendingUpdate,
  SchemaFor,
  ThreadListeners,
  ThreadOptions,
  ThreadRecord,
  ThreadRun,
  ThreadState,
  ThreadUpdate,
} from "./thread-types.js";

/** What a thread is asked for, by the core's numbers. */
const ASK = {
  state: 0,
  confirmed: 1,
  pending: 2,
  record: 3,
  message: 4,
  update: 5,
  optimistic: 6,
  settle: 7,
  fail: 8,
  retry: 9,
  rollback: 10,
  text: 11,
  receive: 12,
  relocate: 13,
} as const;

/** How a thread is made: from a record, without a schema. */
const RECORDED = 1;
const OPEN = 2;

/**
 * A conversation with an agent, shown at once and kept in sync with the server that owns it. Shaped like a zustand
 * store: `getState`, `getInitialState` and `subscribe` fit whatever works with one.
 *
 * The server's events go to {@link Thread.receive}, by way of an adapter such as `foldAgUi` of `threadfold/ag-ui` or
 * `foldRun` of `threadfold/langgraph`. What the user does goes to {@link Thread.optimistic}: it shows at once, and is
 * over when the server's state holds it. Whatever did not change is the same object in the next state.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 *
 * const thread = new Thread();
 * const op = thread.optimistic({ messages: [{ type: "human", id: "q", content: "Hi" }] });
 * console.log(thread.getState().messages.length, thread.confirmed.messages.length); // 1 0
 *
 * thread.receive({ type: "run-started", runId: "r1" });
 * thread.receive({ type: "message", message: { type: "ai", id: "a", content: "" }, streaming: true });
 * thread.receive({ type: "text", messageId: "a", text: "Hello" });
 * thread.receive({ type: "values", values: {
 *   messages: [{ type: "human", id: "q", content: "Hi" }, { type: "ai", id: "a", content: "Hello" }],
 * } });
 * console.log(op.status, thread.getState().messages.map((message) => message.content)); // done [ 'Hi', 'Hello' ]
 * ```
 */
export class Thread<S extends object = ThreadState, U extends object = ThreadUpdate<S>> {
  /** The server's name for the thread. */
  threadId: string | undefined;
  /** The schema that the thread was made with. */
  readonly schema: SchemaFor<S, U> | undefined;
  #raw: core.RawThread | undefined;
  readonly #arena = new core.Arena();
  /** How many calls are under way: a reducer, a getter or a listener may come back here. */
  #calls = 0;
  #initial: S;
  /** What listeners were told last. */
  #told: S;
  #run: ThreadRun | undefined;
  #seen = new Set<string>();
  #telling = false;
  readonly #listeners = new Set<(state: S, previous: S) => void>();
  readonly #others = { drift: new Set<ThreadListeners["drift"]>(), error: new Set<ThreadListeners["error"]>() };

  /**
   * @throws {@link ThreadfoldError} what the fields' reducers throw, for `values` that they do not take.
   */
  constructor(options?: ThreadOptions<S, U>) {
    this.schema = option(options, "schema");
    const schema = this.schema as Schema<unknown> | undefined;
    this.threadId = option(options, "threadId");
    const values = readable("The thread's schema or values", () => {
      if (schema && !(schema instanceof Schema)) throw new ThreadfoldError("INVALID_VALUE", "A thread's schema should be one that defineSchema made.");
      const given = option(options, "values");
      if (given !== undefined && typeof given !== "object") throw new ThreadfoldError("INVALID_VALUE", "A thread's values should be an object.");
      return { ...schema?.initial(), ...given };
    });
    this.#raw = make(this.#arena, schema, values);
    this.#initial = this.#told = this.getState();
  }

  /** The state to show: what is confirmed, with what is pending over it. The same object, until something changes. */
  getState(): S {
    return shown(this.#call((raw) => ask(raw, ASK.state) as S));
  }

  /** The state that the thread was made with. */
  getInitialState(): S {
    return this.#initial;
  }

  /** What the server said, and what {@link Thread.update} added. */
  get confirmed(): S {
    return shown(this.#call((raw) => ask(raw, ASK.confirmed) as S));
  }

  /** The updates that the server's state does not hold, in their order. */
  get pending(): readonly PendingUpdate<U>[] {
    return this.#call((raw) => ask(raw, ASK.pending) as PendingUpdate<U>[]);
  }

  /** Where the last run stands; nothing before the first. */
  get run(): ThreadRun | undefined {
    return this.#run;
  }

  /** A confirmed message, as it is at this moment; it is not to be changed. No matter how long the thread is. */
  message(id: string): object | undefined {
    return this.#call((raw) => ask(raw, ASK.message, id) as object | undefined);
  }

  /**
   * Adds to the confirmed state, by the fields' reducers. What is added during a run outlasts a replay of the run.
   *
   * @throws {@link ThreadfoldError} what the fields' reducers throw; the state is then as it was.
   */
  update(update: U): void {
    this.#call((raw) => ask(raw, ASK.update, update));
    this.#tell();
  }

  /**
   * Shows an update that the server does not know yet. It is over when the server's state holds what it wrote: a
   * message of the same id, an equal value of another field; or when a run brings a new message with the content of
   * one that it sent, which is then the same message, renamed by the server. It fails when a run fails before that.
   *
   * @throws {@link ThreadfoldError} `NOT_INPUT` for a field that is not input or not in the schema, and what the
   *   fields' reducers throw; nothing is then shown.
   */
  optimistic(update: U): OptimisticUpdate {
    const id = this.#call((raw) => ask(raw, ASK.optimistic, update) as string);
    this.#tell();
    return this.optimisticUpdate(id);
  }

  /** The optimistic update with this id in your hand again, such as one of {@link Thread.pending} after a reload. */
  optimisticUpdate(id: string): OptimisticUpdate {
    const find = () => this.pending.find((pending) => pending.id === id);
    const change = (how: number, error?: unknown) => {
      this.#call((raw) => ask(raw, how, id, error));
      this.#tell();
    };
    return {
      id,
      get status() {
        return find()?.status ?? "done";
      },
      settle: () => change(ASK.settle),
      fail: (error) => change(ASK.fail, error),
      rollback: () => change(ASK.rollback),
      retry: () => change(ASK.retry),
    };
  }

  /**
   * Folds one server event. One that cannot be folded goes to the `error` listeners; the state is then as it was,
   * and the stream may go on.
   */
  receive(event: ThreadEvent): void {
    try {
      if (this.#isNew(event)) this.#fold(event);
    } catch (cause) {
      if (cause instanceof ThreadfoldError && cause.code === "DISPOSED") throw cause;
      this.report(cause instanceof ThreadfoldError ? cause : unreadable("An event", cause), event);
    }
    this.#tell();
  }

  #fold(event: ThreadEvent): void {
    if (event.type === "text") {
      this.#call((raw) => ask(raw, ASK.text, event.messageId, event.text));
      return;
    }
    const patch = this.#call((raw) => ask(raw, ASK.receive, event) as PatchOperation[] | undefined);
    if (event.type === "run-started") this.#run = { ...this.#run, runId: event.runId, status: "running" };
    else if (event.type === "run-finished") this.#run = { ...this.#run, status: "idle" };
    else if (event.type === "run-failed") this.#run = { ...this.#run, status: "failed" };
    if (patch) for (const listener of [...this.#others.drift]) this.#safely(() => listener({ patch, event }));
  }

  /** Whether this run has not had the part before; notes its id. */
  #isNew(event: ThreadEvent): boolean {
    if (typeof event !== "object" || event === null) throw new ThreadfoldError("INVALID_VALUE", "An event should be an object.");
    const id = text(event.id);
    const key = text(event.key) ?? id;
    if (event.type === "run-started") {
      const another = event.runId === undefined || event.runId !== this.#run?.runId;
      // From the run's start again, parts that had been folded are folded again.
      if (another || (key === undefined && this.#seen.size > 0)) this.#seen.clear();
      if (another) this.#run = undefined;
    }
    if (key !== undefined) {
      if (this.#seen.has(key)) return false;
      this.#seen.add(key);
    }
    if (id !== undefined) this.#run = { status: "running", ...this.#run, lastEventId: id };
    return true;
  }

  /** Whether the thread's run has had the part with this key (or, if it has none, this `id`). */
  had(key: string): boolean {
    return this.#seen.has(key);
  }

  /** Tells the `error` listeners of something that could not be folded. */
  report(error: ThreadfoldError, event?: unknown): void {
    for (const listener of [...this.#others.error]) this.#safely(() => listener(error, event));
  }

  /**
   * Has a function called with the new and the previous state after each change of what is shown.
   *
   * @returns what ends it.
   */
  subscribe(listener: (state: S, previous: S) => void): () => void {
    const own = (state: S, previous: S) => listener(state, previous);
    // While nobody listened nothing was told: what changed then is no news to who comes now.
    if (this.#listeners.size === 0) this.#told = this.getState();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /**
   * Has a function called on `drift`, a snapshot that contradicts what was folded before it, or on `error`, an event
   * that could not be folded.
   *
   * @returns what ends it.
   */
  on<K extends keyof ThreadListeners>(kind: K, listener: ThreadListeners[K]): () => void {
    const isKnown = kind === "drift" || kind === "error";
    const listeners = (isKnown ? this.#others[kind] : undefined) as Set<ThreadListeners[K]> | undefined;
    if (!listeners) throw new ThreadfoldError("INVALID_VALUE", "A thread tells of 'drift' and 'error'.");
    const own = ((...args: Parameters<ThreadListeners[K]>) => (listener as (...args: unknown[]) => void)(...args)) as ThreadListeners[K];
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  /** All of the thread, for {@link Thread.fromJSON}: what is confirmed and pending, and where its run stands. */
  toJSON(): ThreadRecord {
    const record = this.#call((raw) => ask(raw, ASK.record) as object);
    return {
      version: 1,
      threadId: this.threadId,
      ...record,
      position: this.#run ?? null,
      seen: [...this.#seen],
    } as unknown as ThreadRecord;
  }

  /**
   * A thread from what {@link Thread.toJSON} gave, also by way of JSON.
   *
   * @throws {@link ThreadfoldError} `INVALID_VALUE` for what is no such record.
   *
   * @example
   * ```ts
   * import { Thread } from "threadfold";
   *
   * const thread = new Thread({ threadId: "t1" });
   * thread.optimistic({ messages: "Hi" });
   * const again = Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
   * console.log(again.threadId, again.getState().messages[0]?.content, again.pending.length); // t1 Hi 1
   * ```
   */
  static fromJSON<S extends object = ThreadState, U extends object = ThreadUpdate<S>>(
    record: object,
    options?: { schema?: SchemaFor<S, U> | undefined },
  ): Thread<S, U> {
    const schema = option(options, "schema") as Schema<unknown> | undefined;
    const { threadId, position, seen } = readable("The record", () => {
      const { threadId, position, seen } = record as Partial<ThreadRecord>;
      return { threadId: text(threadId), position: { ...position }, seen: Array.isArray(seen) ? seen.filter((key) => text(key) !== undefined) : [] };
    });
    const thread = new Thread<S, U>({ schema: schema as SchemaFor<S, U> | undefined, threadId });
    const raw = make(thread.#arena, schema, record, true);
    thread.#raw?.free();
    thread.#raw = raw;
    if (position.status !== undefined) thread.#run = position as ThreadRun;
    thread.#seen = new Set(seen);
    thread.#initial = thread.#told = thread.getState();
    return thread;
  }

  /** Gives the handle into WebAssembly memory up. Whatever is called after it throws `DISPOSED`. */
  free(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    this.#listeners.clear();
    if (this.#calls === 0) raw?.free();
  }

  [Symbol.dispose](): void {
    this.free();
  }

  /** Every change is made before a listener hears of it; what a listener changes is told after it returns. */
  #tell(): void {
    if (this.#telling || this.#listeners.size === 0) return;
    this.#telling = true;
    try {
      for (let rounds = 0; rounds < 100 && this.#raw; rounds++) {
        const state = this.getState();
        const previous = this.#told;
        if (state === previous) return;
        this.#told = state;
        for (const listener of [...this.#listeners]) {
          if (this.#listeners.has(listener)) this.#safely(() => listener(state, previous));
        }
      }
    } finally {
      this.#telling = false;
    }
  }

  /** A listener's error is its own: it must not stop the others, nor the stream. */
  #safely(call: () => void): void {
    try {
      call();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #call<T>(use: (raw: core.RawThread) => T): T {
    const raw = this.#raw;
    if (!raw) throw new ThreadfoldError("DISPOSED", "This Thread was given up by free().");
    if (this.#calls > 0) throw new ThreadfoldError("BUSY", "This Thread is being changed.");
    this.#calls++;
    try {
      return this.#arena.call(() => use(raw), () => ask(raw, ASK.relocate));
    } finally {
      this.#calls--;
      if (!this.#raw) raw.free();
    }
  }
}

/** A thread of the core's, from values or from a record. */
function make(arena: core.Arena, schema: Schema<unknown> | undefined, from: object, recorded = false): core.RawThread | undefined {
  const none = schema ? undefined : new core.RawSchema();
  try {
    const how = (recorded ? RECORDED : 0) + (none ? OPEN : 0);
    return arena.call(() => core.RawThread.make(none ?? Schema.handle(schema as Schema<unknown>), core.hold(from), how));
  } finally {
    none?.free();
  }
}

function ask(raw: core.RawThread, what: number, first?: unknown, second?: unknown): unknown {
  return core.value(raw.ask(what, core.hold(first), core.hold(second)));
}

/** In development what was handed out is frozen, so that a change to it is seen where it is made. */
function shown<S extends object>(state: S): S {
  if (!development || Object.isFrozen(state)) return state;
  Object.freeze(state);
  const { messages } = state as { messages?: readonly object[] };
  if (Array.isArray(messages) && messages.length <= 256 && !Object.isFrozen(messages)) {
    Object.freeze(messages);
    for (const message of messages) if (isPlain(message)) Object.freeze(message);
  }
  return state;
}

/** What is read from what a caller gave, who may have put anything there. */
function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof ThreadfoldError ? cause : unreadable(what, cause);
  }
}

function unreadable(what: string, cause: unknown): ThreadfoldError {
  return new ThreadfoldError("UNREADABLE_VALUE", `${what} could not be read: see the cause.`, { cause });
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Somebody's instance is left alone. */
function isPlain(message: unknown): message is object {
  return typeof message === "object" && message !== null && Object.getPrototypeOf(message) === Object.prototype;
}

