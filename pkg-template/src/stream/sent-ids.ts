import { ThreadfoldError } from "../shared/errors.js";
import { RecentParts } from "../thread/recent-parts.js";
import type { ReceivingThread } from "./delivery.js";

/**
 * The ids that one connection has sent. An id names one part: once a connection sends two different parts under one id, none
 * of its ids names a part any more, and whatever comes is folded.
 */
export class SentIds {
  readonly #thread: ReceivingThread;
  readonly #ids = new RecentParts();
  readonly #parts = new RecentParts();
  #areNames = true;
  /** Whether a part of this connection is one that came before, by its id. */
  #hasPassedOver = false;

  constructor(thread: ReceivingThread) {
    this.#thread = thread;
  }

  /**
   * Returns the id, if it names the part.
   *
   * @param mark - A text that other parts do not have.
   */
  named(id: string | undefined, mark: string): string | undefined {
    if (id === undefined || !this.#areNames) return undefined;
    const part = `${id}:${mark}`;
    if (this.#ids.has(id)) {
      if (this.#parts.has(part)) {
        this.#hasPassedOver = true;
        return id;
      }
      this.#areNames = false;
      if (this.#hasPassedOver) this.#report(id);
      return undefined;
    }
    this.#ids.add(id);
    this.#parts.add(part);
    this.#hasPassedOver ||= this.#thread.had(id);
    return id;
  }

  /** Another run begins, whose ids are its own. */
  clear(): void {
    this.#ids.clear();
    this.#parts.clear();
    this.#areNames = true;
    this.#hasPassedOver = false;
  }

  #report(id: string): void {
    const sentence = `The stream has different parts with the id ${JSON.stringify(id)}: parts before it may have been passed over.`;
    this.#thread.report(new ThreadfoldError("INVALID_ARGUMENT", sentence));
  }
}

const MARKED = 200;

/** Returns a mark of a part's text: of a long one its length, its beginning and its end, for all of it would cost too much. */
export const markOf = (text: string): string =>
  text.length <= 2 * MARKED ? text : `${text.length}:${text.slice(0, MARKED)}${text.slice(-MARKED)}`;
