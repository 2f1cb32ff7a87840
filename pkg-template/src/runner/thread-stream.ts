import { ThreadfoldError } from "../shared/errors.js";
import { pause } from "../stream/http.js";
import { INSIDE } from "../thread/inside.js";
import { isConnected } from "../thread/run-status.js";
import type { Thread } from "../thread/thread.js";
import { delayOf } from "./effects.js";
import type { ReadStarts } from "./watched-thread.js";

/** Keeps the stream of a thread open as long as anybody follows it. */
export class ThreadStream {
  readonly #thread: Thread;
  readonly #delays: readonly number[];
  readonly #announced: (run: string | undefined) => void;
  readonly #followers = new Set<object>();
  #controller: AbortController | undefined;

  /** @param announced - Called with each run that begins; with undefined when others may have been missed. */
  constructor(thread: Thread, delays: readonly number[], announced: (run: string | undefined) => void) {
    this.#thread = thread;
    this.#delays = delays;
    this.#announced = announced;
  }

  /** Returns a function that ends it. */
  begin(read: ReadStarts): () => void {
    const follower = {};
    this.#followers.add(follower);
    if (!this.#controller) {
      this.#controller = new AbortController();
      void this.#keepUp(read, this.#controller.signal);
    }
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size === 0) this.end();
    };
  }

  end(): void {
    this.#followers.clear();
    this.#controller?.abort();
    this.#controller = undefined;
  }

  /** A connection that breaks is made again as long as it takes: an idle thread shows nothing of it. */
  async #keepUp(read: ReadStarts, signal: AbortSignal): Promise<void> {
    let tries = 0;
    const opened = () => {
      tries = 0;
      this.#announced(undefined);
    };
    while (!signal.aborted && !this.#thread.isDisposed) {
      try {
        const threadId = await this.#threadId(signal);
        await read(threadId, { opened, began: this.#announced }, signal);
      } catch (error) {
        if (error instanceof ThreadfoldError && error.code === "UNSUPPORTED") {
          this.end();
          if (!this.#thread.isDisposed) this.#thread[INSIDE].report(error);
        }
      }
      await pause(delayOf(this.#delays, tries++), signal, globalThis);
    }
  }

  /** Waits for the thread's id, and for the answer to the run that makes the thread. */
  async #threadId(signal: AbortSignal): Promise<string> {
    const thread = this.#thread;
    const isMade = () => thread.threadId !== undefined && (!isConnected(thread) || thread.run.id !== undefined);
    if (!isMade())
      await new Promise<void>((resolve) => {
        const look = () => {
          if (!signal.aborted && !isMade()) return;
          signal.removeEventListener("abort", look);
          end();
          resolve();
        };
        const end = thread.subscribe(look);
        signal.addEventListener("abort", look);
      });
    signal.throwIfAborted();
    return thread.threadId ?? "";
  }
}
