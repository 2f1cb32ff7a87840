import { ThreadfoldError } from "../shared/errors.js";
import { connectionError, UNREACHABLE } from "../stream/connection.js";
import { runError } from "../shared/run-error.js";
import { httpStatusOf, pause } from "../stream/http.js";
import type { RunProtocol } from "./protocol.js";

/** Has the server stop a run. It may never answer, and nothing goes out before this is over. */
export class Cancel {
  readonly #protocol: RunProtocol;
  readonly #timeout: number;
  #leave = new AbortController();

  constructor(protocol: RunProtocol, timeout: number) {
    this.#protocol = protocol;
    this.#timeout = timeout;
  }

  /** Returns why the server may not have stopped the run: it refuses, or does not answer in time. */
  async send(): Promise<ThreadfoldError | undefined> {
    const leave = (this.#leave = new AbortController());
    const { signal } = leave;
    const over = pause(this.#timeout, signal);
    // Here it is over all the same.
    const told = this.#protocol.cancel(signal).then(
      () => undefined,
      (error: unknown) =>
        hasEnded(error) || signal.aborted ? undefined : runError(connectionError(error, UNREACHABLE), false),
    );
    const unanswered = over.then(() => (signal.aborted ? undefined : new ThreadfoldError("NO_CONNECTION", UNANSWERED)));
    const error = await Promise.race([told, unanswered]);
    leave.abort();
    return error;
  }

  /** Waits for the answer no longer. */
  leave(): void {
    this.#leave.abort();
  }
}

const UNANSWERED = "The server has not answered the request to stop the run, which may go on there.";

/** Whether a server reports that no such run is active. */
const hasEnded = (error: unknown): boolean => [404, 409, 410].includes(httpStatusOf(error) as number);
