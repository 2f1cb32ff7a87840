import { ThreadfoldError } from "../shared/errors.js";
import { LeftOff } from "../shared/abort.js";
import { sameJson } from "../shared/same-json.js";
import { BROKEN } from "../shared/run-error.js";
import { brokenBy, isUnreached } from "../stream/connection.js";
import { httpStatusOf, isFinal, isGone, isLost, isNotLetIn, pause } from "../stream/http.js";
import type { Thread } from "../thread/thread.js";
import type { PendingUpdate, ThreadRun } from "../thread/thread-types.js";
import { OpenRead } from "./open-read.js";
import { Cancel } from "./cancel.js";
import { FailedUpdates } from "./failed-updates.js";
import { foldState, type ServerThread } from "./load.js";
import { carriedTo, carries, reloaded } from "./lost-messages.js";
import type { Command, Event, Found, RunStanding } from "./machine/types.js";
import type { RunNews, RunProtocol, Work } from "./protocol.js";
import { RunInterrupts } from "./run-interrupts.js";
import { isEdit, removalsOf } from "./rewind.js";
import { isConnected } from "../thread/run-status.js";
import { resendFailed } from "./resend.js";
import { beginEmpty } from "./begin-empty.js";
import { idsOf, isUsers, messagesIn } from "./messages-in.js";
import { INSIDE } from "../thread/inside.js";
import type { RunResult } from "../stream/run-result.js";

const NONE: readonly never[] = [];
type Of<Name extends Command["do"]> = Extract<Command, { do: Name }>;

/** Executes the commands that change a thread, and those that reach a server. Their outcomes are events. */
export class Effects<S extends object, U extends object> {
  readonly interrupts: RunInterrupts<S, U>;
  readonly failed: FailedUpdates<S, U>;
  /** Why the server could not be reached, or its state of the thread not be loaded. */
  loadError: unknown;
  /** Why the last run may not have been stopped on the server. */
  cancelError: ThreadfoldError | undefined;
  /** The messages of the updates that wait for the network, or that the run under way may take, by the update. */
  #kept: ReadonlyMap<string, readonly unknown[]> = new Map();
  readonly #thread: Thread<S, U>;
  readonly #protocol: RunProtocol;
  readonly #delays: readonly number[];
  readonly #cancel: Cancel;
  readonly #hear: (make: () => Event | undefined) => void;
  #reading: OpenRead<S, U>;
  /** Open calls of the page's tools that a run left, and no result has reported yet. */
  #callsLeft: readonly string[] = NONE;

  /** @param hear - Receives a function that makes an event. It may change the thread; only the event is reported. */
  constructor(
    thread: Thread<S, U>,
    protocol: RunProtocol,
    { delays, cancelTimeout }: { readonly delays: readonly number[]; readonly cancelTimeout: number },
    hear: (make: () => Event | undefined) => void,
  ) {
    this.#thread = thread;
    this.#protocol = protocol;
    this.#delays = delays;
    this.#hear = hear;
    this.#cancel = new Cancel(protocol, cancelTimeout);
    this.interrupts = new RunInterrupts(thread, (raw) => protocol.interrupt(raw));
    this.failed = new FailedUpdates(thread);
    this.#reading = new OpenRead(thread, 0, false);
    this.#reading.carry(thread);
    this.#reading.before = undefined;
    reloaded(thread);
  }

  /** Whether the server has sent something about the run. */
  get hasHeard(): boolean {
    return this.#thread.getConfirmedState() !== this.#reading.atStart;
  }

  /** Whether the thread's run is not the one that is being joined. */
  get isReplaced(): boolean {
    const { runId } = this.#reading;
    return runId !== undefined && runId !== this.#thread.run.id;
  }

  /** Whether the server has an update that waits for the network, or that steers. */
  isAtServer(id: string): boolean {
    const messages = this.#kept.get(id) ?? NONE;
    return messages.some((message) => typeof message === "string" && this.#thread.getConfirmedMessage(message));
  }

  /** How the thread's run stands. */
  found({ status, id, error }: ThreadRun = this.#thread.run): Found {
    switch (status) {
      case "interrupted":
        return { is: "interrupted", open: this.interrupts.ids };
      case "error":
        return {
          is: "error",
          begun: id !== undefined,
          lost: isLost({ error }),
          gone: isGone(error),
          busy: this.#isBusy(error),
          open: this.interrupts.ids,
        };
      case "disconnected":
        return { is: "disconnected", joins: this.#canJoin, heard: this.hasHeard };
      default:
        return { is: "finished" };
    }
  }

  /** The run's standing when the runner is made. A record does not show which part the server sent last. */
  get atFirst(): RunStanding {
    const { run, incompleteIds: streaming } = this.#thread;
    const found = this.found();
    if (found.is === "interrupted") return { ...found, kept: NONE };
    if (found.is === "error") return { ...found, answers: undefined };
    if (found.is !== "disconnected") return { is: "none" };
    return { ...found, heard: run.lastEventId !== undefined || streaming.length > 0, tired: false };
  }

  /** Whether the server refused a run because of another one. An edit goes by what the user saw: it does not wait. */
  #isBusy(error: unknown): boolean {
    if (httpStatusOf(error) !== 409 || !this.#protocol.canJoin) return false;
    const carried = new Set(this.#reading.carried);
    return !this.#thread.pending.some(({ id, update }) => carried.has(id) && isEdit(this.#thread, update as object));
  }

  get #canJoin(): boolean {
    return this.#protocol.canJoin && this.#thread.run.id !== undefined;
  }

  /** The result and the usage of the last run, as far as its server named them. */
  said: Partial<Pick<RunResult, "value" | "usage">> = {};

  /** The open calls that a successful run's result reports. `ofThread`: also those that the thread shows. */
  takeCalls(ofThread: boolean): readonly string[] {
    const more = ofThread ? (this.#protocol.news?.().pendingToolCallIds ?? NONE) : NONE;
    const left = this.#callsLeft;
    this.#callsLeft = NONE;
    return [...new Set([...left, ...more])];
  }

  // ── the thread ──

  begin({ n, carries }: Of<"begin">): void {
    const { run } = this.#thread;
    if (carries) this.#thread.receive({ type: "run-started" });
    // Updates made from here on wait for the next run, however long the server takes to begin this one.
    else beginEmpty(this.#thread);
    this.#reading = new OpenRead(this.#thread, n, true, run.interrupts);
  }

  end({ unsends, reopens }: Of<"end">): void {
    const thread = this.#thread;
    this.#kept = new Map(thread.pending.map(({ id, update }) => [id, idsOf(update)]));
    if (unsends) for (const { id } of thread.pending.filter(isSent)) thread[INSIDE].update(id).retry();
    const interrupts = reopens ? this.#reading.interrupts : undefined;
    carriedTo(thread, "stopped");
    thread.receive({ type: "run-finished", interrupts, stopped: true });
  }

  /** The interrupts of a run that failed are open again. */
  reopen(): void {
    this.#thread.receive({ type: "run-finished", interrupts: this.interrupts.raw, stopped: true });
  }

  /** Fails the updates of a cut-off run that another run follows. */
  fail(): void {
    const error = new ThreadfoldError("NO_CONNECTION", BROKEN);
    const carried = new Set(this.#reading.carried);
    for (const { id, status } of this.#thread.pending)
      if (status === "sent" && carried.has(id)) this.#thread[INSIDE].update(id).fail(error);
    // To stop its reading would end the run that has begun.
    this.#reading = new OpenRead(this.#thread, -1, false);
  }

  giveUp({ n }: Of<"giveUp">): Event {
    const thread = this.#thread;
    const { error: last, hasSent, hasJoined } = this.#reading;
    const hasAsked = hasSent || hasJoined;
    const error =
      brokenBy(last ?? thread.run.error) ??
      (hasAsked && thread.run.id === undefined
        ? new ThreadfoldError("BAD_RESPONSE", NO_RUN)
        : new ThreadfoldError("NO_CONNECTION", hasAsked ? NO_END : BROKEN));
    thread.receive({ type: "run-error", error });
    return this.#ended(n);
  }

  /** Says why the run stays cut off. */
  tire(): void {
    const { run } = this.#thread;
    if (run.status === "disconnected" && run.error === undefined)
      this.#thread.receive({ type: "disconnected", error: brokenBy(this.#reading.error) });
  }

  /** Makes failed updates pending again. For a run without any, removes the messages that it had received. */
  retryFailed(callId: number, chosen: readonly PendingUpdate<U>[]): Event {
    const thread = this.#thread;
    if (chosen.length > 0)
      return { is: "shown", callIds: [callId], ids: resendFailed(thread, chosen, this.failed.receivedWith(chosen)) };
    const removals =
      this.#protocol.resendsAnswers && thread.run.id !== undefined ? removalsOf(thread, this.failed.ofRun) : NONE;
    if (removals.length === 0) return { is: "wanted", callIds: [callId] };
    return { is: "shown", callIds: [callId], ids: [thread.optimistic({ messages: removals } as never).id] };
  }

  /** Sends those of these updates that the server, after being asked, lacks. */
  resend({ callIds, ids, isDone }: Of<"resend">): Event {
    const thread = this.#thread;
    const chosen = new Set(ids);
    const lacking = thread.pending.filter(({ id }) => chosen.has(id));
    const failed = lacking.filter(({ status }) => status === "failed");
    if (failed.length > 0)
      return { is: "shown", callIds, ids: resendFailed(thread, failed, this.failed.receivedWith(failed)) };
    // Somebody else has sent it again meanwhile.
    if (lacking.length > 0) return { is: "shown", callIds, ids: lacking.map(({ id }) => id) };
    if (thread.run.status !== "error") return { is: "stands", callIds };
    if (!isDone) return { is: "wanted", callIds };
    thread.receive({ type: "run-finished" });
    return { is: "stands", callIds };
  }

  // ── the server ──

  request({ n, answers, mayLack }: Of<"request">): Event | undefined {
    const reading = this.#reading;
    const updates = reading.carry(this.#thread);
    carries(this.#thread, updates);
    try {
      const given = answers && this.interrupts.answers(answers);
      this.#read(reading, this.#protocol.request(given ? NONE : updates, given, mayLack));
      return undefined;
    } catch (error) {
      this.#thread.receive({ type: "run-error", error });
      return this.#ended(n);
    }
  }

  wait({ n, tries }: Of<"wait">): void {
    void pause(delayOf(this.#delays, tries), this.#reading.signal, globalThis).then(() =>
      this.#hear(() => ({ is: "timer", n })),
    );
  }

  join({ n }: Of<"join">): void {
    if (this.#reading.n !== n) this.#reading = this.#joining(n);
    this.#read(this.#reading, (signal) => this.#protocol.join(signal), true);
  }

  /** A run that is joined is the one that was cut, or another page's. */
  #joining(n: number): OpenRead<S, U> {
    const last = this.#reading;
    const reading = new OpenRead(this.#thread, n, false);
    reading.carry(this.#thread);
    reading.runId = this.#thread.run.id;
    reading.before = last.runId === this.#thread.run.id ? last.before : undefined;
    return reading;
  }

  #read(reading: OpenRead<S, U>, work: Work, joins = false): void {
    const thread = this.#thread;
    const confirmed = thread.getConfirmedState();
    const { lastEventId } = thread.run;
    const over = (error?: unknown, news: RunNews = {}) =>
      this.#hear(() => {
        if (reading !== this.#reading || reading.signal.aborted || thread.isDisposed) return undefined;
        reading.over(thread.run.id, news, error, joins);
        const unreached = isUnreached(error);
        const cut = { is: "disconnected", n: reading.n, answered: reading.hasJoined, unreached } as const;
        if (unreached) this.loadError = error;
        if (unreached && isConnected(thread)) return { ...cut, joins: false, parts: false, auth: false };
        if (thread.run.status !== "disconnected") return this.#ended(reading.n);
        const auth = joins && isNotLetIn(error);
        // Parts that a stream without ids repeats from its start are not new.
        const parts = thread.run.lastEventId !== lastEventId || !sameJson(thread.getConfirmedState(), confirmed);
        // The run continues: a later request may be let in.
        if (auth) thread.receive({ type: "disconnected", error });
        const canJoin = this.#canJoin && (auth || !isFinal(error));
        return { ...cut, joins: canJoin, parts, auth };
      });
    work(reading.signal).then((news) => over(undefined, news), over);
  }

  /** The end of a run, as the thread has it. */
  #ended(n: number): Event {
    const { news, before } = this.#reading;
    const { run } = this.#thread;
    // Retrying a failed run removes only the messages that it had received.
    if (run.status === "error" && before) this.failed.note(before());
    // An answer that the server refused can be corrected.
    if (run.status === "error" && news.stillOpen) this.interrupts.reopen(news.stillOpen);
    if (news.pendingToolCallIds) this.#callsLeft = news.pendingToolCallIds;
    const { value, usage } = news;
    this.said = { ...(value !== undefined && { value }), ...(usage && { usage }) };
    const how = this.found();
    // Where other code has begun a run meanwhile, this one was over before.
    const isWell = how.is === "finished" || how.is === "disconnected";
    const isOver = isWell && !news.stopped;
    carriedTo(this.#thread, how.is === "error" ? "failed" : isOver || how.is === "interrupted" ? "well" : "stopped");
    return { is: "ended", n, how: isWell ? { is: news.stopped ? "stopped" : "finished" } : how };
  }

  load({ n, joined }: Of<"load">): void {
    const reading = (this.#reading = new OpenRead(this.#thread, n, false));
    const { signal } = reading;
    const isOver = () => reading !== this.#reading || signal.aborted || this.#thread.isDisposed;
    const request = async () => this.#protocol.load?.(signal);
    const loaded = (found: ServerThread | undefined): Event => {
      const run = found && foldState(this.#thread, found, joined);
      return { is: "loaded", n, how: this.found(), run, isDone: found?.isDone === true };
    };
    const refused = (error: unknown): Event => {
      this.loadError = error;
      return { is: "unloaded", n, unreached: isUnreached(error) };
    };
    const tried = (found: ServerThread | undefined): Event => {
      try {
        return loaded(found);
      } catch (error) {
        if (this.#thread.isDisposed) throw error;
        return refused(error);
      }
    };
    request().then(
      (found) => this.#hear(() => (isOver() ? undefined : tried(found))),
      (error: unknown) => this.#hear(() => (isOver() ? undefined : refused(error))),
    );
  }

  look({ announced }: Of<"look">): Event | undefined {
    const { id, status } = this.#thread.run;
    const isKnown = (run: string | undefined) => run !== undefined && run === id && status !== "disconnected";
    return announced.every(isKnown) ? undefined : { is: "refresh", known: id };
  }

  cancel({ n }: Of<"cancel">): void {
    void this.#cancel.send().then((error) => {
      this.#hear(() => {
        this.cancelError = error;
        return { is: "cancelled", n };
      });
    });
  }

  /** Whether a run under way can take an update: it only adds messages of the user's. */
  canSteer(id: string): boolean {
    const update = this.#thread.pending.find((one) => one.id === id)?.update ?? {};
    const ids = new Set(idsOf(update));
    const own = messagesIn(this.#thread.getState()).filter((message) => ids.has(message.id));
    return (
      this.#protocol.steer !== undefined &&
      Object.keys(update).join() === "messages" &&
      own.length === ids.size &&
      own.every((message) => isUsers(message) && !this.#thread.getConfirmedMessage(message.id))
    );
  }

  steer({ ids }: Of<"steer">): void {
    const updates = this.#thread.pending.filter(({ id }) => ids.includes(id));
    const kept = updates.map(({ id, update }) => [id, idsOf(update)] as const);
    this.#kept = new Map([...this.#kept, ...kept]);
    const about = new Set(kept.flatMap(([, messages]) => messages));
    const messages = messagesIn(this.#thread.getState()).filter(({ id }) => about.has(id));
    const request = async () => this.#protocol.steer?.(messages, this.#reading.signal);
    // One that is lost on its way waits for the next run.
    if (messages.length > 0) request().catch(() => {});
  }

  leave({ goesOn }: Of<"leave">): void {
    const thread = this.#thread;
    this.#reading.controller.abort(goesOn ? new LeftOff() : undefined);
    this.#cancel.leave();
    if (goesOn && !thread.isDisposed && isConnected(thread)) thread.receive({ type: "disconnected" });
  }
}

/** The longest time between two tries to reach a server, in milliseconds. */
const LONGEST = 30_000;

/** The time before this try: as the option says, and from then on twice the one before. */
export function delayOf(delays: readonly number[], tries: number): number {
  const { [tries]: delay, length } = delays;
  return delay ?? Math.min(LONGEST, (delays.at(-1) || 1_000) * 2 ** (tries - length + 1));
}

const isSent = ({ status }: PendingUpdate<unknown>) => status === "sent";

const NO_RUN = "The server answered without an event of a run.";
const NO_END = "The connection broke, and the run cannot be rejoined.";
