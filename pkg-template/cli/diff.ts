// `threadfold diff`: how two states differ, the messages by their ids and the other fields by their places.
import { textOf } from "threadfold";
import { brief, speaker } from "./print.js";
import { isDict, type Dict } from "./read.js";

/** One difference. An added value has no `before`, a removed one no `after`. */
export interface Difference {
  readonly path: string;
  readonly change: "added" | "removed" | "changed" | "moved";
  readonly before?: unknown;
  readonly after?: unknown;
}

export function diff(before: Dict, after: Dict): Difference[] {
  const { messages: old, ...rest } = before;
  const { messages: now, ...restNow } = after;
  const lists = Array.isArray(old) && Array.isArray(now) && [...old, ...now].every(isDict);
  return lists
    ? [...ofMessages(old as Dict[], now as Dict[]), ...ofValues(rest, restNow, "")]
    : ofValues(before, after, "");
}

/** By id; messages without ids, and of ids that repeat, by how manieth they are. */
function ofMessages(before: readonly Dict[], after: readonly Dict[]): Difference[] {
  const [old, now] = [named(before), named(after)];
  const common = [...now.keys()].filter((key) => old.has(key));
  const places = new Map([...old.keys()].map((key, at) => [key, at]));
  const inOrder = new Set(longestIncreasing(common.map((key) => places.get(key) ?? -1)).map((at) => common[at]));
  return [
    ...[...old].filter(([key]) => !now.has(key)).map(([key, message]) => one(key, "removed", { before: message })),
    ...[...now].flatMap(([key, message]): Difference[] => {
      const was = old.get(key);
      if (!was) return [one(key, "added", { after: message })];
      const moved = inOrder.has(key) ? [] : [one(key, "moved", {})];
      return [...moved, ...ofValues(was, message, `/messages/${key}`)];
    }),
  ];
}

const one = (key: string, change: Difference["change"], values: object): Difference => ({
  path: `/messages/${key}`,
  change,
  ...values,
});

function named(messages: readonly Dict[]): Map<string, Dict> {
  const byName = new Map<string, Dict>();
  for (const message of messages) {
    const id = typeof message["id"] === "string" ? message["id"] : "";
    let key = id;
    for (let n = 2; key === "" || byName.has(key); n++) key = `${id}#${id === "" ? n - 1 : n}`;
    byName.set(key, message);
  }
  return byName;
}

/** The places of a longest increasing run: what is not in it has moved. */
function longestIncreasing(values: readonly number[]): number[] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [at, value] of values.entries()) {
    let low = 0;
    for (let high = ends.length; low < high;) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1] ?? -1;
    ends[low] = at;
  }
  const places = ends.slice();
  for (let at = ends.at(-1) ?? -1, place = ends.length; at >= 0; at = before[at] ?? -1) places[--place] = at;
  return places;
}

function ofValues(before: unknown, after: unknown, path: string): Difference[] {
  if (Object.is(before, after)) return [];
  const bothLists = Array.isArray(before) && Array.isArray(after);
  if (!bothLists && !(isDict(before) && isDict(after)))
    return [{ path: path || "/", change: "changed", before, after }];
  const [old, now] = [before as Dict, after as Dict];
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...keys].flatMap((key): Difference[] => {
    const at = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!Object.hasOwn(now, key)) return [{ path: at, change: "removed", before: old[key] }];
    if (!Object.hasOwn(old, key)) return [{ path: at, change: "added", after: now[key] }];
    return ofValues(old[key], now[key], at);
  });
}

const MARKS = { added: "+", removed: "-", changed: "~", moved: "↕" };

/** The differences, a line each. */
export function diffLines(differences: readonly Difference[]): string[] {
  if (differences.length === 0) return ["The states are equal."];
  return differences.flatMap(({ path, change, before, after }) => {
    const value = change === "added" ? after : before;
    const isMessage = /^\/messages\/[^/]+$/.test(path) && isDict(value);
    const shown = isMessage ? `${speaker(value)}: ${brief(textOf(value as never))}` : brief(value);
    if (change === "changed") return [`~ ${path}`, `    - ${brief(before)}`, `    + ${brief(after)}`];
    return [change === "moved" ? `${MARKS.moved} ${path}` : `${MARKS[change]} ${path}  ${shown}`];
  });
}
