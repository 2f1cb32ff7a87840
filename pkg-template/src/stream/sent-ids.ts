import { ThreadfoldError } from "../shared/errors.js";
import { hash } from "../shared/hash.js";
import type { ReceivingThread } from "./delivery.js";
import { INSIDE } from "../thread/inside.js";

/** How many ids are remembered at least: as many parts as a thread knows again. */
const REMEMBERED = 10_000;

/**
 * The ids that one connection has sent. An id names one part. Once a connection sends two different parts under one id,
 * its ids no longer identify parts, and every part is folded.
 */
export class SentIds {
  readonly #thread: ReceivingThread;
  /** The mark of the part that came with an id: of the latest ids, and of those before. */
  #newer = new Map<string, string>();
  #older = new Map<string, string>();
  #areNames = true;
  /** Whether a part was passed over, because the run had one with its id. */
  hasPassedOver = false;

  constructor(thread: ReceivingThread) {
    this.#thread = thread;
  }

  /**
   * Returns the id, if it names the part.
   *
   * @param mark - A text that other parts do not have.
   */
  named(id: string, mark: string): string | undefined {
    if (!this.#areNames) return undefined;
    const sent = this.#newer.get(id) ?? this.#older.get(id);
    if (sent === mark) return id;
    if (sent !== undefined) {
      this.#areNames = false;
      if (this.hasPassedOver) this.#report(id);
      return undefined;
    }
    if (this.#newer.size >= REMEMBERED) [this.#older, this.#newer] = [this.#newer, new Map()];
    this.#newer.set(id, mark);
    return id;
  }

  /** Another run begins, whose ids are its own. */
  clear(): void {
    this.#newer.clear();
    this.#older.clear();
    this.#areNames = true;
    this.hasPassedOver = false;
  }

  #report(id: string): void {
    const sentence = `The stream has different parts with the id ${JSON.stringify(id)}: parts before it may have been passed over.`;
    this.#thread[INSIDE].report(new ThreadfoldError("INVALID_ARGUMENT", sentence));
  }
}

const MARKED = 200;

/** Returns a mark of a part's text. A long one is read at its beginning and its end: all of it would cost too much. */
export function markOf(text: string): string {
  const read = text.length <= 2 * MARKED ? text : text.slice(0, MARKED) + text.slice(-MARKED);
  return `${text.length}:${hash(read)}`;
}
