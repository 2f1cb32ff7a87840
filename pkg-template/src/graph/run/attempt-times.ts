// The attempts of one task at running its node: how many, since when, and how long each may take.
import { type TimeoutPolicy, Watch } from "../build/timeout.js";
import { LinkedAbort } from "./linked-abort.js";

export class AttemptTimes {
  count = 1;
  #begun: number | undefined;
  #watch: Watch | undefined;
  /** The task's signal, if its time is limited or its node has asked for one. */
  #abort: LinkedAbort | undefined;

  /** When the first attempt began, in milliseconds. Records the time of the first call. */
  get begun(): number {
    return (this.#begun ??= Date.now());
  }

  get hasSignal(): boolean {
    return this.#abort !== undefined;
  }

  /** Begins an attempt that `policy` limits. */
  time(node: string, policy: TimeoutPolicy, ofRun: LinkedAbort): void {
    this.#abort = new LinkedAbort(ofRun);
    this.#watch = new Watch(node, policy);
  }

  /** Settles as `work` does, or rejects when its time is up; then it calls `late` first. */
  race(work: unknown, late: (error: unknown) => void): Promise<unknown> {
    const abort = this.#abort;
    return (this.#watch as Watch).race(Promise.resolve(work), (error) => {
      abort?.abort();
      late(error);
    });
  }

  /** Records progress. `isHeartbeat`: the node reports it itself. */
  touch(isHeartbeat: boolean): void {
    this.#watch?.touch(isHeartbeat);
  }

  signal(ofRun: LinkedAbort): AbortSignal {
    return (this.#abort ??= new LinkedAbort(ofRun)).signal;
  }
}
