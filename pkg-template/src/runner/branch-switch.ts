// The branch that a runner's next load shows.
import { httpStatusOf } from "../stream/http.js";
import type { Transport } from "./transport.js";

export class BranchSwitch {
  readonly #fork: Transport<never, object>["fork"];
  /** The checkpoint that becomes the newest, if one was chosen. */
  chosen: string | undefined;

  constructor(fork: Transport<never, object>["fork"]) {
    this.#fork = fork;
  }

  /** Makes the chosen branch the thread's newest. A request that did not reach the server is made again. */
  async make(threadId: string, signal: AbortSignal): Promise<void> {
    if (this.chosen === undefined) return;
    try {
      await this.#fork?.(threadId, this.chosen, { signal });
    } catch (error) {
      if (httpStatusOf(error) !== undefined) this.chosen = undefined;
      throw error;
    }
    this.chosen = undefined;
  }
}
