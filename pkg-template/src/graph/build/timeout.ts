// How long a node may take.
import { ThreadfoldError } from "../../shared/errors.js";
import { checkOptions } from "../../shared/options.js";
import { after } from "../../shared/timer.js";
import { GraphValueError, NodeTimeoutError } from "./graph-errors.js";

/** Says how long a node may take. A number alone is a `runTimeout`. */
export interface TimeoutPolicy {
  /** The whole attempt, in milliseconds. */
  runTimeout?: number | undefined;
  /** The longest time without progress: something written, or `ctx.heartbeat()`. */
  idleTimeout?: number | undefined;
  /** `"heartbeat"`: only `ctx.heartbeat()` is progress. Default `"auto"`. */
  refreshOn?: "auto" | "heartbeat" | undefined;
}

export const timeoutPolicy = (given: unknown): TimeoutPolicy | undefined =>
  given === undefined || given === null
    ? undefined
    : typeof given === "number"
      ? { runTimeout: given }
      : (given as TimeoutPolicy);

/** @throws {@link ThreadfoldError} `UNKNOWN_OPTION`, and `INVALID_ARGUMENT` for a time that has passed already. */
export function checkTimeout(call: string, given: number | TimeoutPolicy | null | undefined): void {
  const policy = timeoutPolicy(given) ?? {};
  checkOptions(`${call}: timeout`, policy, ["runTimeout", "idleTimeout", "refreshOn"]);
  const { refreshOn = "auto", ...times } = policy;
  for (const [key, time] of Object.entries(times))
    if (time !== undefined && !(time > 0))
      throw new ThreadfoldError("INVALID_ARGUMENT", `${call}: ${key} must be greater than 0.`);
  if (refreshOn !== "auto" && refreshOn !== "heartbeat")
    throw new ThreadfoldError("INVALID_ARGUMENT", `${call}: refreshOn must be "auto" or "heartbeat".`);
}

/** @throws `GraphValueError` for a time of a run or a step that never passes, or has passed already. */
export function checkTime(what: string, given: number | null | undefined): void {
  if (given !== undefined && given !== null && !(given > 0))
    throw new GraphValueError(`Timeout must be a positive number: ${what} is ${String(given)}.`);
}

/** The error of a run or a step whose time is up, as langgraph.js throws it. */
export const timeIsUp = (): Error => new DOMException("The operation was aborted due to timeout", "TimeoutError");

/** Watches one attempt of a node. */
export class Watch {
  readonly #policy: TimeoutPolicy;
  readonly #node: string;
  readonly #begun = Date.now();
  #progress = this.#begun;
  /** Cancel the timers. */
  #cancelRun: (() => void) | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor(node: string, policy: TimeoutPolicy) {
    this.#node = node;
    this.#policy = policy;
  }

  /** Records progress; `made` is whether the node reported it itself. */
  touch(made: boolean): void {
    if (made || this.#policy.refreshOn !== "heartbeat") this.#progress = Date.now();
  }

  /** Rejects with a {@link NodeTimeoutError} when the time is up; settles as `work` does before that. */
  async race<T>(work: PromiseLike<T>, late: (error: NodeTimeoutError) => void): Promise<T> {
    const { runTimeout, idleTimeout } = this.#policy;
    try {
      return await new Promise<T>((resolve, reject) => {
        const end = (kind: "run" | "idle") => {
          const elapsed = Date.now() - this.#begun;
          const error = new NodeTimeoutError({ node: this.#node, kind, elapsed, runTimeout, idleTimeout });
          late(error);
          reject(error);
        };
        const idleAfter = (left: number, timeout: number) => {
          if (left <= 0) end("idle");
          else this.#cancelIdle = after(left, () => idleAfter(this.#progress + timeout - Date.now(), timeout));
        };
        if (runTimeout !== undefined) this.#cancelRun = after(runTimeout, () => end("run"));
        if (idleTimeout !== undefined) idleAfter(idleTimeout, idleTimeout);
        void Promise.resolve(work).then(resolve, reject);
      });
    } finally {
      this.#cancelRun?.();
      this.#cancelIdle?.();
    }
  }
}
