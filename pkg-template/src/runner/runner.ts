import { ThreadfoldError } from "../shared/errors.js";
import { choice } from "../shared/choices.js";
import { showDevtools } from "../shared/devtools-hook.js";
import { checkOptions } from "../shared/options.js";
import { option, reading } from "../shared/reading.js";
import { BROKEN } from "../shared/run-error.js";
import { BECOME } from "../thread/become.js";
import type { Thread } from "../thread/thread.js";
import { answersTo } from "./run-interrupts.js";
import { checkRegenerating, checkSending } from "./options.js";
import { Driver, type Settings } from "./driver.js";
import { ThreadStream } from "./thread-stream.js";
import { standingOf } from "./machine/standing.js";
import type { Event, CallId } from "./machine/types.js";
import type { Choice } from "./branch-switch.js";
import type { RunProtocol } from "./protocol.js";
import { BRANCHES } from "./branch-source.js";
import type { ListedThread, ThreadQuery } from "./transport.js";
import { insteadOf, isEdit, userMessageOf, rewound, unsentOf } from "./rewind.js";
import type { Interrupt, RunResult } from "../stream/run-result.js";
import type { RunStatus } from "../thread/thread-types.js";
import type { InterruptAnswer, RunnerOptions, SendOptions, SentMessages, WhileRunning } from "./runner-types.js";
import type { AnyMessage } from "./messages-in.js";
import { openInterrupts } from "./shown.js";

const DELAYS = [250, 1_000, 2_000, 4_000, 8_000];

/**
 * Runs an agent for a thread: sends messages, folds the answers, and tracks each run's status. One interface for every
 * protocol: `AgUiRunner` of `threadfold/ag-ui`, `LangGraphRunner` of `threadfold/langgraph`.
 */
export abstract class Runner<S extends object, U extends object> {
  /** The thread that runs are folded into: show its state, `pending` and `run`. */
  readonly thread: Thread<S, U>;
  readonly #protocol: RunProtocol;
  readonly #settings: Settings;
  readonly #threadStream: ThreadStream;
  #driver: Driver<S, U>;

  protected constructor(thread: Thread<S, U>, protocol: RunProtocol, options: RunnerOptions) {
    this.thread = thread;
    this.#protocol = protocol;
    // Other values are refused here.
    whileRunning(options);
    choice(options, "whileOffline", ["fail", "wait"]);
    this.#settings = {
      // A conversation that is opened again replaces its options.
      get whileRunning() {
        return option(options, "whileRunning") ?? "queue";
      },
      get waits() {
        return option(options, "whileOffline") === "wait";
      },
      delays: option(options, "rejoinDelays") ?? DELAYS,
      cancelTimeout: option(options, "cancelTimeout") ?? 5_000,
    };
    this.#driver = new Driver(thread, protocol, this.#settings);
    this.#threadStream = new ThreadStream(thread as never, this.#settings.delays, (run) =>
      this.#driver.hear({ is: "announced", run }),
    );
    this.getStatus = this.getStatus.bind(this);
    this.subscribe = this.subscribe.bind(this);
    showDevtools(this);
  }

  /** The current status. */
  get status(): RunStatus {
    return this.#driver.status;
  }

  /**
   * Returns {@link Runner.status}, as a function that works detached:
   * `useSyncExternalStore(runner.subscribe, runner.getStatus)`.
   */
  getStatus(): RunStatus {
    return this.status;
  }

  /**
   * Why the last run failed, why its connection broke, or why the server could not be reached. It has the HTTP `status`,
   * if the server refused the request. Set exactly while you can call `retry()`: {@link Runner.status} is `error`, or it is
   * `disconnected` and the runner is not rejoining the run by itself. `NO_CONNECTION` for a run that a reload cut off, until it is
   * joined. The same object until another run fails.
   */
  get error(): ThreadfoldError | undefined {
    return this.#driver.error;
  }

  /**
   * True while `load()` opens a thread that has no messages yet: show a spinner. False while an open thread is loaded
   * again.
   */
  get isThreadLoading(): boolean {
    return this.#driver.isThreadLoading;
  }

  /** The run's interrupts without an answer: see {@link Runner.resume}. The same array until they change. */
  get interrupts(): readonly Interrupt[] {
    return this.#driver.interrupts;
  }

  /**
   * Shows a message at once, and sends it. Resolves when the run that carried it ends, however it ends. If an earlier
   * run is interrupted or disconnected, resolves with that status and sends the message afterwards. A message that you
   * roll back before it is sent (`rollback()` of `thread.pending`) is `stopped`.
   *
   * Resolves at once with the error `BUSY` while other code folds a run into the thread. With `"refuse"` or a `messageId`,
   * also while a run is under way or waits for an answer. Nothing is then shown.
   *
   * @param message - A text, a message, several, or none: the agent then runs with the state as it is, as after a
   *   tool's result.
   * @param options - `input`: other input fields of the state, shown and sent with it. Pass `messageId` to edit that user
   *   message. Everything after it is removed, here and on the server. Messages not sent yet are rolled back.
   *   `whileRunning`: as the runner's option, for this message. A message that steers resolves with the run that takes it.
   *
   * @throws {@link ThreadfoldError} `DISPOSED`; `UNKNOWN_MESSAGE` for a `messageId` that no message has,
   *   `INVALID_ARGUMENT` for one that is not the user's; the errors of `thread.optimistic`. Nothing is then shown.
   */
  async sendMessage(message?: string | SentMessages<U>, options?: SendOptions<U>): Promise<RunResult> {
    this.#ready();
    checkSending(options);
    const input = option(options, "input");
    const isNone = message === undefined || (Array.isArray(message) && message.length === 0);
    const update = reading(() => ({ ...input, ...(!isNone && { messages: this.#protocol.messages(message) }) }));
    const messageId = option(options, "messageId");
    const how = whileRunning(options) ?? this.#settings.whileRunning;
    if (messageId !== undefined)
      return this.#edit((callId) => {
        const userMessage = userMessageOf(this.thread, messageId);
        const own = insteadOf(userMessage, messageId, update.messages);
        return this.#rewind(callId, userMessage, own, update);
      }, how);
    const isEmpty = Object.keys(update).length === 0;
    return this.#driver.call(
      (callId) => ({ is: "send", callId, how }),
      (callId) => {
        if (isEmpty) return { is: "wanted", callIds: [callId] };
        const id = this.#show(update);
        const steers = how === "steer" && this.#driver.effects.canSteer(id);
        return { is: "shown", callIds: [callId], ids: [id], steers };
      },
    );
  }

  /**
   * Has the agent answer again: removes everything after one of the user messages, here and on the server, and runs.
   * Over LangGraph, it asks the server first and removes what the server has, whatever is shown here. Messages not sent
   * yet are rolled back. Resolves like {@link Runner.sendMessage}. Until the run has ended, `thread.pending` has the
   * message and the removals. If the run fails, {@link Runner.retry} tries again. While a run is under way or waits for
   * an answer, resolves at once with the error `BUSY`: `stop()` it first.
   *
   * @param options - `messageId`: the user's message, or one of the answer's. The last answer, unless given.
   *
   * @throws {@link ThreadfoldError} `DISPOSED`; `INVALID_STATE` without a user message, `UNKNOWN_MESSAGE` for an id that
   *   no message has.
   */
  async regenerate(options?: Pick<SendOptions, "messageId">): Promise<RunResult> {
    this.#ready();
    checkRegenerating(options);
    return this.#edit((callId) => {
      const { thread } = this;
      const userMessage = userMessageOf(thread, option(options, "messageId"));
      // There is no answer yet to one that the server does not have.
      const unsent = unsentOf(thread, userMessage);
      if (!unsent) return this.#rewind(callId, userMessage);
      if (unsent.status === "failed") {
        this.#driver.acts(callId, () => this.#driver.effects.retryFailed(callId, this.#driver.chosen(unsent.id)));
        return this.#retryEvent(callId, unsent.id);
      }
      return { is: "shown", callIds: [callId], ids: [unsent.id], now: true };
    });
  }

  /**
   * Stops the run, also on the server if possible: messages received so far stay. If the server has sent nothing yet,
   * your message is pending again and is sent with the next one. Dismisses the run's interrupts. Queued messages are
   * sent next. Without a run it does nothing. Resolves when the server has answered, or after `cancelTimeout`. It has
   * an `error` if the server refused or could not be reached, so that the run may continue there.
   */
  async stop(): Promise<RunResult> {
    this.#protocol.branch?.stopped();
    return this.#driver.call((callId) => ({ is: "stop", callId }));
  }

  /**
   * Retries the last failed operation. A failed run resends the updates that the server never received. If there are
   * none, it just runs again, with its answers to interrupts if it had any. A LangGraph run that had begun continues
   * from its checkpoint, which keeps the answers. If its request got no answer, the runner asks the server first. A
   * disconnected run is rejoined, or made again if it cannot be. A failed `load()` loads again, and interrupts whose
   * answers a reload lost are open again. If the last run did not fail, sends the updates of the last one that did.
   *
   * Resolves at once with the error `INVALID_STATE` when nothing has failed, and `BUSY` as {@link Runner.sendMessage} does.
   *
   * @param update - A failed update: sends that one instead, at the end if the conversation has gone on since.
   *
   * @throws {@link ThreadfoldError} as {@link Runner.sendMessage}.
   */
  async retry(update?: string | { readonly id: string }): Promise<RunResult> {
    this.#ready();
    const id = typeof update === "string" ? update : option(update, "id");
    if (update !== undefined && typeof id !== "string")
      invalid("retry() takes an update of thread.pending, its id, or nothing.");
    const branch = id === undefined && this.error ? this.#protocol.branch : undefined;
    const chosen = branch?.again();
    const result = await this.#driver.call(
      (callId) => this.#retryEvent(callId, id),
      (callId) => this.#driver.effects.retryFailed(callId, this.#driver.chosen(id)),
    );
    branch?.ended(chosen, result);
    return result;
  }

  #retryEvent(callId: CallId, id: string | undefined): Event {
    return this.#driver.retryEvent(callId, id, (update) => isEdit(this.thread, update));
  }

  /**
   * Answers some or all of {@link Runner.interrupts}. Once all are answered the answers go out together; resolves when
   * the run that continues with them has ended. Until then keeps the answers, not over a reload, and resolves at once
   * with the `interrupts` that are still open. Queued messages go out after the run, not with the answers. If the
   * request fails, all the interrupts are open again; if the run fails, those that the server says are still open. A
   * second click resolves at once with the error `BUSY`. An answer to an interrupt that is not open any more, such as
   * one that another tab has answered, resolves with `INVALID_STATE`.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` when a decision leaves out the `id` while several interrupts are
   *   open; `DISPOSED`.
   */
  async resume(decisions: InterruptAnswer | readonly InterruptAnswer[]): Promise<RunResult> {
    this.#ready();
    const [only, ...others] = this.interrupts;
    const seen = others.length === 0 ? only?.id : undefined;
    return this.#driver.call(
      (callId) => ({ is: "resume", callId }),
      (callId) => {
        const { interrupts } = this.#driver.effects;
        const { ids } = interrupts;
        const open = openInterrupts(this.#driver.machine);
        const given = reading(() => answersTo(interrupts as never, open, decisions, seen));
        // All that is answered goes out together.
        if (open.every((id) => given.has(id))) this.#protocol.check(interrupts.answers(ids, given));
        interrupts.keep(given);
        return { is: "answered", callId, ids: [...given.keys()] };
      },
    );
  }

  /**
   * Brings the thread up to date with the server. Joins the run whose connection broke, or that was active when the
   * page was left. Otherwise folds the server's state of the thread, with the last run's interrupts, if the transport
   * can `load`. A run that is active there is joined, and so is the one after it. Pending updates stay; queued messages
   * are then sent.
   *
   * Resolves when no run is under way any more; at once, if the thread has no id, or the server does not know it. A run
   * that cannot be joined fails, so that you can send its messages again. If the server answers 401 or 403, the run
   * stays `disconnected`, to be joined with other headers. If the state is not available, resolves as `failed`:
   * {@link Runner.error} says why until the next run or `load()`, and {@link Runner.retry} loads again. Over AG-UI
   * `pendingToolCallIds` lists which calls of the option `tools` wait for their result, also if the run ended before a
   * reload.
   *
   * While something is under way, also another program's run of the thread, resolves with its end.
   *
   * @throws {@link ThreadfoldError} `DISPOSED`.
   *
   * @example
   * ```ts
   * import { Thread } from "threadfold";
   * import { LangGraphRunner } from "threadfold/langgraph";
   *
   * // In a page: only apiUrl. Here a server that knows one thread.
   * const server: typeof fetch = async (url) =>
   *   Response.json(
   *     String(url).endsWith("/state")
   *       ? { values: { messages: [{ type: "human", id: "q", content: "Hi" }] }, tasks: [] }
   *       : [],
   *   );
   * const thread = new Thread({ threadId: "t1" });
   * const runner = new LangGraphRunner(thread, { apiUrl: "http://localhost:2024", assistantId: "agent", fetch: server });
   * await runner.load();
   * console.log(thread.getState().messages[0]?.content, runner.status); // Hi ready
   * ```
   */
  async load(): Promise<RunResult> {
    this.#ready();
    return this.#driver.call((callId) => ({ is: "load", callId }), undefined, true);
  }

  /**
   * Shows another branch of a message: an answer that {@link Runner.regenerate} replaced, or a conversation before an edit.
   * The server continues from there. Other devices show it at their next load, or at once if they follow the thread and the
   * server is `serveAgUi` or `serveLangGraph`. Nothing is lost: the branch shown before is one of the others. Resolves like
   * {@link Runner.load}. While a run is under way or waits for an answer, resolves at once with the error `BUSY`. If the
   * switch does not reach the server, {@link Runner.retry} tries again.
   *
   * @param id - One of the ids of `useBranches` of `threadfold/react`.
   *
   * @throws {@link ThreadfoldError} `UNSUPPORTED` if the transport keeps no checkpoints; `DISPOSED`.
   */
  async switchBranch(id: string): Promise<RunResult> {
    this.#ready();
    const { branch } = this.#protocol;
    if (!branch) throw lacking("switchBranch", "has no history and fork");
    let chosen: Choice | undefined;
    const result = await this.#driver.call(
      (callId) => ({ is: "edit", callId }),
      (callId) => {
        chosen = branch.choose(id);
        return { is: "load", callId };
      },
      true,
    );
    branch.ended(chosen, result);
    return result;
  }

  /** @internal */
  get [BRANCHES](): RunProtocol {
    return this.#protocol;
  }

  /**
   * Keeps the thread up to date until you call the returned function. It loads the thread, and joins each run that
   * another tab, device or user begins. An interrupt that is answered there closes here. A broken connection is
   * made again, as `rejoinDelays` says and then at least every 30 seconds, and the thread loaded again. A `stop()` stops
   * the run, and the next one is joined all the same. A thread without an id is followed from its first run on.
   *
   * Needs a server that streams threads: `serveAgUi` with `resumable: true` on both sides, `serveLangGraph`, or a LangGraph
   * server. If the server has no such stream, the thread reports `UNSUPPORTED` by its event `error`, and stays as it is.
   *
   * @throws {@link ThreadfoldError} `UNSUPPORTED` if the transport cannot follow, load and join; `DISPOSED`.
   *
   * @example
   * ```ts
   * import { openLangGraph } from "threadfold/langgraph";
   * import { useEffect } from "react";
   *
   * const chat = openLangGraph({ apiUrl: "http://localhost:2024", assistantId: "agent", threadId: "t1" });
   * export const useLiveChat = () => useEffect(() => chat.follow(), []);
   * ```
   */
  follow(): () => void {
    this.#ready();
    const { follow } = this.#protocol;
    if (follow) return this.#threadStream.begin(follow);
    throw lacking("follow", "cannot follow, load and join");
  }

  /**
   * Lists the server's threads that the user may use, the last changed first: for a page that lets the user choose one.
   * To open one, make a runner for a `new Thread({ threadId })` and call {@link Runner.load}.
   *
   * @param query - `limit`, 10 by default, `offset`, and a `signal`.
   * @throws {@link ThreadfoldError} `UNSUPPORTED` if the transport cannot list threads; `BAD_RESPONSE`, `NO_CONNECTION`;
   *   `DISPOSED`.
   */
  async threads(query: ThreadQuery = {}): Promise<readonly ListedThread[]> {
    this.#ready();
    checkOptions("threads", query, ["limit", "offset", "signal"]);
    const { threads } = this.#protocol;
    if (threads) return threads(query);
    throw lacking("threads", "cannot list threads");
  }

  /**
   * Calls `listener` when {@link Runner.status}, {@link Runner.error} or {@link Runner.interrupts} change. Returns an
   * unsubscribe function.
   */
  subscribe(listener: () => void): () => void {
    this.#ready();
    return this.#driver.subscribe(listener);
  }

  /**
   * Disconnects from the current run, which continues on the server: the thread's run is `disconnected`, for another
   * runner to rejoin. Does not dispose of the thread.
   */
  dispose(): void {
    this.#threadStream.end();
    this.#driver.dispose();
  }

  /** Whether `dispose` was called, of the runner or of its thread. */
  get isDisposed(): boolean {
    return this.thread.isDisposed || this.#driver.isDisposed;
  }

  /** @internal Starts over with what the thread has become. Nothing may be under way; listeners subscribe again. */
  [BECOME](): void {
    this.#driver = new Driver(this.thread, this.#protocol, this.#settings);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #ready(): void {
    if (this.#driver.isDisposed) throw new ThreadfoldError("DISPOSED", "The runner was disposed.");
    // A freed thread throws here.
    void this.thread.incompleteIds;
  }

  #show(update: object): string {
    return this.thread.optimistic(update as never).id;
  }

  /** Makes a call that depends on the thread's current messages: they are read, and shown, when its turn has come. */
  #edit(act: (callId: CallId) => Event, how: WhileRunning = "queue"): Promise<RunResult> {
    return this.#driver.call((callId) => ({ is: "edit", callId, how }), act);
  }

  /** Goes back to a user message. The updates of a cut-off run have failed with it. */
  #rewind(callId: CallId, userMessage: AnyMessage, own: object = userMessage, update: object = {}): Event {
    const { state } = this.#driver.machine;
    if (state.is === "rest" && standingOf(state.run).is === "disconnected")
      this.thread.receive({ type: "run-error", error: new ThreadfoldError("NO_CONNECTION", BROKEN) });
    return {
      is: "shown",
      callIds: [callId],
      ids: [this.#show({ ...update, ...rewound(this.thread, userMessage, own) })],
      now: true,
    };
  }
}

const HOW: readonly WhileRunning[] = ["queue", "refuse", "steer", "interrupt"];

const whileRunning = (options: Pick<RunnerOptions, "whileRunning"> | undefined): WhileRunning | undefined =>
  option(options, "whileRunning") && HOW[choice(options, "whileRunning", HOW)];

/** Returns a runner's first argument, which is checked before its options. */
export function runnersThread<T extends object>(call: string, thread: T): T {
  const { optimistic, threadId } = (thread ?? {}) as { optimistic?: unknown; threadId?: unknown };
  if (typeof optimistic !== "function") invalid(`${call}: the first argument must be a thread, such as new Thread().`);
  if (typeof (threadId ?? "") === "string") return thread;
  invalid(`${call}: the thread's threadId must be a string, got ${String(threadId)}. Use String(id).`);
}

function invalid(sentence: string): never {
  throw new ThreadfoldError("INVALID_ARGUMENT", sentence);
}

const lacking = (call: string, what: string) =>
  new ThreadfoldError(
    "UNSUPPORTED",
    `${call}(): the runner's transport ${what}. With a url, set resumable: true, here and in serveAgUi.`,
  );
