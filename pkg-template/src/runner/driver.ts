import { ThreadfoldError } from "../shared/errors.js";
import type { Thread } from "../thread/thread.js";
import { isConnected } from "../thread/run-status.js";
import { runError } from "../shared/run-error.js";
import type { Interrupt, RunResult } from "../stream/run-result.js";
import type { RunStatus } from "../thread/thread-types.js";
import { Effects } from "./effects.js";
import { step } from "./machine.js";
import { listOf } from "./machine/chain.js";
import { machineOf } from "./machine/machine-of.js";
import { hasNews, isDue, isUnderWay, openOf } from "./machine/standing.js";
import type { Command, Event, Machine, Refusal, Rules, CallId } from "./machine/types.js";
import type { RunProtocol } from "./protocol.js";
import type { WhileRunning } from "./runner-types.js";
import { openInterrupts, showsError, shownStatus } from "./shown.js";
import { Listeners } from "./listeners.js";
import { carried, isPending } from "./messages-in.js";
import { INSIDE } from "../thread/inside.js";

/** A call whose promise is not settled. */
interface Call {
  resolve(result: RunResult): void;
  reject(error: unknown): void;
  /** Shows or reads the call's data, once it is admitted. An error that it throws rejects the call. */
  act: (callId: CallId) => Event;
  /** Whether its result reports the shown thread, for a page that was not there. */
  readonly isLoad: boolean;
}

export interface Settings {
  readonly whileRunning: WhileRunning;
  readonly waits: boolean;
  readonly delays: readonly number[];
  readonly cancelTimeout: number;
}

/** Feeds a machine with calls, events and changes of the thread, and has its commands executed. */
export class Driver<S extends object, U extends object> {
  readonly thread: Thread<S, U>;
  readonly effects: Effects<S, U>;
  readonly listeners = new Listeners(() => [this.status, this.error, this.interrupts, this.isThreadLoading]);
  readonly #rules: Rules;
  readonly #calls = new Map<CallId, Call>();
  readonly #queue: (() => Event | undefined)[] = [];
  #machine: Machine;
  #made = 0;
  #isDraining = false;
  /** The thread's run as it was last looked at: another one is other code's. */
  #seen: unknown;
  #unwatch: (() => void) | undefined;
  #blamed: { readonly on: unknown; readonly isBroken: boolean; readonly error: ThreadfoldError } | undefined;

  constructor(thread: Thread<S, U>, protocol: RunProtocol, settings: Settings) {
    this.thread = thread;
    this.#rules = {
      canLoad: protocol.load !== undefined,
      resendsAnswers: protocol.resendsAnswers,
      get refuses() {
        return settings.whileRunning === "refuse";
      },
      get waits() {
        return settings.waits;
      },
      patience: settings.delays.length,
    };
    this.effects = new Effects(thread, protocol, settings, (make) => {
      this.#queue.push(make);
      this.#drain();
    });
    // Messages queued when the page was left are still queued.
    const unsent = carried(thread).filter(isPending);
    this.#machine = machineOf(
      this.effects.atFirst,
      unsent.map(({ id }) => id),
    );
    this.#seen = thread.run;
  }

  // ── the shown state ──

  /** The machine, brought up to date with the thread. Notifies nobody: reading changes nothing for others. */
  get machine(): Machine {
    if (this.#isDraining || this.thread.isDisposed) return this.#machine;
    for (let event = this.#inThread(); event; event = this.#inThread()) this.#step(event);
    return this.#machine;
  }

  get status(): RunStatus {
    return this.thread.isDisposed ? "ready" : shownStatus(this.machine);
  }

  get error(): ThreadfoldError | undefined {
    return !this.thread.isDisposed && showsError(this.machine) ? this.#reason : undefined;
  }

  get interrupts(): readonly Interrupt[] {
    return this.thread.isDisposed ? NONE : this.effects.interrupts.list(openInterrupts(this.machine));
  }

  get isThreadLoading(): boolean {
    return this.machine.state.is === "loading" && !this.thread.isDisposed && this.thread.messageIds.length === 0;
  }

  /** The same object until another run fails. */
  get #reason(): ThreadfoldError | undefined {
    const { state } = this.#machine;
    if (state.is !== "rest" && state.is !== "offline") return undefined;
    const { is } = state.is === "offline" ? state : state.run;
    if (is !== "offline" && is !== "unloaded" && is !== "error" && is !== "disconnected") return undefined;
    const on = is === "unloaded" || is === "offline" ? this.effects.loadError : this.thread.run.error;
    const isBroken = is === "disconnected";
    if (!this.#blamed || this.#blamed.on !== on || this.#blamed.isBroken !== isBroken)
      this.#blamed = { on, isBroken, error: runError(on, isBroken) };
    return this.#blamed.error;
  }

  // ── calls ──

  /** Returns how the call ends. */
  call(event: (callId: CallId) => Event, act: (callId: CallId) => Event = none, isLoad = false): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      const callId = this.#made++;
      this.#calls.set(callId, { resolve, reject, act, isLoad });
      this.hear(event(callId));
    });
  }

  /** Changes what a call is for. */
  acts(callId: CallId, act: (callId: CallId) => Event): void {
    const call = this.#calls.get(callId);
    if (call) call.act = act;
  }

  hear(event: Event): void {
    this.#queue.push(() => event);
    this.#drain();
  }

  /** Returns the event of a retry: of the update with this id, or of what failed last. */
  retryEvent(callId: CallId, id: string | undefined, isEdit: (update: object) => boolean): Event {
    const chosen = this.chosen(id);
    const edits = chosen.some(({ update }) => isEdit(update as object));
    return { is: "retry", callId, ids: chosen.map((one) => one.id), named: id !== undefined, edits };
  }

  chosen(id: string | undefined) {
    const { failed } = this.effects;
    return id === undefined ? failed.last : failed.all.filter((one) => one.id === id);
  }

  /** Returns a function that ends it. */
  subscribe(listener: () => void): () => void {
    const end = this.listeners.add(listener);
    this.#watch();
    return () => {
      end();
      this.#watch();
    };
  }

  get isDisposed(): boolean {
    return this.#machine.state.is === "disposed" && !this.thread.isDisposed;
  }

  dispose(): void {
    if (this.#isDraining) this.#queue.unshift(() => ({ is: "dispose" }));
    else this.#drain(true);
    this.listeners.clear();
    this.#watch();
  }

  // ── the machine ──

  /**
   * Processes one event after the other: changes of the thread, then calls and events, then the machine's own next
   * step.
   */
  #drain(isDisposing = false): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      // A getter may have stepped the machine.
      this.listeners.tell();
      if (isDisposing) this.#step({ is: "dispose" });
      while (this.#takeOne());
    } finally {
      this.#isDraining = false;
    }
    this.#watch();
  }

  #takeOne(): boolean {
    const event = this.#inThread();
    if (event) return this.#step(event);
    const make = this.#queue.shift();
    if (make) {
      const made = this.#tried(make);
      this.#seen = this.thread.run;
      return made ? this.#step(made) : true;
    }
    return this.#goOn();
  }

  #goOn(): boolean {
    const { later, state } = this.#machine;
    if (hasNews(this.#machine)) return this.#step({ is: "next" });
    if (isDue(this.#machine)) {
      const gone = this.#takenBack();
      if (gone !== undefined)
        return this.#step({ is: "rolledBack", id: gone, isAtServer: this.effects.isAtServer(gone) });
    } else if (later.length === 0 || state.is === "disposed") return false;
    return this.#step({ is: "next" });
  }

  /** Returns whether something has changed. */
  #step(event: Event): boolean {
    const { machine, commands } = step(this.#machine, event, this.#rules);
    const hasChanged =
      commands.length > 0 || machine.state !== this.#machine.state || machine.later !== this.#machine.later;
    this.#machine = machine;
    const made = commands.flatMap((command) => this.#tried(() => this.#execute(command)) ?? []);
    this.#queue.unshift(...made.map((one) => () => one));
    // A listener's own call is the next event.
    if (this.#isDraining) this.listeners.tell();
    return hasChanged || event.is !== "next";
  }

  /** A change of the thread that the machine does not know. */
  #inThread(): Event | undefined {
    const { thread } = this;
    const { state, n, unsent, steering } = this.#machine;
    if (state.is === "disposed") return undefined;
    if (thread.isDisposed) return { is: "freed" };
    const { run } = thread;
    const isNamed = run.id !== undefined;
    const isReplaced = state.is === "rejoining" && isConnected(this.thread) && this.effects.isReplaced;
    if (isUnderWay(state) && !isReplaced) {
      this.#seen = run;
      const ids = state.is === "reading" ? steering.filter((id) => this.effects.isAtServer(id)) : NONE;
      if (ids.length > 0) return { is: "taken", ids };
      if (state.is === "reading") return !state.heard && this.effects.hasHeard ? { is: "part", n } : undefined;
      return isConnected(this.thread) && isNamed ? { is: "began", n } : undefined;
    }
    if (isConnected(this.thread)) {
      if (state.is === "elsewhere" && state.isNamed === isNamed) return undefined;
      const took = listOf(unsent).filter((id) => thread[INSIDE].update(id).status !== "pending");
      return { is: "otherBegan", took, isNamed };
    }
    if (state.is !== "elsewhere" && run === this.#seen) return undefined;
    this.#seen = run;
    return { is: "otherEnded", how: this.effects.found() };
  }

  /** Returns the id of an update that was to be sent, and is not pending any more. */
  #takenBack(): string | undefined {
    const { state, waiters, unsent } = this.#machine;
    const isGone = (id: string | undefined) => id !== undefined && this.thread[INSIDE].update(id).status !== "pending";
    for (let at = waiters; at; at = at.rest) if (isGone(at.last.id)) return at.last.id;
    const goes = state.is === "rest" && openOf(state.run).length === 0 && state.run.is !== "disconnected";
    return goes ? listOf(unsent).find(isGone) : undefined;
  }

  /** A listener may dispose of the thread while it changes: the rest is still done, so that each call is settled. */
  #tried<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      if (this.thread.isDisposed) return undefined;
      throw error;
    }
  }

  #execute(command: Command): Event | undefined {
    switch (command.do) {
      case "act":
        return this.#act(command.callId);
      case "settle":
        return void this.#settle(command);
      case "refuse":
        return void this.#refuse(command);
      case "retry":
        return this.retryEvent(command.callId, undefined, () => false);
      default: {
        const made = (this.effects[command.do] as (command: Command) => Event | undefined).call(this.effects, command);
        // It is this runner's own doing.
        if (command.do === "reopen" || command.do === "end" || command.do === "tire") this.#seen = this.thread.run;
        return made;
      }
    }
  }

  #act(callId: CallId): Event | undefined {
    try {
      return this.#calls.get(callId)?.act(callId);
    } catch (error) {
      this.#take(callId)?.reject(error);
      return undefined;
    }
  }

  #take(callId: CallId): Call | undefined {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    return call;
  }

  #settle({ callIds, how, why }: Extract<Command, { do: "settle" }>): void {
    const calls = callIds.flatMap((callId) => this.#take(callId) ?? []);
    const isLoad = calls.some((call) => call.isLoad);
    const result = this.#tried(() => {
      try {
        return this.#resultOf(how, why, isLoad);
      } catch (error) {
        // The option `tools` may throw.
        return this.#resultOf("error", runError(error, false), isLoad);
      }
    });
    for (const { resolve, reject } of calls) {
      if (result) resolve(result);
      else reject(refusalOf("DISPOSED"));
    }
  }

  /** A call that comes at the wrong moment, as by a second click, resolves with the reason. An invalid one rejects. */
  #refuse({ callId, code }: Extract<Command, { do: "refuse" }>): void {
    const call = this.#take(callId);
    const error = refusalOf(code);
    if (code !== "BUSY" && code !== "INVALID_STATE") call?.reject(error);
    else
      call?.resolve(this.#resultOf(openInterrupts(this.#machine).length > 0 ? "interrupted" : "error", error, false));
  }

  #resultOf(
    status: RunResult["status"],
    why: "cancel" | "other" | ThreadfoldError | undefined,
    isLoad: boolean,
  ): RunResult {
    const refused = why === "cancel" ? this.effects.cancelError : why === "other" ? refusalOf("BUSY") : why;
    const hasFailed = status === "error" || status === "disconnected";
    return {
      status,
      runId: this.thread.run.id,
      error: refused ?? (hasFailed ? this.#reason : undefined),
      interrupts: status === "interrupted" ? this.effects.interrupts.list(openInterrupts(this.#machine)) : NONE,
      pendingToolCallIds: status === "finished" ? this.effects.takeCalls(isLoad) : NONE,
      ...(!isLoad && (status === "finished" || status === "interrupted") && this.effects.said),
    };
  }

  /**
   * Listens to the thread while somebody listens here, waits for the end of another program's run, or has a message that
   * the run may take.
   */
  #watch(): void {
    const { state, steering } = this.#machine;
    const { is } = state;
    const watches = is !== "disposed" && (!this.listeners.isEmpty || is === "elsewhere" || steering.length > 0);
    if (watches) this.#unwatch ??= this.thread.subscribe(() => this.#drain());
    else {
      this.#unwatch?.();
      this.#unwatch = undefined;
    }
  }
}

const NONE: readonly never[] = [];
const none = (callId: CallId): Event => ({ is: "stands", callIds: [callId] });

const REFUSALS: { readonly [Code in Refusal]: ConstructorParameters<typeof ThreadfoldError> } = {
  BUSY: ["BUSY", "A run of the thread is under way, or waits for an answer: stop() it, or wait for its end."],
  INVALID_STATE: ["INVALID_STATE", "Nothing has failed, and no such interrupt is open: there is nothing to do."],
  INVALID_ARGUMENT: ["INVALID_ARGUMENT", "No update that has failed has this id: see thread.pending."],
  DISPOSED: ["DISPOSED", "The runner was disposed."],
};

const refusalOf = (code: Refusal): ThreadfoldError => new ThreadfoldError(...REFUSALS[code]);
