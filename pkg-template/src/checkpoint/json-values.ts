// Values as JSON text: also dates, maps, sets, bytes and big integers, which JSON alone would lose.
import { ThreadfoldError } from "../shared/errors.js";
import { tooDeep } from "../shared/too-deep.js";
import { plainValue } from "./plain-value.js";

/** The one field of an object that stands for a value: its kind, and what it is made of. */
const TAG = "$threadfold";

/** @throws {@link ThreadfoldError} `STORAGE_FAILED` for a function or a symbol, or a value that contains itself. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify({ value: plainValue(value) }, replaced);
  } catch (cause) {
    if (cause instanceof ThreadfoldError) throw cause;
    if (cause instanceof RangeError) throw tooDeep(cause);
    throw new ThreadfoldError("STORAGE_FAILED", "The value cannot be stored: see the cause.", { cause });
  }
}

export function readJson(text: string): unknown {
  const { value } = JSON.parse(text, text.includes(`"${TAG}"`) ? revived : undefined) as { value?: unknown };
  return value;
}

function replaced(this: Readonly<Record<string, unknown>>, key: string, json: unknown): unknown {
  // Not `json`: a date is text there already.
  const value = this[key];
  switch (typeof value) {
    case "object":
      return value === null ? json : taggedObject(value, json);
    case "number":
      return Number.isFinite(value) ? value : { [TAG]: ["number", String(value)] };
    case "bigint":
      return { [TAG]: ["bigint", String(value)] };
    case "undefined":
      return Array.isArray(this) ? { [TAG]: ["undefined"] } : undefined;
    case "function":
    case "symbol":
      throw new ThreadfoldError("STORAGE_FAILED", `The value cannot be stored: ${key} is a ${typeof value}.`);
    default:
      return json;
  }
}

function taggedObject(value: object, json: unknown): unknown {
  if (value instanceof Date) return { [TAG]: ["date", value.getTime()] };
  if (value instanceof Map) return { [TAG]: ["map", [...value]] };
  if (value instanceof Set) return { [TAG]: ["set", [...value]] };
  if (value instanceof Uint8Array) return { [TAG]: ["bytes", btoa(binaryOf(value))] };
  return Object.hasOwn(value, TAG) ? { [TAG]: ["object", Object.entries(value)] } : json;
}

function revived(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, TAG)) return value;
  const [kind, of] = (value as { [TAG]: [kind: string, of: never] })[TAG];
  switch (kind) {
    case "number":
      return Number(of);
    case "bigint":
      return BigInt(of);
    case "date":
      return new Date(of);
    case "map":
      return new Map(of);
    case "set":
      return new Set(of);
    case "bytes":
      return Uint8Array.from(atob(of), (character) => character.charCodeAt(0));
    case "object":
      return Object.fromEntries(of);
    default:
      return undefined;
  }
}

function binaryOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
