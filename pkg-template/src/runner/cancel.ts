import { pause } from "./http.js";
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

  async send(): Promise<void> {
    const leave = (this.#leave = new AbortController());
    const { signal } = leave;
    const over = pause(this.#timeout, signal);
    // It had ended, or it cannot be reached: here it is over all the same.
    const told = this.#protocol.cancel(signal).catch(() => {});
    await Promise.race([told, over]);
    leave.abort();
  }

  /** Waits for the answer no longer. */
  leave(): void {
    this.#leave.abort();
  }
}
