// The branch that a runner's next load shows.
import type { Transport } from "./transport.js";

export class BranchSwitch {
  readonly #fork: Transport<never, object>["fork"];
  /** The checkpoint that becomes the newest, if one was chosen. */
  #chosen: string | undefined;
  /** One whose request failed: only a retry makes it again, for others may have continued since. */
  #failed: string | undefined;

  constructor(fork: Transport<never, object>["fork"]) {
    this.#fork = fork;
  }

  choose(checkpointId: string): void {
    this.#chosen = checkpointId;
  }

  /** Chooses what failed. */
  again(): void {
    this.#chosen = this.#failed;
  }

  forget(): void {
    this.#chosen = this.#failed = undefined;
  }

  /** Makes the chosen branch the thread's newest. */
  async make(threadId: string, signal: AbortSignal): Promise<void> {
    const chosen = this.#chosen;
    if (chosen === undefined) return;
    this.#failed = chosen;
    this.#chosen = undefined;
    await this.#fork?.(threadId, chosen, { signal });
  }
}
