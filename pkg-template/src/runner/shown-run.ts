import type { Thread } from "threadfold";
import { tellAll } from "../thread/notifier.js";
import type { RunnerError, RunnerInterrupt, RunnerStatus } from "./runner-types.js";

const NONE: readonly never[] = [];

/** What a runner shows of its thread's run, and who listens for a change of it. */
export class ShownRun<S extends object, U extends object> {
  readonly #thread: Thread<S, U>;
  readonly #interrupt: (raw: unknown) => RunnerInterrupt;
  readonly #activity: () => "working" | "cancelling" | undefined;
  readonly #listeners = new Set<() => void>();
  #leaveThread: (() => void) | undefined;
  #told: readonly unknown[] = [];
  #asked: { of: unknown; interrupts: readonly RunnerInterrupt[] } = { of: undefined, interrupts: NONE };
  #blamed: { on: unknown; error: RunnerError | undefined } = { on: undefined, error: undefined };

  /**
   * @param interrupt - Reads an interrupt of the protocol.
   * @param activity - Returns whether the runner works on a run, and whether the server is being asked to stop it.
   */
  constructor(
    thread: Thread<S, U>,
    interrupt: (raw: unknown) => RunnerInterrupt,
    activity: () => "working" | "cancelling" | undefined,
  ) {
    this.#thread = thread;
    this.#interrupt = interrupt;
    this.#activity = activity;
  }

  get status(): RunnerStatus {
    const { status, id } = this.#thread.run;
    if (status === "running" && this.#isFreed) return "ready";
    if (status === "running") return id === undefined ? "submitted" : "streaming";
    const activity = this.#activity();
    // What was said waits until the server has heard of the stop.
    if (activity === "cancelling") return "submitted";
    if (status === "disconnected") return activity ? "submitted" : "error";
    return status === "idle" ? "ready" : status === "failed" ? "error" : status;
  }

  /** The same object until another run fails. */
  get error(): RunnerError | undefined {
    const { status, error } = this.#thread.run;
    if (status !== "failed" && (status !== "disconnected" || error === undefined)) return undefined;
    const said = error as RunnerError | undefined;
    if (typeof said?.message === "string") return said;
    if (error !== this.#blamed.on || !this.#blamed.error)
      this.#blamed = { on: error, error: { message: String(error) } };
    return this.#blamed.error;
  }

  /** The same array until they change. */
  get interrupts(): readonly RunnerInterrupt[] {
    const { status, interrupts } = this.#thread.run;
    const open = status === "interrupted" || status === "failed" ? interrupts : undefined;
    if (open !== this.#asked.of)
      this.#asked = { of: open, interrupts: open?.map((raw) => this.#interrupt(raw)) ?? NONE };
    return this.#asked.interrupts;
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
    return [this.status, this.error, this.interrupts];
  }

  /** Whether the thread was freed, which leaves its last run as it was. */
  get #isFreed(): boolean {
    try {
      void this.#thread.pending;
      return false;
    } catch {
      return true;
    }
  }
}
