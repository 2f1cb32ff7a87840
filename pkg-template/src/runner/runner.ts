import { ThreadfoldError } from "../shared/errors.js";
import type { Thread } from "../thread/thread.js";
import { LeftOff, ofRunners } from "../shared/abort.js";
import { option, reading } from "../shared/reading.js";
import { choice } from "../shared/choices.js";
import { BROKEN } from "../stream/connection.js";
import { isOpen } from "../stream/run-end.js";
import type { PendingUpdate } from "../thread/thread-types.js";
import { answersTo } from "./answers.js";
import { Cancel } from "./cancel.js";
import { checkSending, checkSendOptions } from "./check-options.js";
import { Failed } from "./failed.js";
import { isGone, isLost } from "../stream/http.js";
import { load } from "./load.js";
import { Loading } from "./loading.js";
import { Outbox, settle, type Waiter } from "./outbox.js";
import type { Answer, RunNews, RunProtocol, Work } from "./protocol.js";
import { Questions } from "./questions.js";
import { readRun } from "./read-run.js";
import type {
  RunnerDecision,
  RunnerError,
  RunnerInterrupt,
  RunnerOptions,
  RunnerStatus,
  RunResult,
  SendOptions,
  SentFields,
  SentMessages,
} from "./runner-types.js";
import { insteadOf, isEdit, questionOf, rewound, saidBy, unsentOf } from "./rewind.js";
import { idsOf, messagesIn, type Said } from "./said.js";
import { sendAgain } from "./send-again.js";
import { ShownRun } from "./shown-run.js";
import { beginEmpty } from "./waiting.js";

const DELAYS = [250, 1_000, 2_000, 4_000, 8_000];
const NONE: readonly never[] = [];
const STOPPED: RunResult = { status: "stopped" };

/**
 * Runs an agent for a thread: sends messages, folds the answers, and tracks each run's status. One interface for every
 * protocol: `AgUiRunner` of `threadfold/ag-ui`, `LangGraphRunner` of `threadfold/langgraph`.
 */
export abstract class Runner<S extends object, U extends object> {
  /** The thread that runs are folded into: show its state, `pending` and `run`. */
  readonly thread: Thread<S, U>;
  readonly #protocol: RunProtocol;
  readonly #refuses: boolean;
  readonly #delays: readonly number[];
  readonly #shown: ShownRun<S, U>;
  readonly #outbox: Outbox<S, U>;
  readonly #questions: Questions<S, U>;
  readonly #failed: Failed<S, U>;
  /** What the server had said when the run began: while it is the same, it has said nothing of the run. */
  #atStart: S | undefined;
  /** The ids of the messages that were there then, and of those that the run took along. */
  #before: (() => ReadonlySet<unknown>) | undefined;
  /** The current activity, and its abort controller. */
  #work: Promise<RunResult> | undefined;
  #stop: AbortController | undefined;
  /** A request to stop a run on the server is under way: the next run waits for it. */
  #cancelling: Promise<RunnerError | undefined> | undefined;
  /**
   * Whether a run that had begun has failed, or one may have begun, and none has ended well since: the server may lack what
   * it told, or have what it did not tell.
   */
  #mayLack = false;
  /** The last run's answers to interrupts, for a retry. */
  #answers: readonly Answer[] | undefined;
  /** Asks once more for the server's state of the thread, which could not be loaded. */
  #loadAgain: (() => Promise<RunResult>) | undefined;
  /** What goes by what stands in the thread waits for this: answers and edits. */
  readonly #loading = new Loading();
  readonly #cancel: Cancel;
  #isDisposed = false;

  protected constructor(thread: Thread<S, U>, protocol: RunProtocol, options: RunnerOptions) {
    if (typeof thread?.optimistic !== "function")
      invalid("A runner's first argument should be a thread, such as new Thread().");
    this.thread = thread;
    this.#protocol = protocol;
    this.#refuses = choice(options, "whileRunning", ["queue", "refuse"]) === 1;
    this.#delays = option(options, "rejoin")?.delays ?? DELAYS;
    this.#cancel = new Cancel(protocol, option(options, "cancelTimeout") ?? 5_000);
    this.#outbox = new Outbox(thread);
    const activity = () => this.#work && (this.#cancelling ? "cancelling" : "working");
    this.#questions = new Questions(thread, (raw) => protocol.interrupt(raw));
    this.#failed = new Failed(thread);
    this.#shown = new ShownRun(thread, this.#questions, activity, this.#loading);
    this.getStatus = this.getStatus.bind(this);
    this.subscribe = this.subscribe.bind(this);
  }

  /** The current status. */
  get status(): RunnerStatus {
    return this.#shown.status;
  }

  /**
   * Returns {@link Runner.status}, as a function that works detached:
   * `useSyncExternalStore(runner.subscribe, runner.getStatus)`.
   */
  getStatus(): RunnerStatus {
    return this.status;
  }

  /**
   * Why the last run failed, why its connection broke, or why the thread could not be loaded; with the HTTP `status`, if
   * the server refused the request. Exactly while {@link Runner.status} is `error`, when `retry()` can be called: not while
   * a broken connection is being rejoined. `NO_CONNECTION` for a run that a reload cut off, until it is rejoined. The same
   * object until another run fails.
   */
  get error(): RunnerError | undefined {
    return this.#shown.error;
  }

  /**
   * Whether `load()` asks for a thread of which no message is here yet: show that it opens. Not while a thread that is
   * open is loaded again.
   */
  get isThreadLoading(): boolean {
    return this.#shown.isThreadLoading;
  }

  /** The run's interrupts without an answer: see {@link Runner.resume}. The same array until they change. */
  get interrupts(): readonly RunnerInterrupt[] {
    return this.#shown.interrupts;
  }

  /**
   * Shows a message at once, and sends it. Resolves when the run that carried it has ended in any way. If a run in its
   * way waits for an answer or has lost its connection, resolves with that; the message is sent after it. A message
   * that you take back before it is sent (`thread.optimisticUpdate(id).rollback()`) is `stopped`.
   *
   * @param message - A text, a message, several, or none: the agent then runs with the state as it is, as after a
   *   tool's result.
   * @param input - Other input fields of the state, shown and sent with it: LangGraph's `input` beside `messages`,
   *   AG-UI's `state`. Not options of the request.
   * @param options - `messageId` edits: the message takes the place of that one of the user's, and what stands behind it
   *   is removed, here and at the server. What no run has sent of it is taken back.
   * @throws {@link ThreadfoldError} `BUSY` with `"refuse"` or a `messageId` while a run is under way or waits for an
   *   answer, or while other code folds a run into the thread; `DISPOSED`; `UNKNOWN_MESSAGE` for a `messageId` that no
   *   message has, `INVALID_ARGUMENT` for one that is not the user's; the errors of `thread.optimistic`. Nothing is then shown.
   */
  async sendMessage(
    message?: string | SentMessages<U>,
    input?: SentFields<U>,
    options?: SendOptions,
  ): Promise<RunResult> {
    this.#ready();
    checkSending(this.thread, input, options);
    const isNone = message === undefined || (Array.isArray(message) && message.length === 0);
    const update = reading(() => ({ ...input, ...(!isNone && { messages: this.#protocol.messages(message) }) }));
    const messageId = option(options, "messageId");
    if (messageId !== undefined && this.#loading.isUnderWay) await this.#loaded();
    this.#refuseIfBusy();
    if (messageId !== undefined) {
      const question = this.#questionOf(messageId);
      const own = insteadOf(question, messageId, update.messages);
      return this.#send(() => ({ ...update, ...rewound(this.thread, question, own) }));
    }
    if (Object.keys(update).length === 0) return this.#enqueue(undefined);
    return this.#send(() => update);
  }

  /**
   * Has the agent answer again: removes what stands behind one of the user's messages, here and at the server, and runs.
   * Over LangGraph, what the server has behind it, whatever is shown here: it is asked first.
   * What no run has sent of it is taken back. Resolves as {@link Runner.sendMessage} does; until the run has ended,
   * `thread.pending` has the message and the removals. If the run fails, {@link Runner.retry} tries again.
   *
   * @param options - `messageId`: the user's message, or one of the answer's. The last answer, unless given.
   * @throws {@link ThreadfoldError} `BUSY` while a run is under way or waits for an answer: `stop()` it first. `DISPOSED`;
   *   `INVALID_STATE` without a message of the user's, `UNKNOWN_MESSAGE` for an id that no message has.
   */
  async regenerate(options?: SendOptions): Promise<RunResult> {
    this.#ready();
    checkSendOptions("regenerate", options);
    if (this.#loading.isUnderWay) await this.#loaded();
    const { thread } = this;
    const question = this.#questionOf(option(options, "messageId"));
    // There is no answer yet to one that the server does not have.
    const unsent = unsentOf(thread, question);
    if (!unsent) return this.#send(() => rewound(thread, question));
    return unsent.status === "failed" ? this.retry(unsent) : this.#enqueue(unsent.id);
  }

  /**
   * Stops the run, also on the server where it can: messages received so far stay. If the server has sent nothing yet,
   * your message is pending again and goes out with the next one. Dismisses the run's interrupts. Queued messages go
   * out next. Without a run it does nothing. Resolves when the server has answered, or after `cancelTimeout`: with an
   * `error` if the server refused or could not be reached, so that the run may go on there.
   */
  async stop(): Promise<RunResult> {
    const { thread } = this;
    const { id, status } = thread.run;
    if (this.#isDisposed || !(this.#work || status === "disconnected" || this.#isAsking)) return STOPPED;
    if (this.#isAsking) thread.receive({ type: "run-finished", stopped: true });
    else if (isOpen(thread)) {
      if (id === undefined || thread.getConfirmedState() === this.#atStart)
        for (const update of thread.pending.filter(isSent)) thread.optimisticUpdate(update.id).retry();
      const cancelling = this.#cancel.send().finally(() => {
        if (this.#cancelling === cancelling) this.#cancelling = undefined;
      });
      this.#cancelling = cancelling;
      if (this.#stop) this.#stop.abort();
      else thread.receive({ type: "run-finished", stopped: true });
    }
    this.#shown.tell();
    void this.#advance();
    const error = await this.#cancelling;
    return error ? { ...STOPPED, error } : STOPPED;
  }

  /**
   * Does again what the thread did last, if that failed. A run sends the updates that it carried and the server does not
   * have; one without any runs again, with its answers to interrupts if it had any. A LangGraph run that had begun goes on
   * from its checkpoint, which keeps the answers; of one whose request got no answer, the server is asked first. A run that
   * lost its connection is rejoined, or made again if it cannot be; a `load()` loads again, and answers lost by a reload are
   * asked for again. If the last run did not fail, sends what the last one that did carried.
   *
   * @param update - A failed update: sends that one instead, at the end if the conversation has gone on since.
   *
   * @throws {@link ThreadfoldError} as {@link Runner.sendMessage}; `INVALID_STATE` when nothing has failed.
   */
  async retry(update?: string | { readonly id: string }): Promise<RunResult> {
    this.#ready();
    const { thread } = this;
    const { status } = thread.run;
    const id = typeof update === "string" ? update : option(update, "id");
    if (id === undefined && !this.#work) {
      if (this.#loadAgain) return this.#loadAgain();
      // Questions of a run that failed: it was to answer them.
      if (status === "failed" && this.#isAsking) return this.#answers ? this.#resume(this.#answers) : this.#askAgain();
    }
    this.#refuseIfBusy();
    if (id === undefined && !this.#work && status === "disconnected") {
      const canJoin = this.#canJoin;
      return this.#rejoin((end) => this.#again(end, canJoin));
    }
    const chosen = id === undefined ? this.#failed.last : this.#failed.all.filter((one) => one.id === id);
    // As an edit is.
    if ((this.#work || this.#isAsking) && chosen.some(({ update }) => isEdit(thread, update as object))) busy();
    if (chosen.length > 0)
      return this.#protocol.load && !this.#work && isLost(thread.run)
        ? this.#askFirst(chosen)
        : this.#sendAgain(chosen);
    if (id !== undefined) invalid("No update that has failed has this id: see thread.pending.");
    if (status !== "failed") throw new ThreadfoldError("INVALID_STATE", "Nothing has failed.");
    if (this.#work || !this.#protocol.answersAgain) return this.#enqueue(undefined);
    if (this.#answers) return this.#resume(this.#answers);
    const said = thread.run.id === undefined ? [] : saidBy(thread, this.#before);
    return said.length > 0 ? this.#send(() => ({ messages: said })) : this.#enqueue(undefined);
  }

  #sendAgain(chosen: readonly PendingUpdate<U>[]): Promise<RunResult> {
    const said = this.#failed.saidWith(chosen);
    const again = this.#outbox.prepare(() => sendAgain(this.thread, chosen, said));
    for (const one of again) this.#outbox.add(one);
    return this.#enqueue(again.at(-1));
  }

  /** Takes what the server has of a run whose request got no answer, and sends what the server does not have. */
  #askFirst(chosen: readonly PendingUpdate<U>[]): Promise<RunResult> {
    const { thread } = this;
    const ids = new Set(chosen.map(({ id }) => id));
    return this.#load((end, isDone) => {
      if (this.#work || end.status === "interrupted") return end;
      const lacking = thread.pending.filter(({ id }) => ids.has(id));
      const failed = lacking.filter(({ status }) => status === "failed");
      if (failed.length > 0) return this.#sendAgain(failed);
      // Somebody else has sent it again meanwhile.
      if (lacking.length > 0) return this.#enqueue(lacking.at(-1)?.id);
      if (thread.run.status !== "failed") return end;
      if (!isDone) return this.#enqueue(undefined);
      thread.receive({ type: "run-finished" });
      return this.#result({});
    });
  }

  /**
   * Answers some or all of {@link Runner.interrupts}. Once all are answered the answers go out together; resolves when the
   * run that continues with them has ended. Until then keeps the answers, not over a reload, and resolves at once with the
   * `interrupts` that are still open. Queued messages go out after the run, not with the answers. If the request fails,
   * all the interrupts are open again; if the run fails, those that the server says are still open.
   *
   * @throws {@link ThreadfoldError} `INVALID_STATE` when no interrupt is open, `INVALID_ARGUMENT` when a decision leaves out the `id` while
   *   several are; `BUSY`; `DISPOSED`.
   */
  async resume(decisions: RunnerDecision | readonly RunnerDecision[]): Promise<RunResult> {
    this.#ready();
    if (this.#loading.isUnderWay) await this.#loaded();
    if (this.#work) busy();
    const questions = this.#questions;
    const answers = () => reading(() => answersTo(questions, decisions));
    const given = answers();
    const whole = questions.whole(given);
    if (whole) return this.#resume(whole);
    if (this.thread.run.status !== "failed") questions.keep(given);
    else {
      this.#askAgain();
      questions.keep(answers());
    }
    this.#shown.tell();
    return this.#result({});
  }

  /**
   * Rejoins the run whose connection broke, or that was under way when the page was left: call it after
   * `Thread.fromJSON`. Resolves when the run has ended; at once, when the thread has no such run. A run that cannot be
   * joined fails, so that you can send its messages again. If the server answers 401 or 403, the run stays
   * `disconnected`, to be joined with other headers. Over AG-UI tells in `pendingToolCallIds` which calls of the
   * option `tools` wait for their result, also if the run ended before the reload.
   *
   * @throws {@link ThreadfoldError} `DISPOSED`.
   */
  async rejoin(): Promise<RunResult> {
    this.#ready();
    return this.#work ?? this.#rejoin((end) => end);
  }

  /**
   * Folds the server's state of the thread, for a runner whose server offers it.
   *
   * @internal
   */
  protected async loadFrom(): Promise<RunResult> {
    this.#ready();
    const { thread } = this;
    if (this.#work) return this.#work;
    if (thread.run.status === "running") busy();
    if (thread.run.status === "disconnected") return this.rejoin();
    return this.#load((end) => end);
  }

  /** @param then - Called with the end, and whether the graph is done, before anything queued is sent. */
  #load(then: (end: RunResult, isDone: boolean) => RunResult | Promise<RunResult>): Promise<RunResult> {
    let isDone = false;
    const ask = async () => {
      const { signal } = (this.#stop = new AbortController());
      this.#loading.begin();
      const found = await this.#protocol.load?.(signal);
      if (signal.aborted) throw signal.reason;
      isDone = found?.isDone === true;
      return found;
    };
    const join = () => {
      this.#loading.end();
      // It is another page's run.
      this.#before = undefined;
      return this.#follow();
    };
    const work = async (): Promise<RunResult> => {
      try {
        return (await load(this.thread, ask, join)) ?? this.#result({});
      } catch (error) {
        if (this.#isDisposed) return { status: "disconnected" };
        this.#ready();
        this.#shown.failedLoad = { error };
        this.#loadAgain = () => this.#load(then);
        return { status: "failed", error: this.#shown.reason };
      }
    };
    return this.#alone(work, (end) => (this.#loadAgain || this.#isDisposed ? end : then(end, isDone)));
  }

  /**
   * Calls `listener` when {@link Runner.status}, {@link Runner.error} or {@link Runner.interrupts} change. Returns an
   * unsubscribe function.
   */
  subscribe(listener: () => void): () => void {
    this.#ready();
    return this.#shown.subscribe(listener);
  }

  /**
   * Disconnects from the run under way, which goes on at the server: the thread's run is `disconnected`, for another
   * runner to rejoin. Does not dispose of the thread.
   */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#stop?.abort(new LeftOff());
    this.#cancel.leave();
    if (this.#work) this.#disconnect();
    settle(this.#outbox.takeWaiters(), { status: "disconnected" });
    this.#shown.leave();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #ready(): void {
    if (this.#isDisposed) throw new ThreadfoldError("DISPOSED", "The runner was disposed.");
    // A freed thread throws here.
    void this.thread.incompleteIds;
  }

  /** Waits until the thread is as the server has it. */
  async #loaded(): Promise<void> {
    await this.#loading.over();
    this.#ready();
  }

  #disconnect(): void {
    try {
      if (this.thread.run.status === "running") this.thread.receive({ type: "disconnected" });
    } catch {
      // The thread was freed: nobody reads it any more.
    }
  }

  #refuseIfBusy(): void {
    if (this.#refuses && ((this.#work && !this.#loading.isUnderWay) || this.#isAsking)) busy();
    if (!this.#work && this.thread.run.status === "running") busy();
  }

  /** @throws `BUSY` unless nothing is under way: what stands behind a message has to be known. */
  #questionOf(id: string | undefined): Said {
    const { status } = this.thread.run;
    const goesOn = status === "running" || (status === "disconnected" && this.#canJoin);
    if (this.#work || this.#isAsking || goesOn) busy();
    const question = questionOf(this.thread, id);
    // What that run took along has failed with it.
    if (status === "disconnected")
      this.thread.receive({ type: "run-error", error: new ThreadfoldError("NO_CONNECTION", BROKEN) });
    return question;
  }

  #send(update: () => object): Promise<RunResult> {
    return this.#enqueue(this.#outbox.prepare(() => this.thread.optimistic(update() as U).id));
  }

  get #canJoin(): boolean {
    return this.#protocol.canJoin && this.thread.run.id !== undefined;
  }

  get #isAsking(): boolean {
    return this.interrupts.length > 0;
  }

  #enqueue(update: string | undefined): Promise<RunResult> {
    // A listener that heard of the update has disposed of the runner.
    if (this.#isDisposed) return Promise.resolve({ status: "disconnected" });
    const end = this.#outbox.end(update);
    void this.#advance();
    return end;
  }

  /** Sends queued messages, as long as nothing is in the way. */
  async #advance(): Promise<void> {
    if (this.#work || this.#isDisposed || this.#outbox.isPreparing) return;
    let waiters: Waiter[] = [];
    try {
      for (;;) {
        // A listener may have begun the next by now.
        if (this.#work || this.#isDisposed) return;
        this.#outbox.dropTakenBack();
        if (this.#outbox.isEmpty) return;
        if (this.#cancelling) {
          await this.#working(() => this.#cancelled());
          continue;
        }
        if (this.thread.run.status === "disconnected") {
          await this.#working(() => this.#follow());
          this.#outbox.dropTakenBack();
          // A listener may have begun a run that carries all that waited.
          if (this.#work || this.#outbox.isEmpty) return;
        }
        waiters = this.#outbox.takeWaiters();
        const isInTheWay = this.#isAsking || this.thread.run.status === "disconnected";
        settle(waiters, isInTheWay ? this.#result({}) : await this.#working(() => this.#run()));
        if (isInTheWay) return;
      }
    } catch (error) {
      for (const { reject } of [...waiters, ...this.#outbox.takeWaiters()]) reject(error);
    }
  }

  /**
   * Runs an exclusive activity, then sends queued messages.
   *
   * @param then - Called with the end, before anything queued is sent.
   */
  async #alone(
    work: () => Promise<RunResult>,
    then: (end: RunResult) => RunResult | Promise<RunResult> = (end) => end,
  ): Promise<RunResult> {
    try {
      return then(await this.#working(work));
    } finally {
      void this.#advance();
    }
  }

  async #working(work: () => Promise<RunResult>): Promise<RunResult> {
    // The activity may read the status as soon as it begins.
    let begin: (work: Promise<RunResult>) => void = () => {};
    this.#shown.failedLoad = this.#loadAgain = undefined;
    this.#work = new Promise((resolve) => (begin = resolve));
    // The caller gets the error; this copy may go unhandled.
    this.#work.catch(() => {});
    try {
      const going = work();
      begin(going);
      this.#shown.tell();
      return await going;
    } finally {
      this.#work = undefined;
      this.#stop = undefined;
      this.#loading.end();
      this.#shown.tell();
    }
  }

  async #cancelled(): Promise<RunResult> {
    await this.#cancelling;
    return STOPPED;
  }

  async #run(send?: Work): Promise<RunResult> {
    if (this.#cancelling) await this.#cancelling;
    if (this.#isDisposed) return { status: "disconnected" };
    const { thread } = this;
    const { interrupts: asked, status, id } = thread.run;
    if (!send) this.#answers = undefined;
    this.#mayLack ||= status === "failed" && (id !== undefined || isLost(thread.run));
    // Updates made from here on wait for the next run, however long the server takes to begin this one.
    if (send) beginEmpty(thread);
    else {
      thread.receive({ type: "run-started" });
      this.#outbox.sent();
    }
    this.#atStart = thread.getConfirmedState();
    const sent = thread.pending.filter(isSent);
    const atStart = messagesIn(this.#atStart);
    this.#before = () => new Set([...atStart.map(({ id }) => id), ...sent.flatMap(({ update }) => idsOf(update))]);
    try {
      send ??= this.#protocol.request(
        sent.map(({ update }) => update),
        undefined,
        this.#mayLack,
      );
    } catch (error) {
      thread.receive({ type: "run-error", error });
      this.#noteFailure();
      return this.#result({});
    }
    return this.#follow(send, asked);
  }

  #resume(answers: readonly Answer[]): Promise<RunResult> {
    const send = this.#protocol.request(NONE, answers);
    // They are open again if the request fails.
    this.#questions.forget();
    return this.#alone(() => {
      this.#answers = answers;
      return this.#run(send);
    });
  }

  /** @param then - Called with the end, before anything queued is sent. */
  async #rejoin(then: (end: RunResult) => RunResult | Promise<RunResult>): Promise<RunResult> {
    const told = (end: RunResult) => then(end.status === "finished" ? { ...this.#protocol.news?.(), ...end } : end);
    if (this.thread.run.status === "disconnected") return this.#alone(() => this.#follow(), told);
    void this.#advance();
    return told(this.#result({}));
  }

  /** Makes a run again that could not be joined, maybe because the server does not know it any more. */
  #again(end: RunResult, couldJoin: boolean): RunResult | Promise<RunResult> {
    const isNext = !this.#work && !this.#isDisposed && this.thread.run.status === "failed";
    return isNext && end.status === "failed" && (!couldJoin || isGone(end.error)) ? this.retry() : end;
  }

  /** The questions of a run that failed are open again. */
  #askAgain(): RunResult {
    this.thread.receive({ type: "run-finished", interrupts: this.#questions.raw, stopped: true });
    return this.#result({});
  }

  /** Reads a run to its end. */
  async #follow(send?: Work, asked?: readonly unknown[]): Promise<RunResult> {
    const { signal } = (this.#stop = new AbortController());
    ofRunners.add(signal);
    const news = await readRun(this.thread, this.#protocol, this.#delays, signal, send);
    if (["idle", "interrupted"].includes(this.thread.run.status)) {
      if (!signal.aborted) this.#mayLack = false;
      // Only a run that failed with answers sends them again.
      this.#answers = undefined;
    }
    this.#noteFailure();
    // An answer that the server refused can be corrected.
    if (news.stillOpen && this.thread.run.status === "failed") this.#questions.reopen(news.stillOpen);
    return signal.aborted ? this.#left(signal.reason instanceof LeftOff, asked) : this.#result(news);
  }

  /** What a failed run had said goes when it is tried again, and nothing else. */
  #noteFailure(): void {
    if (this.thread.run.status === "failed" && this.#before) this.#failed.note(this.#before());
  }

  /** The run was stopped here, or disconnected. An interrupt whose answer the server has not received is still open. */
  #left(goesOn: boolean, asked: readonly unknown[] | undefined): RunResult {
    const { thread } = this;
    const { id } = thread.run;
    if (goesOn) return thread.run.error === undefined ? { status: "disconnected" } : this.#result({});
    const interrupts = id === undefined ? asked : undefined;
    if (isOpen(thread) || interrupts) thread.receive({ type: "run-finished", interrupts, stopped: true });
    return STOPPED;
  }

  #result({ stopped, pendingToolCallIds }: RunNews): RunResult {
    const { reason: error } = this.#shown;
    switch (this.thread.run.status) {
      case "idle":
        return stopped
          ? { status: "stopped" }
          : { status: "finished", ...(pendingToolCallIds && { pendingToolCallIds }) };
      case "interrupted":
        return { status: "interrupted", interrupts: this.interrupts };
      case "failed":
        return { status: "failed", error };
      default:
        return error ? { status: "disconnected", error } : { status: "disconnected" };
    }
  }
}

const isSent = ({ status }: PendingUpdate<unknown>) => status === "sent";

function busy(): never {
  throw new ThreadfoldError(
    "BUSY",
    "A run of the thread is under way, or waits for an answer: stop() it, or wait for its end.",
  );
}

function invalid(sentence: string): never {
  throw new ThreadfoldError("INVALID_ARGUMENT", sentence);
}
