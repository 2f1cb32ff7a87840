// The branch that a runner's next load shows.
import { httpStatusOf } from "../stream/http.js";
import type { Transport } from "./transport.js";

export class BranchSwitch {
  readonly #fork: Transport<never, object>["fork"];
  /** The checkpoint that becomes the newest, if one was chosen. */
  #chosen: string | undefined;
  /** One that was given up: only a retry makes it again, for others may have continued since. */
  #failed: string | undefined;

  constructor(fork: Transport<never, object>["fork"]) {
    this.#fork = fork;
  }

  choose(checkpointId: string): void {
    this.#chosen = checkpointId;
  }

  /** Chooses what was given up. */
  again(): void {
    this.#chosen ??= this.#failed;
  }

  giveUp(): void {
    this.#failed = this.#chosen;
    this.#chosen = undefined;
  }

  forget(): void {
    this.#chosen = this.#failed = undefined;
  }

  /** Makes the chosen branch the thread's newest. A request that did not reach the server is made again with the load. */
  async make(threadId: string, signal: AbortSignal): Promise<void> {
    if (this.#chosen === undefined) return;
    try {
      await this.#fork?.(threadId, this.#chosen, { signal });
    } catch (error) {
      if (httpStatusOf(error) !== undefined) this.#chosen = undefined;
      throw error;
    }
    this.#chosen = undefined;
  }
}
