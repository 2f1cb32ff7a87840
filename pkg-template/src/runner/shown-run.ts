import type { Thread } from "../thread/thread.js";
import { tellAll } from "../thread/notifier.js";
import { blamed } from "./blame.js";
import type { RunnerError, RunnerInterrupt, RunnerStatus } from "./runner-types.js";

/** What a runner shows of its thread's run, and who listens for a change of it. */
export class ShownRun<S extends object, U extends object> {
  readonly #thread: Thread<S, U>;
  readonly #activity: () => "working" | "cancelling" | undefined;
  readonly #loading: { readonly isUnderWay: boolean };
  readonly #listeners = new Set<() => void>();
  #leaveThread: (() => void) | undefined;
  #told: readonly unknown[] = [];
  #blamed: { on: unknown; isBroken: boolean; error: RunnerError } | undefined;

  readonly #questions: { readonly open: readonly RunnerInterrupt[] };
  /** Why the server's state of the thread could not be loaded, until something else begins. */
  failedLoad: { readonly error: unknown } | undefined;

  /**
   * @param activity - Returns whether the runner works on a run, and whether the server is being asked to stop it.
   * @param loading - Tells whether the server's state of the thread is asked for.
   */
  constructor(
    thread: Thread<S, U>,
    questions: { readonly open: readonly RunnerInterrupt[] },
    activity: () => "working" | "cancelling" | undefined,
    loading: { readonly isUnderWay: boolean },
  ) {
    this.#thread = thread;
    this.#questions = questions;
    this.#activity = activity;
    this.#loading = loading;
  }

  get status(): RunnerStatus {
    const { status, id } = this.#thread.run;
    if (status === "running" && this.#isFreed) return "ready";
    if (status === "running") return id === undefined ? "submitted" : "streaming";
    const activity = this.#activity();
    // What was said waits until the server has heard of the stop.
    if (activity === "cancelling") return "submitted";
    if (this.failedLoad) return "error";
    if (status === "disconnected" || status === "failed") return activity ? "submitted" : "error";
    return status === "idle" ? "ready" : status;
  }

  /** Why something failed that can be done again now: only while the status is `error`. */
  get error(): RunnerError | undefined {
    return this.status === "error" ? this.reason : undefined;
  }

  /** Why the run failed or lost its connection, whatever is being done about it. The same object until another run fails. */
  get reason(): RunnerError | undefined {
    const { failedLoad } = this;
    const { status, error: why } = this.#thread.run;
    const isBroken = status === "disconnected" && !failedLoad;
    if (!failedLoad && !isBroken && status !== "failed") return undefined;
    const on = failedLoad ? failedLoad.error : why;
    if (this.#blamed?.on !== on || this.#blamed?.isBroken !== isBroken)
      this.#blamed = { on, isBroken, error: blamed(on, isBroken) };
    return this.#blamed.error;
  }

  get isThreadLoading(): boolean {
    return this.#loading.isUnderWay && !this.#isFreed && this.#thread.messageIds.length === 0;
  }

  /** The same array until they change. */
  get interrupts(): readonly RunnerInterrupt[] {
    return this.#questions.open;
  }

  subscribe(listener: () => void): () => void {
    const own = () => listener();
    if (this.#listeners.size === 0) {
      this.#told = this.#view();
      this.#leaveThread = this.#thread.subscribe(() => this.tell());
    }
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#leaveThread?.();
    };
  }

  /** Calls the listeners, if something has changed. */
  tell(): void {
    const view = this.#view();
    if (view.every((part, at) => part === this.#told[at])) return;
    this.#told = view;
    tellAll(this.#listeners);
  }

  /** Drops the listeners. */
  leave(): void {
    this.#listeners.clear();
    this.#leaveThread?.();
  }

  #view(): readonly unknown[] {
    return [this.status, this.error, this.interrupts, this.isThreadLoading];
  }

  /** Whether the thread was freed, which leaves its last run as it was. */
  get #isFreed(): boolean {
    try {
      void this.#thread.incompleteIds;
      return false;
    } catch {
      return true;
    }
  }
}
