// A follower of a run, on the run's channel in Redis.
import { Bell } from "../run-stores/bell.js";
import type { Listener } from "./channels.js";

/** The other messages of a run's channel: to stop the run, its end, and the beginning of a text for it. */
export const STOP = "stop";
export const END = "end";
export const TO_RUN = "send ";

/** A part with its number, as it was published. */
type Heard = readonly [at: number, part: string];

/** Gathers the messages for a follower of one run, until it takes them. */
export class Follower implements Listener {
  #parts: Heard[] = [];
  /** Whether the log must be read: parts or the end may have been missed. */
  #isBehind = true;
  readonly #bell = new Bell();
  readonly #onlyEnd: boolean;

  /** @param onlyEnd - Whether it waits for the end alone. */
  constructor(onlyEnd: boolean) {
    this.#onlyEnd = onlyEnd;
    this.#bell.ring();
  }

  heard(message: string): void {
    if (message === STOP || message.startsWith(TO_RUN)) return;
    if (message === END) return this.missed();
    if (this.#onlyEnd) return;
    const space = message.indexOf(" ");
    this.#parts.push([Number(message.slice(0, space)), message.slice(space + 1)]);
    this.#bell.ring();
  }

  missed(): void {
    this.#isBehind = true;
    this.#bell.ring();
  }

  /** Returns the parts that came, and whether the log must be read. Waits for either, or for the signal. */
  async next(signal: AbortSignal | undefined): Promise<{ readonly parts: Heard[]; readonly isBehind: boolean }> {
    await this.#bell.next(signal);
    const [parts, isBehind] = [this.#parts, this.#isBehind];
    this.#parts = [];
    this.#isBehind = false;
    return { parts, isBehind };
  }
}
