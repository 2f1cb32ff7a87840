// The branch that a runner's next load shows.
import { httpStatusOf } from "../stream/http.js";
import type { RunResult } from "../stream/run-result.js";
import type { Transport } from "./transport.js";

/** The checkpoint that becomes the newest. */
export interface Choice {
  readonly checkpointId: string;
}

export class BranchSwitch {
  readonly #fork: Transport<never, object>["fork"];
  #chosen: Choice | undefined;
  /** One that failed: only a retry makes it again, for others may have continued since. */
  #failed: Choice | undefined;

  constructor(fork: Transport<never, object>["fork"]) {
    this.#fork = fork;
  }

  choose(checkpointId: string): Choice {
    this.#failed = undefined;
    return (this.#chosen = { checkpointId });
  }

  /** Chooses what failed. */
  again(): Choice | undefined {
    this.#chosen ??= this.#failed;
    this.#failed = undefined;
    return this.#chosen;
  }

  /** Gives up a choice whose load failed, unless another one has replaced it. */
  ended(choice: Choice | undefined, { error }: RunResult): void {
    if (choice === undefined || choice !== this.#chosen || !error) return;
    this.#failed = choice;
    this.#chosen = undefined;
  }

  /** Gives up a choice at once: the next load may come before the stopped one's result. */
  stopped(): void {
    this.#chosen = undefined;
  }

  forget(): void {
    this.#chosen = this.#failed = undefined;
  }

  /** Makes the chosen branch the thread's newest. A request that did not reach the server is made again with the load. */
  async make(threadId: string, signal: AbortSignal): Promise<void> {
    const choice = this.#chosen;
    if (choice === undefined) return;
    const made = () => {
      if (this.#chosen === choice) this.#chosen = undefined;
    };
    try {
      await this.#fork?.(threadId, choice.checkpointId, { signal });
    } catch (error) {
      if (httpStatusOf(error) !== undefined) made();
      throw error;
    }
    made();
  }
}
