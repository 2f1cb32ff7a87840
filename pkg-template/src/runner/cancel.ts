import { connectionError, UNREACHABLE } from "../stream/connection.js";
import { blamed } from "./blame.js";
import { pause } from "../stream/http.js";
import type { RunProtocol } from "./protocol.js";
import type { RunnerError } from "./runner-types.js";

/** Has the server stop a run. It may never answer, and nothing goes out before this is over. */
export class Cancel {
  readonly #protocol: RunProtocol;
  readonly #timeout: number;
  #leave = new AbortController();

  constructor(protocol: RunProtocol, timeout: number) {
    this.#protocol = protocol;
    this.#timeout = timeout;
  }

  /** Returns why the server may not have stopped the run; undefined if it has, or does not answer. */
  async send(): Promise<RunnerError | undefined> {
    const leave = (this.#leave = new AbortController());
    const { signal } = leave;
    const over = pause(this.#timeout, signal);
    // Here it is over all the same.
    const told = this.#protocol.cancel(signal).then(
      () => undefined,
      (error: unknown) =>
        hasEnded(error) || signal.aborted ? undefined : blamed(connectionError(error, UNREACHABLE), false),
    );
    const error = await Promise.race([told, over.then(() => undefined)]);
    leave.abort();
    return error;
  }

  /** Waits for the answer no longer. */
  leave(): void {
    this.#leave.abort();
  }
}

/** Whether a server says that there is no such run under way. */
const hasEnded = (error: unknown): boolean =>
  [404, 409, 410].includes((error as { status?: number } | undefined)?.status ?? 0);
