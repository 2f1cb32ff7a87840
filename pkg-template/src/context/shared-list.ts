// Lists of messages that have nearly everything in common, look after look: the common part exists once.

/** A list of messages. */
export interface Listed<M> {
  readonly length: number;
  /** Returns an item, undefined if there is none: no index counts from the end. */
  at(index: number): M | undefined;
  /** All of it, made when somebody reads it. */
  readonly array: readonly M[];
}

/** The start that lists share, and the rest. */
export class SharedList<M> implements Listed<M> {
  #array: readonly M[] | undefined;

  /**
   * @param stem - A list that only grows: the first `count` of it are the first of this one.
   * @param tip - The rest.
   */
  constructor(
    private readonly stem: readonly M[],
    private readonly count: number,
    private readonly tip: readonly M[],
  ) {}

  get length(): number {
    return this.count + this.tip.length;
  }

  at(index: number): M | undefined {
    return index < this.count ? this.stem[index] : this.tip[index - this.count];
  }

  get array(): readonly M[] {
    return (this.#array ??= this.count > 0 ? this.stem.slice(0, this.count).concat(this.tip) : this.tip);
  }

  /** Returns how many items at the start of a list are the same objects. */
  same(list: readonly M[]): number {
    const { stem, tip, count } = this;
    const most = Math.min(count, list.length);
    let same = 0;
    while (same < most && stem[same] === list[same]) same++;
    if (same === count) while (same < this.length && same < list.length && tip[same - count] === list[same]) same++;
    return same;
  }
}

/** Wraps an array. */
export const listOf = <M>(array: readonly M[]): Listed<M> => new SharedList<M>([], 0, array);

/** Some messages, and those of a track from a position on. */
export class Headed<M> implements Listed<M> {
  #array: readonly M[] | undefined;

  constructor(
    private readonly head: readonly M[],
    private readonly track: Listed<M>,
    private readonly from: number,
  ) {}

  get length(): number {
    return this.head.length + Math.max(0, this.track.length - this.from);
  }

  at(index: number): M | undefined {
    const { head } = this;
    return index < head.length ? head[index] : this.track.at(index - head.length + this.from);
  }

  get array(): readonly M[] {
    return (this.#array ??= this.head.concat(this.track.array.slice(this.from)));
  }
}

/** The start that looks at one track share. It only grows. */
export class Stem<M> {
  readonly full: M[] = [];
  /** Those that are sent, and the position of each: `full` itself while all are. */
  #track: M[] = this.full;
  readonly #places: number[] = [];

  get length(): number {
    return this.full.length;
  }

  push(message: M, isSent: boolean): void {
    const { full } = this;
    if (this.#track !== full) {
      if (isSent) {
        this.#places.push(full.length);
        this.#track.push(message);
      }
    } else if (!isSent) {
      this.#track = full.slice();
      for (let at = 0; at < full.length; at++) this.#places.push(at);
    }
    full.push(message);
  }

  /** Returns the messages that are sent of it with a tip of at most one, and where they are. */
  sent(tip: readonly M[], isTipSent: boolean) {
    const places = this.#track === this.full ? undefined : this.#places;
    const { length: end } = this.full;
    const { length: count } = this.#track;
    return {
      track: new SharedList(this.#track, count, isTipSent ? tip : []),
      /** The position in all of one that is sent; the length of all if there is none. */
      placed: (at: number): number =>
        at < count ? (places?.[at] ?? at) : at === count && isTipSent ? end : end + tip.length,
      /** How many that are sent are before a position in all. */
      before: (place: number): number => {
        if (place > end) return count + Number(isTipSent);
        if (!places) return place;
        const at = places.findIndex((one) => one >= place);
        return at < 0 ? count : Math.min(at, count);
      },
    };
  }
}
