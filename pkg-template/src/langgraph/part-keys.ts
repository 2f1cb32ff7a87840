import { hash } from "../shared/hash.js";
import type { Position } from "../stream/delivery.js";
import { isDict } from "../shared/dict.js";
import type { LangGraphPart } from "./parts.js";

/** An id made of the time in milliseconds. */
const CLOCK_ID = /^(\d{10,})-(\d+)(?:\.(\d+))?$/;

/**
 * Finds the positions of a stream's parts. A clock id may name several parts: the development server numbers by the
 * millisecond alone. So the content distinguishes a part from its neighbours. A run is rejoined after the previous id,
 * whose parts have all come.
 */
export class Positions {
  #id: string | undefined;
  #before: string | undefined;
  readonly #counts = new Map<string, number>();

  next(part: LangGraphPart): Position {
    const { id } = part;
    if (id === undefined || id === "") return {};
    if (!CLOCK_ID.test(id)) return { id };
    if (id !== this.#id) {
      this.#before = this.#id;
      this.#id = id;
      this.#counts.clear();
    }
    const content = contentOf(part);
    const count = this.#counts.get(content) ?? 0;
    this.#counts.set(content, count + 1);
    return { id: this.#before, key: `${id}:${content}:${count}` };
  }
}

/** Whether an id of the clock is before another; false if they cannot be compared. */
export function isBefore(id: string | undefined, other: string | undefined): boolean {
  const [left, right] = [CLOCK_ID.exec(id ?? ""), CLOCK_ID.exec(other ?? "")];
  if (!left || !right) return false;
  for (const place of [1, 2, 3]) {
    const difference = Number(left[place] ?? 0) - Number(right[place] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Returns a short text for a part's event and data. */
export const contentOf = ({ event, data }: LangGraphPart): string => `${event}:${fingerprint(data)}`;

/** Returns a short text for the content of a part. Reads only the end of a state: all of it would cost too much. */
function fingerprint(data: unknown): string {
  if (Array.isArray(data)) return hash(JSON.stringify(data[0]) ?? "");
  if (!isDict(data)) return hash(JSON.stringify(data) ?? "");
  const { messages } = data;
  const end = Array.isArray(messages) ? `${messages.length}${JSON.stringify(messages.at(-1))}` : "";
  return hash(Object.keys(data).join() + end);
}
