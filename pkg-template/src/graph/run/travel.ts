// The start of a run: the head of its thread, an earlier checkpoint, or the beginning.

/** The points that time travel has visited: nested graphs return to their state before them. */
export interface Replay {
  readonly before: string;
  readonly visited: Set<string>;
}

export class Travel {
  readonly #root: Travel;
  /** If the caller named the checkpoint to continue from: whether it is the newest, and made by a run. */
  isHead: boolean | undefined;
  /** Whether the named checkpoint is not the newest. */
  isSuperseded = false;
  /** Whether time travel has taken this graph inside back: then it begins with its input. */
  isReplayed = false;
  /** Whether the run continues where the thread was left: until its first step is done. */
  isResuming = false;
  /** Whether the finished tasks of the first step run again. */
  runsAgain = false;
  #replay: Replay | undefined;

  constructor(around: Travel | undefined) {
    this.#root = around ? around.#root : this;
  }

  /** The outermost run's time travel. */
  get replay(): Replay | undefined {
    return this.#root.#replay;
  }

  /** Begins time travel, in the outermost run. */
  begin(before: string): void {
    this.#replay = { before, visited: new Set() };
  }

  /** Ends what holds for the first step alone. */
  stepDone(): void {
    this.isResuming = this.runsAgain = false;
  }
}
