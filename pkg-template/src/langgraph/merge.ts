// Merges two values of message chunks, like `_mergeDicts` and its relatives in @langchain/core. A value that the chunk
// does not change stays the same object. Text grows by `+=`, which costs only the new part.
import { isDict, type Dict } from "../shared/dict.js";
import { ThreadfoldError } from "../shared/errors.js";

/** Whether a value says nothing: null, or a list or an object without items. */
export function isEmpty(value: unknown): boolean {
  if (value == null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value as object) return false;
  return typeof value === "object";
}

/** Keys whose later text or number does not add to the earlier one. */
const KEPT = new Set(["type", "index", "created", "timestamp"]);
/** Keys whose later text, if there is any, takes the place of the earlier one. */
const REPLACED = new Set(["id", "name", "output_version", "model_provider"]);

/** Merges two dicts; either may be missing. */
export function mergeDicts(left: Dict | null | undefined, right: Dict | null | undefined): Dict | undefined {
  if (left == null || right == null) return left ?? right ?? undefined;
  let merged: Record<string, unknown> | undefined;
  for (const key of Object.keys(right)) {
    const was = Object.hasOwn(left, key) ? left[key] : undefined;
    const value = mergeField(key, was, right[key]);
    if (value === was && (value !== undefined || Object.hasOwn(left, key))) continue;
    merged ??= { ...left };
    // A field of its own even for the one key that plain assignment takes for something else.
    if (key === "__proto__")
      Object.defineProperty(merged, key, { value, writable: true, enumerable: true, configurable: true });
    else merged[key] = value;
  }
  return merged ?? left;
}

function mergeField(key: string, left: unknown, right: unknown): unknown {
  if (left == null) return right;
  if (right == null) return left;
  if (typeof left !== typeof right || Array.isArray(left) !== Array.isArray(right)) {
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `field[${key}] already exists in the message chunk, but with a different type.`,
    );
  }
  if (typeof left === "string") {
    if (REPLACED.has(key)) return right || left;
    return KEPT.has(key) ? left : left + (right as string);
  }
  if (typeof left === "number") return key !== "type" && KEPT.has(key) ? left : left + (right as number);
  if (Array.isArray(left)) return mergeLists(left, right as unknown[]);
  if (typeof left === "object") return mergeDicts(left as Dict, right as Dict);
  return left;
}

/**
 * Merges two lists: items with one `index`, or with one id if neither has an index, become one.
 *
 * @param onJoin - Called for each item of the right that went into one of the left, with the joined item and its place.
 */
export function mergeLists(
  left: readonly unknown[],
  right: readonly unknown[],
  onJoin?: (was: Dict, item: Dict, joined: Dict, at: number) => void,
): readonly unknown[] {
  let merged: unknown[] | undefined;
  const places = left.length > FEW ? placesOf(left) : undefined;
  for (const item of right) {
    const items = merged ?? left;
    const at = targetOf(items, item, places);
    if (at >= 0) {
      const was = items[at] as Dict;
      const value = mergeDicts(was, item as Dict) as Dict;
      if (value === was) continue;
      onJoin?.(was, item as Dict, value, at);
      merged ??= left.slice();
      merged[at] = value;
    } else if (!(isDict(item) && item["text"] === "")) {
      merged ??= left.slice();
      if (places) place(places, item, merged.length);
      merged.push(item);
    }
  }
  if (merged && places) {
    places.of = merged;
    PLACES.set(merged, places);
  }
  return merged ?? left;
}

function targetOf(items: readonly unknown[], item: unknown, places: Places | undefined): number {
  if (!isDict(item)) return -1;
  const indexed = hasIndex(item);
  if (!indexed && !hasId(item)) return -1;
  const joins = (other: unknown): boolean => {
    if (!isDict(other) || hasIndex(other) !== indexed) return false;
    if (!indexed) return hasId(other) && other["id"] === item["id"];
    if (other["index"] !== item["index"] || differInType(other, item)) return false;
    return !(hasId(other) && hasId(item)) || other["id"] === item["id"];
  };
  if (!places) return items.findIndex(joins);
  const candidates = indexed ? places.byIndex.get(item["index"]) : places.byId.get(item["id"]);
  return candidates?.find((at) => joins(items[at])) ?? -1;
}

/** Where in a list the items of an index are, and those of an id without one, so that no part searches a long list. */
interface Places {
  /** The list that it was read for last. */
  of: readonly unknown[];
  readonly byIndex: Map<unknown, number[]>;
  readonly byId: Map<unknown, number[]>;
}

const PLACES = new WeakMap<readonly unknown[], Places>();
const FEW = 8;

function placesOf(list: readonly unknown[]): Places {
  let places = PLACES.get(list);
  if (places?.of === list) return places;
  places = { of: list, byIndex: new Map(), byId: new Map() };
  for (let at = 0; at < list.length; at++) place(places, list[at], at);
  PLACES.set(list, places);
  return places;
}

function place({ byIndex, byId }: Places, item: unknown, at: number): void {
  if (!isDict(item)) return;
  const [map, key] = hasIndex(item) ? [byIndex, item["index"]] : [byId, item["id"]];
  const known = map.get(key);
  if (known) known.push(at);
  else map.set(key, [at]);
}

function hasIndex({ index }: Dict): boolean {
  return typeof index === "number" || typeof index === "string";
}

function hasId({ id }: Dict): boolean {
  return id != null && id !== "";
}

function differInType({ type: left }: Dict, { type: right }: Dict): boolean {
  return typeof left === "string" && typeof right === "string" && withoutDelta(left) !== withoutDelta(right);
}

const withoutDelta = (type: string): string => (type.endsWith("_delta") ? type.slice(0, -6) : type);

/** Merges two contents: text or blocks. */
export function mergeContent(left: unknown, right: unknown): unknown {
  if (typeof left === "string") {
    if (left === "") return right;
    if (typeof right === "string") return left + right;
    const blocks = blocksOf(right);
    if (blocks.length === 0) return left;
    return [{ type: "text", ...(blocks.some(isData) ? { source_type: "text" } : {}), text: left }, ...blocks];
  }
  const blocks = blocksOf(left);
  if (Array.isArray(right)) return mergeLists(blocks, right);
  if (right === "") return left;
  return [
    ...blocks,
    blocks.some(isData) ? { type: "file", source_type: "text", text: right } : { type: "text", text: right },
  ];
}

const blocksOf = (content: unknown): readonly unknown[] =>
  Array.isArray(content) ? content : content == null || content === "" ? [] : [content];

const SOURCES = new Set(["url", "base64", "text", "id"]);

/** Whether a block is data in the form that LangChain had before its version 1. */
const isData = (block: unknown): boolean =>
  isDict(block) && typeof block["type"] === "string" && SOURCES.has(block["source_type"] as string);

const SUMS = ["input_tokens", "output_tokens", "total_tokens"] as const;
const MEDIA = ["audio", "image", "video", "document", "text"] as const;

/** Sums the usage of two parts. Null counts as absent; the reference makes zeros of it. */
export function mergeUsage(left: unknown, right: unknown): unknown {
  if (!isDict(left) && !isDict(right)) return left ?? right;
  if (isDict(left) && !isDict(right) && isDict(left["input_token_details"]) && isDict(left["output_token_details"])) {
    return left;
  }
  const sum = (a: unknown, b: unknown) => (typeof a === "number" ? a : 0) + (typeof b === "number" ? b : 0);
  const side = (value: unknown): Dict => (isDict(value) ? value : {});
  const [a, b] = [side(left), side(right)];
  const details = (key: string, kinds: readonly string[]) => {
    const [x, y] = [side(a[key]), side(b[key])];
    return Object.fromEntries(
      kinds.filter((kind) => x[kind] != null || y[kind] != null).map((kind) => [kind, sum(x[kind], y[kind])]),
    );
  };
  return {
    ...Object.fromEntries(SUMS.map((key) => [key, sum(a[key], b[key])])),
    input_token_details: details("input_token_details", [...MEDIA, "cache_read", "cache_creation"]),
    output_token_details: details("output_token_details", [...MEDIA, "reasoning"]),
  };
}
