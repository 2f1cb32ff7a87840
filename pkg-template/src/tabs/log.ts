/** A part of a stream, as server-sent text, with its position. */
export interface Kept {
  readonly at: string;
  readonly text: string;
}

/** How many characters of a stream a tab keeps for those that come later. */
const MOST = 1 << 21;

/**
 * The parts of a stream that a tab has had. The position of a part is its id. A part without one is counted from the
 * last id on.
 */
export class Log {
  #base: string;
  #last: string;
  readonly #parts: Kept[] = [];
  readonly #seen = new Set<string>();
  #size = 0;

  /** @param base - The position after which it begins. */
  constructor(base: string) {
    this.#base = base;
    this.#last = base;
  }

  /** The position of the last part. */
  get last(): string {
    return this.#last;
  }

  /** The last id; empty at a stream's start. */
  get lastId(): string {
    return this.#last.replace(/\n.*/, "");
  }

  has(at: string): boolean {
    return at === this.#last || this.#seen.has(at);
  }

  add(part: Kept): void {
    this.#parts.push(part);
    this.#seen.add(part.at);
    this.#last = part.at;
    this.#size += part.text.length;
    let gone = 0;
    for (const { at, text } of this.#parts) {
      if (this.#size <= MOST) break;
      this.#size -= text.length;
      this.#base = at;
      gone++;
    }
    this.#parts.splice(0, gone);
  }

  /** Returns the parts after a position; undefined if they are not all here. */
  after(position: string): readonly Kept[] | undefined {
    if (position === this.#base) return [...this.#parts];
    const index = this.#parts.map(({ at }) => at).lastIndexOf(position);
    return index < 0 ? undefined : this.#parts.slice(index + 1);
  }
}

/** The position of the part without an id that comes so many parts after an id. */
export const unnamed = (lastId: string, count: number): string => `${lastId}\n${count}`;
