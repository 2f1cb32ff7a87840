import { ThreadfoldError } from "../shared/errors.js";
import { BROKEN } from "../shared/run-error.js";

/** The longest silence of a stream, in milliseconds: a proxy, a phone or a busy server may delay two heartbeats. */
const SILENCE = 40_000;

/** How many looks a silence is counted by. A page that was frozen looks once, however long it slept. */
const LOOKS = 8;

/**
 * Watches a stream whose server has named its heartbeat. Cuts it once nothing has come for 40 seconds, or for two and
 * a half heartbeats if that is longer. The connection is then half open, and neither side would report it.
 */
export class Watchdog {
  readonly #cut: (error: ThreadfoldError) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #looks = 0;

  constructor(cut: (error: ThreadfoldError) => void) {
    this.#cut = cut;
  }

  /** Starts to watch a stream with so many milliseconds between its heartbeats. */
  watch(heartbeat: number): void {
    this.#timer ??= setInterval(() => this.#look(), Math.max(SILENCE, heartbeat * 2.5) / LOOKS);
  }

  /** Takes note that something came. */
  hear(): void {
    this.#looks = 0;
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (++this.#looks > LOOKS) this.#cut(new ThreadfoldError("NO_CONNECTION", BROKEN));
  }
}
