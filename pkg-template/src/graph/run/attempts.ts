// The attempts of one task at running its node: how many, since when, and how long each may take.
import type { TimeoutPolicy } from "../build/timeout.js";
import { Watch } from "../build/timeout.js";

export class Attempts {
  count = 1;
  #begun: number | undefined;
  #watch: Watch | undefined;
  #controller: AbortController | undefined;
  #signal: AbortSignal | undefined;

  /** When the first attempt began, in milliseconds. Notes the time of the first call. */
  get begun(): number {
    return (this.#begun ??= Date.now());
  }

  /** Whether an attempt has a limit of its own. */
  get isTimed(): boolean {
    return this.#controller !== undefined;
  }

  /** Begins an attempt that `policy` limits. */
  time(node: string, policy: TimeoutPolicy): void {
    this.#controller = new AbortController();
    this.#signal = undefined;
    this.#watch = new Watch(node, policy);
  }

  /** Settles as `work` does, or rejects when its time is up; then it calls `late` first. */
  race(work: unknown, late: (error: unknown) => void): Promise<unknown> {
    const controller = this.#controller;
    return (this.#watch as Watch).race(Promise.resolve(work), (error) => {
      controller?.abort();
      late(error);
    });
  }

  /** Notes progress. `isHeartbeat`: the node says so itself. */
  touch(isHeartbeat: boolean): void {
    this.#watch?.touch(isHeartbeat);
  }

  /** A signal of the task's own, besides the run's: Node warns of more than ten that listen to one. */
  signal(ofRun: AbortSignal): AbortSignal {
    const controller = this.#controller;
    return (this.#signal ??= AbortSignal.any(controller ? [ofRun, controller.signal] : [ofRun]));
  }
}
