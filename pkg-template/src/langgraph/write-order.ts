// The order in which a server applies the writes of its tasks. A stream has them as the tasks finish.
import type { Dict } from "../shared/dict.js";

/** The place of a task in its super-step: pulled by an edge, or pushed by a Send. */
export type TaskPath = readonly unknown[];

/** The writes of one task. */
export interface Write {
  readonly node: string;
  readonly updates: readonly Dict[];
  /** The super-step, if it is known. */
  readonly step?: number | undefined;
  readonly path?: TaskPath | undefined;
}

/** Writes in the server's order, as far as it is known; else as they came. */
export interface OrderedWrites {
  readonly writes: readonly Write[];
  readonly isSure: boolean;
}

/** Orders the writes of one or more super-steps, which came in this order. */
export function inOrder(writes: readonly Write[]): OrderedWrites {
  const isSure = writes.length < 2 || writes.every(({ step, path }) => step !== undefined && path !== undefined);
  if (!isSure || writes.length < 2) return { writes, isSure };
  const sorted = [...writes].sort(
    (one, other) => (one.step ?? 0) - (other.step ?? 0) || byPath(one.path ?? [], other.path ?? []),
  );
  return { writes: sorted, isSure };
}

/** Compares two paths as LangGraph does: part by part, numbers by value, texts by code points. */
function byPath(one: TaskPath, other: TaskPath): number {
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    const [left, right] = [one[at], other[at]];
    if (left === right) continue;
    if (typeof left === "number" && typeof right === "number") return left - right;
    if (Array.isArray(left) && Array.isArray(right)) return byPath(left as TaskPath, right as TaskPath);
    return byCodePoint(String(left), String(right));
  }
  return one.length - other.length;
}

/** UTF-16 puts what is beyond U+FFFF before U+E000; code points do not. */
function byCodePoint(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** More writes than this have too many orders to try. */
const TRIED = 4;

/** All orders of a few writes; undefined for too many. */
export function ordersOf(writes: readonly Write[]): readonly (readonly Write[])[] | undefined {
  if (writes.length > TRIED) return undefined;
  if (writes.length < 2) return [writes];
  return writes.flatMap((first, at) =>
    (ordersOf(writes.filter((_, place) => place !== at)) ?? []).map((rest) => [first, ...rest]),
  );
}
