import { development, handedOut } from "./development.js";
import { option, reading, ThreadfoldError } from "./errors.js";
import type { MessageIn } from "./messages.js";
import { choice } from "./options.js";
import type { PatchOperation } from "./patch.js";
import { Schema } from "./schema.js";
import type { ThreadEvent } from "./thread-events.js";
import type {
  OptimisticOptions,
  OptimisticUpdate,
  PendingStatus,
  PendingUpdate,
  SchemaFor,
  ThreadListeners,
  ThreadOptions,
  ThreadRecord,
  ThreadRun,
  ThreadState,
  ThreadUpdate,
} from "./thread-types.js";
import { ASK, ThreadCore } from "./thread/core.js";
import { messagesById } from "./thread/messages-by-id.js";
import { Notifier, tellAll } from "./thread/notifier.js";
import { RecentParts } from "./thread/recent-parts.js";
import { recordOf, refuseCircles, VERSION, withPlainError } from "./thread/record.js";
import { RunPosition } from "./thread/run-position.js";
import { inFrame, inTask } from "./thread/schedule.js";
import { ServerFields } from "./thread/server-fields.js";

/**
 * A conversation with an agent, shown at once and kept in sync with the server that owns it. Shaped like a zustand
 * store: `getState`, `getInitialState` and `subscribe` fit whatever works with one, and can be handed around alone.
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
  #core: ThreadCore;
  #initial: S;
  #streaming: readonly string[] = [];
  #position = new RunPosition();
  #parts = new RecentParts();
  #server = new ServerFields();
  readonly #notifier: Notifier<S>;
  readonly #byId = messagesById<S, MessageIn<S>>((listener) => this.#notifier.add(listener));
  readonly #listeners = { drift: new Set<ThreadListeners["drift"]>(), error: new Set<ThreadListeners["error"]>() };

  /**
   * @throws {@link ThreadfoldError} what the fields' reducers throw, for `values` that they do not take.
   */
  constructor(options?: ThreadOptions<S, U>) {
    this.schema = option(options, "schema");
    const schema = this.schema as Schema<unknown> | undefined;
    this.threadId = option(options, "threadId");
    const notify = choice(options, "notify", ["task", "frame"]);
    const values = reading(() => {
      if (schema && !(schema instanceof Schema))
        throw new ThreadfoldError("INVALID_VALUE", "A thread's schema should be one that defineSchema made.");
      const given = option(options, "values");
      if (given !== undefined && typeof given !== "object")
        throw new ThreadfoldError("INVALID_VALUE", "A thread's values should be an object.");
      return Schema.start(schema, given);
    });
    this.#core = new ThreadCore(schema, values, "values");
    const look = () => ({ state: this.getState(), pending: this.pending, run: this.run });
    this.#notifier = new Notifier<S>(look, notify === 0 ? inTask : inFrame);
    this.#initial = this.getState();
    // What libraries for stores take and call alone.
    this.getState = this.getState.bind(this);
    this.getInitialState = this.getInitialState.bind(this);
    this.subscribe = this.subscribe.bind(this);
  }

  /** The state to show: what is confirmed, with what is pending over it. The same object, until something changes. */
  getState(): S {
    return handedOut(this.#core.ask<S>(ASK.state));
  }

  /** The state that the thread was made with. */
  getInitialState(): S {
    return this.#initial;
  }

  /** What the server said, and what {@link Thread.update} added. */
  get confirmed(): S {
    return handedOut(this.#core.ask<S>(ASK.confirmed));
  }

  /** The updates that the server's state does not hold, in their order. The same array, until it changes. */
  get pending(): readonly PendingUpdate<U>[] {
    return this.#core.ask(ASK.pending);
  }

  /**
   * The ids of the messages that are not whole: those being streamed, and those that a failed run left broken off. They
   * are shown, and not to be sent as history. The same array, until it changes; a change of it alone is not told.
   */
  get streaming(): readonly string[] {
    const now = this.#core.ask<string[]>(ASK.streaming);
    const before = this.#streaming;
    if (now.length !== before.length || now.some((id, at) => id !== before[at])) this.#streaming = now;
    return this.#streaming;
  }

  /** Where the last run stands. The same object, until it changes. */
  get run(): ThreadRun {
    return this.#position.run;
  }

  /** The ids of the messages to show, in their order. The same array, until one comes, goes or moves. */
  get messageIds(): readonly string[] {
    return this.#byId.ids(this.getState());
  }

  /** The message with this id of those to show; of those confirmed, {@link Thread.message}. Costs no look through the list. */
  getMessage(id: string): MessageIn<S> | undefined {
    return this.#byId.get(this.getState(), id);
  }

  /** A confirmed message, as it is at this moment; it is not to be changed. No matter how long the thread is. */
  message(id: string): MessageIn<S> | undefined {
    return this.#core.ask<MessageIn<S> | undefined>(ASK.message, id);
  }

  /**
   * Adds to the confirmed state, by the fields' reducers. What is added during a run outlasts a replay of the run.
   *
   * @throws {@link ThreadfoldError} what the fields' reducers throw; the state is then as it was.
   */
  update(update: U): void {
    this.#changing(update, () => this.#core.ask(ASK.update, update));
    this.#notifier.now();
  }

  /** Makes a change of the confirmed state that the server does not know of. */
  #changing(update: object | undefined, change: () => void): void {
    const keys = reading(() => Object.keys(update ?? {})).filter((key) => key !== "messages");
    const confirmed = keys.length > 0 ? this.#core.ask<Record<string, unknown>>(ASK.confirmed) : {};
    change();
    this.#server.changed(keys, confirmed);
  }

  /**
   * Returns what the server has of a field other than the messages: what it said last, or what a run that ended well
   * took along. Undefined, if it has none: what the thread was made with, and what {@link Thread.update} added, is not
   * the server's before a run has taken it along.
   *
   * @example
   * ```ts
   * import { Thread } from "threadfold";
   *
   * const thread = new Thread({ values: { todos: [] } });
   * console.log(thread.said("todos")); // undefined
   * thread.receive({ type: "state", values: { todos: [{ content: "Pack", status: "pending" }] } });
   * thread.update({ todos: [] });
   * console.log(thread.said("todos")); // [ { content: 'Pack', status: 'pending' } ]
   * ```
   */
  said(key: string): unknown {
    return this.#server.of(key, this.#core.ask(ASK.confirmed));
  }

  /**
   * Shows an update that the server does not know yet. The next run takes it along, and it is over when the server's
   * state holds it or that run ends well. It fails when the run fails before that.
   *
   * @throws {@link ThreadfoldError} `NOT_INPUT` for a field that is not input or not in the schema, and what the
   *   fields' reducers throw; nothing is then shown.
   */
  optimistic(update: U, options?: OptimisticOptions): OptimisticUpdate {
    const id = this.#core.ask<string>(ASK.optimistic, update, option(options, "manual") ? true : undefined);
    this.#notifier.now();
    return this.optimisticUpdate(id);
  }

  /** The optimistic update with this id in your hand again, such as one of {@link Thread.pending} after a reload. */
  optimisticUpdate(id: string): OptimisticUpdate {
    const status = () => this.#core.ask<PendingStatus | undefined>(ASK.status, id) ?? "done";
    const change = (how: number, error?: unknown) => {
      this.#core.ask(how, id, error);
      this.#notifier.now();
    };
    return {
      id,
      get status() {
        return status();
      },
      settle: () => this.#changing(this.pending.find((one) => one.id === id)?.update, () => change(ASK.settle)),
      fail: (error) => change(ASK.fail, error),
      rollback: () => change(ASK.rollback),
      retry: () => change(ASK.retry),
    };
  }

  /**
   * Folds one server event. One that cannot be folded goes to the `error` listeners; the state is then as it was,
   * and the stream may go on.
   *
   * Listeners of `drift` and `error` hear when the event is folded, before `receive` returns. Those of
   * {@link Thread.subscribe} hear once for all that came in one go.
   *
   * @throws {@link ThreadfoldError} `DISPOSED`, and `BUSY` from within a reducer.
   */
  receive(event: ThreadEvent): void {
    this.#core.ready();
    try {
      this.#fold(event);
    } catch (cause) {
      this.report(cause instanceof ThreadfoldError ? cause : unreadable(cause), event);
    }
    this.#notifier.later();
  }

  #fold(event: ThreadEvent): void {
    if (typeof event !== "object" || event === null)
      throw new ThreadfoldError("INVALID_VALUE", "An event should be an object.");
    const { type } = event;
    if (type === "disconnected") return this.#position.disconnect(event.error);
    this.#position.heard();
    const joined =
      type === "run-started" && !this.#position.isNamedBy(event) ? this.#position.isJoinedBy(event) : undefined;
    if (!this.#isNew(event, joined)) return;
    if (type === "text") {
      this.#core.ask(ASK.text, event.messageId, event.text);
      return;
    }
    const run =
      type === "run-started" || type === "run-finished" || type === "run-failed"
        ? this.#position.after(event)
        : undefined;
    const confirmed = () => this.#core.ask<Record<string, unknown>>(ASK.confirmed);
    const before = type === "state" && event.own ? confirmed() : {};
    const patch = this.#core.receive<PatchOperation[] | undefined>(event, joined);
    if (run) this.#position.set(run);
    this.#server.heard(event, joined === false, before, confirmed);
    if (patch) tellAll(this.#listeners.drift, { patch, event });
  }

  /** Whether the run has not had the part before, as far as it remembers; notes its key. */
  #isNew(event: ThreadEvent, joined: boolean | undefined): boolean {
    const id = text(event.id);
    const key = text(event.key) ?? id;
    const mayRepeat = event.type !== "run-started" || this.#position.isRepeatedBy(event);
    if (key !== undefined && mayRepeat && this.#parts.has(key)) return false;
    // From another run's start on parts are new; from the same run's they are told again, unless each is known by its
    // key.
    if (joined === false || (joined && (key === undefined || this.#parts.hasForgotten))) {
      this.#parts.clear();
      this.#position.restart();
    }
    if (key !== undefined) this.#parts.add(key);
    if (id !== undefined) this.#position.at(id);
    return true;
  }

  /**
   * Whether the thread's run has had the part with this key (or, if it has none, this `id`). It knows the run's last
   * 10,000 parts for certain; what came before them is taken for new.
   */
  had(key: string): boolean {
    return this.#parts.has(key);
  }

  /**
   * Tells the `error` listeners of something that could not be folded; in development the console, if there are none.
   */
  report(error: ThreadfoldError, event?: unknown): void {
    if (development && this.#listeners.error.size === 0) console.warn(`threadfold: ${error.message}`, error);
    tellAll(this.#listeners.error, error, event);
  }

  /**
   * Calls `listener` with the new and the previous state after each change of the state, of {@link Thread.pending} or
   * of {@link Thread.run}. Returns an unsubscribe function.
   *
   * What you do (`update`, `optimistic` and the methods of its answer) is told at once, before the method returns. What
   * the server sends is told once a task, or once a frame with the option `notify`, however many parts arrived;
   * {@link Thread.flush} does not wait. A listener may change the thread: that is told when all have heard of the change
   * before it.
   *
   * Svelte hands `subscribe` a second argument. The listener is then called with the state at once, as Svelte's stores do:
   * `$thread`, `get(thread)` and `derived(thread, …)` work.
   *
   * @throws {@link ThreadfoldError} `INVALID_VALUE` for a listener that is no function.
   */
  subscribe(listener: (state: S, previous: S) => void, ...svelte: unknown[]): () => void {
    this.#core.ready();
    const end = this.#notifier.add(callable(listener));
    const state = svelte.length > 0 ? this.getState() : undefined;
    if (state) listener(state, state);
    return end;
  }

  /**
   * Calls `listener` with the new and the previous message after each change of the message with this id, of those that
   * {@link Thread.getState} shows: `undefined`, when there is none. Returns an unsubscribe function.
   *
   * It is told when those of {@link Thread.subscribe} are. However many messages are listened to, a token wakes the
   * listeners of one.
   *
   * @throws {@link ThreadfoldError} `INVALID_VALUE` for a listener that is no function.
   *
   * @example
   * ```ts
   * import { Thread } from "threadfold";
   *
   * const thread = new Thread({ values: { messages: [{ type: "ai", id: "a1", content: "4" }] } });
   * thread.subscribeMessage("a1", (message) => console.log(message?.content)); // 42, then undefined
   * thread.receive({ type: "text", messageId: "a1", text: "2" });
   * thread.flush();
   * thread.update({ messages: [{ type: "remove", id: "a1" }] });
   * ```
   */
  subscribeMessage(
    id: string,
    listener: (message: MessageIn<S> | undefined, previous: MessageIn<S> | undefined) => void,
  ): () => void {
    return this.#byId.add(this.getState(), id, callable(listener));
  }

  /** Tells listeners of all that has changed, now. */
  flush(): void {
    this.#core.ready();
    this.#notifier.now();
  }

  /**
   * Calls `listener` on `drift`, a snapshot that contradicts what was folded before it, or on `error`, an event that
   * could not be folded: each time, as soon as the event is done. Returns an unsubscribe function.
   *
   * @throws {@link ThreadfoldError} `INVALID_VALUE` for another kind, and for a listener that is no function.
   */
  on<K extends keyof ThreadListeners>(kind: K, listener: ThreadListeners[K]): () => void {
    this.#core.ready();
    const isKnown = kind === "drift" || kind === "error";
    const listeners = (isKnown ? this.#listeners[kind] : undefined) as Set<ThreadListeners[K]> | undefined;
    if (!listeners) throw new ThreadfoldError("INVALID_VALUE", "A thread tells of 'drift' and 'error'.");
    callable(listener);
    const own = ((...args: Parameters<ThreadListeners[K]>) =>
      (listener as (...args: unknown[]) => void)(...args)) as ThreadListeners[K];
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  /**
   * All of the thread, for {@link Thread.fromJSON}: what is confirmed and pending, and where its run stands. An `Error` of
   * the run or of an update is `{ name, message, code, status }` there.
   *
   * @throws {@link ThreadfoldError} `INVALID_VALUE` for a state that goes in a circle.
   */
  toJSON(): ThreadRecord {
    const known = new Set<object>();
    reading(() => refuseCircles([this.confirmed, this.pending.map(withPlainError)], known));
    const record = this.#core.ask<{ pending: readonly object[] }>(ASK.record);
    return reading(() => {
      const core = { ...record, pending: record.pending.map(withPlainError) };
      const server = this.#server.toJSON();
      refuseCircles([core, server.before], known);
      return {
        version: VERSION,
        threadId: this.threadId,
        run: withPlainError(this.run),
        parts: this.#parts.keys(),
        server,
        core,
      };
    });
  }

  /**
   * A thread from what {@link Thread.toJSON} gave, also by way of JSON. A run that was under way is `disconnected`.
   *
   * @throws {@link ThreadfoldError} `INVALID_VALUE` for what is no such record, for a record of another version, and for
   *   one of a thread with a schema when none is given, or one that lacks a field.
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
    options?: Pick<ThreadOptions<S, U>, "schema" | "notify">,
  ): Thread<S, U> {
    const schema = option(options, "schema");
    const thread = new Thread<S, U>({ schema, notify: option(options, "notify") });
    try {
      const { threadId, run, parts, server, core } = recordOf(record);
      const restored = new ThreadCore(schema as Schema<unknown> | undefined, core, "record");
      thread.#core.free();
      thread.#core = restored;
      thread.threadId = threadId;
      thread.#position = reading(() => RunPosition.of(run));
      thread.#parts = new RecentParts(parts);
      thread.#server = reading(() => new ServerFields(server));
      thread.#initial = thread.getState();
      return thread;
    } catch (error) {
      thread.free();
      throw error;
    }
  }

  /** Gives the handle into WebAssembly memory up, and all listeners. Whatever is called after it throws `DISPOSED`. */
  free(): void {
    this.#core.free();
    this.#notifier.clear();
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

function callable<F>(listener: F): F {
  if (typeof listener === "function") return listener;
  throw new ThreadfoldError("INVALID_VALUE", "A listener should be a function.");
}

function unreadable(cause: unknown): ThreadfoldError {
  return new ThreadfoldError("UNREADABLE_VALUE", "An event could not be read: see the cause.", { cause });
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
