// The calls of a saver: checkpoints in order, each task's writes after the checkpoint before them, all in the
// background.
import { MemorySaver } from "../../checkpoint/memory-saver.js";
import type { CheckpointSaver } from "../../checkpoint/types.js";

export class SaveQueue {
  /** Whether a call has done its work when it returns: then nothing waits for anything. */
  readonly #isImmediate: boolean;
  /** The last checkpoint's call, while it is in progress. */
  #last: Promise<unknown> | undefined;
  readonly #open = new Set<Promise<unknown>>();
  #failed: { readonly error: unknown } | undefined;

  constructor({ put, putWrites }: CheckpointSaver) {
    const own = MemorySaver.prototype;
    this.#isImmediate = put === own.put && putWrites === own.putWrites;
  }

  /** Saves a checkpoint after the one before. */
  put(save: () => Promise<unknown>): void {
    if (this.#isImmediate) this.#watch(save());
    else this.#track((this.#last = this.#last ? this.#last.then(save) : save()), true);
  }

  /** Saves a task's writes after the last checkpoint. */
  putWrites(save: () => Promise<unknown>): void {
    if (this.#isImmediate) this.#watch(save());
    else this.#track(this.#last ? this.#last.then(save) : save(), false);
  }

  #watch(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#failed ??= { error };
    });
  }

  #track(work: Promise<unknown>, isPut: boolean): void {
    this.#open.add(work);
    work.then(
      () => {
        this.#open.delete(work);
        if (isPut && this.#last === work) this.#last = undefined;
      },
      (error: unknown) => {
        this.#open.delete(work);
        this.#failed ??= { error };
      },
    );
  }

  /** Waits until all is saved. @throws the saver's error. */
  async settled(): Promise<void> {
    // A call that was refused at once is noted a moment later.
    await undefined;
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
    this.check();
  }

  /** @throws the saver's error. */
  check(): void {
    if (this.#failed) throw this.#failed.error;
  }
}
