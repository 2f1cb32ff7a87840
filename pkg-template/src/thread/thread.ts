import type { AskNumber } from "../../generated/numbers.js";
import * as ASK from "../../generated/numbers/ask.js";
import { development, handedOut } from "../shared/development.js";
import { showDevtools } from "../shared/devtools-hook.js";
import { ThreadfoldError } from "../shared/errors.js";
import { option, reading } from "../shared/reading.js";
import { checkOptions, type NamesOf } from "../shared/options.js";
import type { MessageIn } from "../state/messages.js";
import type { InputOf } from "../state/fields.js";
import { choice } from "../shared/choices.js";
import type { PatchOperation } from "../state/patch.js";
import { Schema } from "../state/schema.js";
import type { ThreadEvent } from "./thread-events.js";
import type {
  OptimisticOptions,
  OptimisticUpdate,
  PendingUpdate,
  SchemaFor,
  ThreadListeners,
  NoOptions,
  ThreadOptions,
  ThreadRun,
  ThreadState,
  ThreadUpdate,
} from "./thread-types.js";
import { BECOME } from "./become.js";
import { ThreadCore } from "./core.js";
import { compacted, FullTrack, type Compaction, type ContextRecord } from "./full-track.js";
import { INSIDE, type Inside, type Layer } from "./inside.js";
import { messagesById } from "./messages-by-id.js";
import { Notifier, tellAll } from "./notifier.js";
import { recordOf, refuseCircles, VERSION, withErrors, withPlainError, withRunError } from "./record.js";
import { positionIn, Proof, type Doubt, type ThreadPosition } from "./proof.js";
import { isConnected } from "./run-status.js";
import { inFrame, inTask } from "./schedule.js";
import { Subagents, type Subagent } from "./subagents.js";

const OPTIONS = Object.keys({
  schema: true,
  values: true,
  threadId: true,
  notify: true,
  history: true,
} satisfies NamesOf<ThreadOptions<object, object>>);

/** The kinds of listeners of {@link Thread.on}. */
const KINDS: readonly unknown[] = ["drift", "error", "doubt"] satisfies (keyof ThreadListeners)[];

/** Before the first run. */
const NO_RUN: ThreadRun = Object.freeze({ status: "ready" });

/**
 * A conversation with an agent: shows your updates at once and stays in sync with the server that owns it. Shaped like
 * a zustand store: `getState`, `getInitialState` and `subscribe` work wherever such a store does, also detached.
 *
 * Feed the server's events to {@link Thread.receive} through an adapter such as `foldAgUi` of `threadfold/ag-ui` or
 * `foldLangGraph` of `threadfold/langgraph`. Give the user's input to {@link Thread.optimistic}: it shows at once, and is
 * done when the server's state includes it. Everything that did not change is the same object in the next state.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 *
 * const thread = new Thread();
 * const op = thread.optimistic({ messages: [{ type: "human", id: "q", content: "Hi" }] });
 * console.log(thread.getState().messages.length, thread.getConfirmedState().messages.length); // 1 0
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
  /** The schema the thread was made with. */
  readonly schema: SchemaFor<S, U> | undefined;
  #core: ThreadCore;
  #initial: S;
  #pending: readonly PendingUpdate<U>[] = [];
  #streaming: readonly string[] = [];
  /** The run of a thread that was freed. */
  #last = NO_RUN;
  #history: FullTrack;
  readonly #proof = new Proof();
  readonly #subagents: Subagents;
  readonly #notifier: Notifier<S>;
  readonly #byId = messagesById<S, MessageIn<S>>((listener) => this.#notifier.add(listener));
  readonly #listeners = {
    drift: new Set<ThreadListeners["drift"]>(),
    error: new Set<ThreadListeners["error"]>(),
    doubt: new Set<ThreadListeners["doubt"]>(),
  };

  #reports = 0;
  /** Predictions over the state that is shown. */
  #layer: Layer | undefined;

  /** @internal */
  readonly [INSIDE]: Inside = {
    subagents: () => this.#subagents,
    said: (field) => this.#core.find(ASK.said, field),
    had: (key) => !this.#core.isDisposed && this.#core.find(ASK.had, key) !== undefined,
    report: (error, event) => this.#report(error, event),
    proof: this.#proof,
    doubt: (doubt) => {
      if (this.#proof.add(doubt)) tellAll(this.#listeners.doubt, doubt);
    },
    reports: () => this.#reports,
    drift: (patch, event) => tellAll(this.#listeners.drift, { patch, event }),
    lay: (layer) => {
      this.#layer = layer;
      this.#notifier.later();
    },
    unpredicted: () => handedOut(this.#core.read<S & object>(ASK.state)),
    update: (id) => this.#handle(id),
    now: (change) => this.#notifier.now(change),
  };

  /** @throws {@link ThreadfoldError} the errors of the fields' reducers, if they refuse `values`. */
  constructor(options: ThreadOptions<S, U> | undefined);
  constructor(...options: NoOptions<S, U>);
  constructor(options?: ThreadOptions<S, U>) {
    checkOptions("new Thread", options, OPTIONS);
    this.schema = option(options, "schema");
    const schema = this.schema as Schema<unknown> | undefined;
    this.threadId = option(options, "threadId");
    const notify = choice(options, "notify", ["task", "frame"]);
    this.#history = new FullTrack(choice(options, "history", ["server", "full"]) === 1);
    const values = reading(() => {
      if (schema) Schema.handle(schema);
      const given = option(options, "values");
      if (given !== undefined && typeof given !== "object")
        throw new ThreadfoldError("INVALID_ARGUMENT", "A thread's values should be an object.");
      return Schema.start(schema, given);
    });
    this.#core = new ThreadCore(schema, values, "values");
    const look = () => {
      const [state, pending, run] = this.#core.look() as [S, object, object];
      const shown = this.#layer ? this.#layer.over(state) : state;
      return { state: shown, pending, run, context: this.context, subagents: this.subagents };
    };
    const own = { notify: option(options, "notify") };
    this.#subagents = new Subagents(
      (record) => (record ? Thread.fromJSON(record, own) : new Thread(own)),
      () => this.#notifier.later(),
      (held) => (held as AnyThread)[INSIDE].proof.asked,
    );
    this.#notifier = new Notifier<S>(look, notify === 0 ? inTask : inFrame);
    this.#initial = this.getState();
    // Libraries for stores pass these around detached.
    this.getState = this.getState.bind(this);
    this.getInitialState = this.getInitialState.bind(this);
    this.subscribe = this.subscribe.bind(this);
    showDevtools(this);
  }

  /** The state to show: the confirmed state with pending updates applied. The same object until something changes. */
  getState(): S {
    const state = this.#core.read<S>(ASK.state);
    return handedOut(this.#layer ? this.#layer.over(state) : state);
  }

  /** The state the thread was made with. */
  getInitialState(): S {
    return this.#initial;
  }

  /** The state the server has sent, including what {@link Thread.update} added. */
  getConfirmedState(): S {
    return handedOut(this.#core.read<S>(ASK.confirmed));
  }

  /** The updates the server's state does not include yet, in order. The same array until it changes. */
  get pending(): readonly PendingUpdate<U>[] {
    const pending = this.#core.read<PendingUpdate<U>[]>(ASK.pending);
    if (pending !== this.#pending)
      for (const update of (this.#pending = pending))
        // Not enumerable: an update can still be copied and posted.
        if (!("settle" in (update as object)))
          for (const [name, value] of Object.entries(this.#ends(update.id)))
            Object.defineProperty(update, name, { value });
    return pending;
  }

  /**
   * The ids of incomplete messages: those still streaming, and those a failed run cut off. Show them, but don't send
   * them as history. The same array until it changes; listeners are not called for a change of it alone.
   */
  get incompleteIds(): readonly string[] {
    const now = this.#core.read<string[]>(ASK.incomplete);
    const before = this.#streaming;
    if (now.length !== before.length || now.some((id, at) => id !== before[at])) this.#streaming = now;
    return this.#streaming;
  }

  /**
   * The messages to show, after those that the server has compacted. With the option `history: "full"` they are the
   * whole conversation, otherwise the state's messages. The same array until it changes.
   */
  get history(): readonly MessageIn<S>[] {
    return this.#history.of(this.#messages(ASK.state)) as readonly MessageIn<S>[];
  }

  /** The last compaction's record of the older messages: the server's, or that of {@link Thread.compact}. */
  get context(): ContextRecord | undefined {
    return this.#history.context;
  }

  /**
   * Takes note that the older messages are sent to the model as `summary`, or not at all with null. The messages stay.
   *
   * @param due - What a `Context` of `threadfold/context` says is due.
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything else.
   */
  compact(due: Compaction | null, summary: object | string | null): void {
    this.#core.ready();
    this.#history.context = compacted(due, summary);
    this.#notifier.now();
  }

  /** The status of the last run. The same object until it changes. */
  get run(): ThreadRun {
    const run = this.#core.isDisposed ? this.#last : this.#core.read<ThreadRun>(ASK.run);
    return run.status === "ready" && run.id === undefined && run.lastEventId === undefined ? NO_RUN : run;
  }

  /**
   * The fields that may differ from the server's, each with the reason. Empty while the server's updates prove the
   * confirmed state. A snapshot of a field settles its doubts. The same array until it changes.
   */
  get doubts(): readonly Doubt[] {
    return this.#proof.doubts;
  }

  /** The server's checkpoint that the confirmed state stands at; undefined if it is unknown. */
  get position(): ThreadPosition | undefined {
    return this.#proof.position;
  }

  /**
   * The agents that the thread's tool calls started, in order: each has a thread of its own. A token of one changes that
   * thread alone. The same array until one is added or named.
   *
   * @example
   * ```ts
   * import { Thread } from "threadfold";
   * import { foldLangGraph } from "threadfold/langgraph";
   *
   * const call = { id: "c1", name: "task", args: { subagent_type: "poet", description: "Rain" }, type: "tool_call" };
   * const thread = new Thread();
   * await foldLangGraph(thread, [
   *   { event: "metadata", data: { run_id: "r1" } },
   *   { event: "messages", data: [{ type: "ai", id: "a", content: "", tool_calls: [call] }, {}] },
   *   { event: "messages|tools:1", data: [{ type: "ai", id: "b", content: "Rain again." }, {}] },
   * ]);
   * const [poet] = thread.subagents;
   * console.log(poet?.name, poet?.toolCallId, poet?.thread.messageIds); // poet c1 [ 'b' ]
   * ```
   */
  get subagents(): readonly Subagent[] {
    return this.#subagents.list;
  }

  /** The ids of the messages to show, in order. The same array until a message is added, removed or moved. */
  get messageIds(): readonly string[] {
    return this.#byId.ids(this.getState());
  }

  /**
   * Returns the shown message with this id, without searching the list. {@link Thread.getConfirmedMessage} returns the
   * confirmed one.
   */
  getMessage(id: string): MessageIn<S> | undefined {
    return this.#byId.get(this.getState(), id);
  }

  /**
   * Returns the confirmed message with this id as it is now. Don't change it. Costs the same however long the thread
   * is.
   */
  getConfirmedMessage(id: string): MessageIn<S> | undefined {
    return this.#core.find(ASK.message, id);
  }

  /**
   * Adds to the confirmed state with the fields' reducers. Values that you add during a run survive a replay of the
   * run, but for those that a snapshot in it lacks.
   *
   * @throws {@link ThreadfoldError} the errors of the fields' reducers; the state is then unchanged.
   */
  update(update: U): void {
    this.#heard("values", () => this.#core.ask(ASK.update, update));
    this.#notifier.now();
  }

  /**
   * Shows an update before the server knows it. The next run sends it. It is done when the server's state includes it
   * or that run finishes, and fails when the run fails before that.
   *
   * @throws {@link ThreadfoldError} `NOT_INPUT` for a field that is not input or not in the schema, and the errors of
   *   the fields' reducers; nothing is then shown.
   */
  optimistic(update: InputOf<U>, options?: OptimisticOptions): OptimisticUpdate {
    checkOptions("optimistic()", options, ["manual"]);
    const id = this.#core.ask<string>(ASK.optimistic, update, option(options, "manual") ? true : undefined);
    this.#notifier.now();
    return this.#handle(id);
  }

  #handle(id: string): OptimisticUpdate {
    const told = () => this.#core.find<PendingUpdate<U> | undefined>(ASK.told, id);
    return {
      id,
      get status() {
        return told()?.status ?? "done";
      },
      ...this.#ends(id),
    };
  }

  /** The methods of an update. */
  #ends(id: string): Pick<OptimisticUpdate, "settle" | "fail" | "rollback" | "retry"> {
    const change = (how: AskNumber, error?: unknown) => {
      this.#core.ask(how, id, error);
      this.#notifier.now();
    };
    return {
      settle: () => change(ASK.settle),
      fail: (error) => change(ASK.fail, withRunError({ error }).error),
      rollback: () => change(ASK.rollback),
      retry: () => change(ASK.retry),
    };
  }

  /**
   * Folds one server event. Returns false for one that cannot be folded: it goes to the `error` listeners, the state is
   * unchanged, and the stream may continue.
   *
   * Calls listeners of `drift` and `error` before it returns, and those of {@link Thread.subscribe} once for all events
   * that arrive together.
   *
   * @throws {@link ThreadfoldError} `DISPOSED`, and `BUSY` when called from within a reducer.
   */
  receive(event: ThreadEvent): boolean {
    this.#core.ready();
    let isFolded = true;
    try {
      this.#fold(event);
      this.#layer?.heard(event);
    } catch (cause) {
      isFolded = false;
      this.#report(cause instanceof ThreadfoldError ? cause : unreadable(cause), event);
    }
    this.#notifier.later();
    return isFolded;
  }

  #fold(given: ThreadEvent): void {
    if (typeof given !== "object" || given === null)
      throw new ThreadfoldError("INVALID_ARGUMENT", "An event should be an object.");
    const { type } = given;
    const isCutOff = type === "disconnected";
    const event = isCutOff || type === "run-error" ? withRunError(given, isCutOff) : given;
    if (event.type === "step") {
      this.#proof.position = positionIn(event);
      return;
    }
    if (type === "run-started" && !isConnected(this)) this.#proof.cutOff = this.incompleteIds;
    const patch =
      type === "text"
        ? this.#core.receive<undefined>(event)
        : this.#heard(type, () => this.#core.receive<PatchOperation[] | undefined>(event));
    this.#subagents.end(event);
    if (this.#proof.hear(event)) this[INSIDE].doubt({ field: "messages", reason: "unreadable" });
    if (patch) tellAll(this.#listeners.drift, { patch, event });
  }

  /** Makes a change that may be a compaction. */
  #heard<T>(type: string, change: () => T): T {
    if (!this.#history.hears(type)) return change();
    const look = () => [this.#messages(ASK.state), this.#messages(ASK.confirmed)] as const;
    const before = look();
    const answer = change();
    reading(() => this.#history.heard(type, before, look()));
    return answer;
  }

  #messages(which: AskNumber): readonly object[] {
    return this.#core.read<{ messages?: readonly object[] }>(which).messages ?? [];
  }

  #report(error: ThreadfoldError, event?: unknown): void {
    this.#reports++;
    if (development && this.#listeners.error.size === 0) console.warn(`threadfold: ${error.message}`, error);
    tellAll(this.#listeners.error, error, event);
  }

  /**
   * Calls `listener` with the new and the previous state after each change of the state, of {@link Thread.pending} or
   * of {@link Thread.run}. Returns an unsubscribe function.
   *
   * Your own changes (`update`, `optimistic` and the methods of its handle) call listeners at once, before the method
   * returns. The server's events call them once a task, or once a frame with the option `notify`, however many arrived;
   * {@link Thread.flush} does not wait. If a listener changes the thread, listeners are called again once all have seen
   * the previous change. That happens a hundred times in a row at most, then in a new task.
   *
   * Svelte passes `subscribe` a second argument. It then calls the listener with the state at once, as Svelte's stores
   * do: `$thread`, `get(thread)` and `derived(thread, …)` work.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a listener that is not a function.
   */
  subscribe(listener: (state: S, previous: S) => void, ...svelte: unknown[]): () => void {
    this.#core.ready();
    const end = this.#notifier.add(callable(listener));
    const state = svelte.length > 0 ? this.getState() : undefined;
    if (state) listener(state, state);
    return end;
  }

  /**
   * Calls `listener` with the new and the previous message after each change of the shown message with this id:
   * `undefined` when there is none. Returns an unsubscribe function.
   *
   * Calls it when those of {@link Thread.subscribe} are called. However many messages have listeners, a token calls
   * those of one.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a listener that is not a function.
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

  /** Calls listeners now for everything that changed. */
  flush(): void {
    this.#core.ready();
    this.#notifier.now();
  }

  /**
   * Calls `listener` on `drift` (a snapshot contradicts earlier events), `error` (an event could not be folded) or
   * `doubt` (a field may differ from the server's). It is called at once. Returns an unsubscribe function.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for another kind, and for a listener that is not a function.
   */
  on<K extends keyof ThreadListeners>(kind: K, listener: ThreadListeners[K]): () => void {
    this.#core.ready();
    const listeners = (KINDS.includes(kind) ? this.#listeners[kind] : undefined) as Set<ThreadListeners[K]> | undefined;
    if (!listeners) throw new ThreadfoldError("INVALID_ARGUMENT", "on(): use 'drift', 'error' or 'doubt'.");
    callable(listener);
    const own = ((...args: Parameters<ThreadListeners[K]>) =>
      (listener as (...args: unknown[]) => void)(...args)) as ThreadListeners[K];
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  /**
   * Returns the whole thread as JSON for {@link Thread.fromJSON}: the confirmed state, pending updates and the run's
   * status. An `Error` of the run or of an update becomes `{ name, message, code, status }`, and through JSON an
   * instance of `@langchain/core`'s message classes becomes a dict.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a circular state.
   */
  toJSON(): object {
    reading(() => refuseCircles([this.getConfirmedState(), this.pending.map(withPlainError)]));
    const record = this.#core.ask<{ pending: readonly object[]; run: object }>(ASK.record);
    return reading(() => {
      const { lastEventId } = this.#subagents;
      const run = withPlainError(lastEventId === undefined ? record.run : { ...record.run, lastEventId });
      const core = { ...record, run, pending: record.pending.map(withPlainError) };
      const history = this.#history.toJSON();
      refuseCircles([core, history]);
      const { threadId } = this;
      return {
        version: VERSION,
        threadId,
        history,
        core,
        proof: this.#proof.toJSON(),
        subagents: this.#subagents.toJSON(),
      };
    });
  }

  /**
   * Makes a thread from the result of {@link Thread.toJSON}, also parsed from JSON. A run that was under way is
   * `disconnected`.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but such a record, for a record of another version,
   *   and for a record with a schema when none is given, or one that lacks a field.
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
    options?: Pick<ThreadOptions<S, U>, "schema" | "notify" | "history">,
  ): Thread<S, U> {
    checkOptions("Thread.fromJSON", options, ["schema", "notify", "history"]);
    const schema = option(options, "schema");
    const thread = new Thread<S, U>({ schema, notify: option(options, "notify"), history: option(options, "history") });
    try {
      const { threadId, history, core, proof, subagents } = recordOf(record);
      const restored = new ThreadCore(schema as Schema<unknown> | undefined, withErrors(core), "record");
      thread.#core.free();
      thread.#core = restored;
      thread.threadId = threadId;
      thread.#proof.restore(proof);
      reading(() => thread.#subagents.restore(subagents));
      reading(() => thread.#history.restore(history));
      thread.#initial = thread.getState();
      return thread;
    } catch (error) {
      thread.dispose();
      throw error;
    }
  }

  /** @internal Takes the place of a saved thread, which nobody has seen, and tells the listeners. */
  [BECOME](saved: Thread<S, U>): void {
    this.#core.ready();
    this.#core.free();
    this.#core = saved.#core;
    this.#history = saved.#history;
    this.#subagents.list = saved.#subagents.list;
    this.#proof.restore(saved.#proof);
    this.threadId = saved.threadId ?? this.threadId;
    this.#notifier.now();
  }

  /** Whether {@link Thread.dispose} was called. Asks nothing of WebAssembly. */
  get isDisposed(): boolean {
    return this.#core.isDisposed;
  }

  /**
   * Frees the handle to WebAssembly memory and drops all listeners. From then on everything that reads or changes the
   * state throws `DISPOSED`; `run` and `getInitialState` need no core, and answer as before.
   */
  dispose(): void {
    if (!this.#core.isDisposed && !this.#core.isBusy) this.#last = this.run;
    this.#core.free();
    this.#subagents.dispose();
    this.#notifier.clear();
    for (const listeners of Object.values(this.#listeners)) listeners.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

function callable<F>(listener: F): F {
  if (typeof listener === "function") return listener;
  throw new ThreadfoldError("INVALID_ARGUMENT", "A listener should be a function.");
}

function unreadable(cause: unknown): ThreadfoldError {
  return new ThreadfoldError("UNREADABLE_VALUE", "An event could not be read: see the cause.", { cause });
}

/** A thread of any state. */
// oxlint-disable-next-line typescript/no-explicit-any -- a thread's state and updates vary both ways
export type AnyThread = Thread<any, any>;
