// How long Python's own texts of a value are: `len(repr(value))` and `len(json.dumps(value))`. No text is built.
import { isDict } from "../shared/dict.js";
import { ThreadfoldError } from "./options.js";

/** Python's recursion limit: deeper values have no repr there, either. */
const DEEPEST = 1000;

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/** The length of a text in code points, as Python counts it: half a pair alone is one. */
export function codePoints(text: string): number {
  let length = text.length;
  // At once false for text that the engine holds in bytes.
  if (!PAIR.test(text)) return length;
  for (let at = 1; at < text.length; at++) {
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) length--;
  }
  return length;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

/** Returns a value if it is a dict, else an empty dict. */
export const dictOr = (value: unknown): Record<string, unknown> => (isDict(value) ? value : {});

/** How a notation writes anything but a list or dict. */
interface Notation {
  text(text: string): number;
  number(value: number): number;
}

const REPR: Notation = {
  text: reprOfText,
  number: (value) => (Number.isFinite(value) ? numberLength(value) : String(value).startsWith("-") ? 4 : 3),
};

const JSON_DUMPS: Notation = {
  text: jsonOfText,
  number: (value) => (Number.isFinite(value) ? numberLength(value) : String(value).length),
};

/**
 * The length of Python's `repr` of a JSON value. A whole number is an int: JavaScript does not distinguish `1.0` from
 * `1`.
 *
 * @throws `UNREADABLE_VALUE` for one that contains itself, or is nested more than 1,000 deep.
 */
export const reprLength = (value: unknown): number => lengthOf(value, REPR, 0) ?? NONE;

/** The length of Python's `json.dumps` of a JSON value, with the same limits. */
export const jsonLength = (value: unknown): number => lengthOf(value, JSON_DUMPS, 0) ?? NONE;

/** JavaScript's own JSON. It fails for a value with a cycle or too deep, and so does this. */
export function jsonText(value: unknown): string {
  jsonLength(value);
  return JSON.stringify(value) ?? "";
}

const NONE = 4; // None, null

/** The length, or nothing for what JSON leaves out of an object. */
function lengthOf(value: unknown, notation: Notation, depth: number): number | undefined {
  switch (typeof value) {
    case "string":
      return notation.text(value);
    case "number":
      return notation.number(value);
    case "boolean":
      return value ? 4 : 5;
    case "bigint":
      return String(value).length;
    case "object":
      return value === null ? NONE : nested(value, notation, depth + 1);
    default:
      return undefined;
  }
}

function nested(value: object, notation: Notation, depth: number): number {
  if (depth > DEEPEST)
    throw new ThreadfoldError("UNREADABLE_VALUE", "A value contains itself, or is nested more than 1,000 deep.");
  // The brackets, and ", " after each item but the last.
  let length = 2;
  let items = 0;
  if (Array.isArray(value)) {
    items = value.length;
    for (let at = 0; at < items; at++) length += lengthOf(value[at], notation, depth) ?? NONE;
  } else {
    for (const key of Object.keys(value)) {
      const own = lengthOf((value as Record<string, unknown>)[key], notation, depth);
      if (own === undefined) continue;
      items++;
      length += notation.text(key) + 2 + own;
    }
  }
  return length + 2 * Math.max(items - 1, 0);
}

/** The length of a finite number: a whole one as JavaScript writes it, any other by Python's `repr`. */
function numberLength(value: number): number {
  if (Number.isInteger(value) || Math.abs(value) >= 1e-4) return String(value).length;
  // Python turns to an exponent earlier, and gives it two digits.
  const text = value.toExponential();
  return text.length + (text.at(-2) === "-" ? 1 : 0);
}

/** Printable ASCII but for the backslash and the quotes. */
const PLAIN = /^[ !#-&(-[\]-~]*$/;
/** The non-ASCII characters that Python's `str.isprintable` refuses: categories C and Z of the engine's Unicode. */
const UNPRINTABLE = /(?![\0-~])[\p{C}\p{Z}]/gu;

function reprOfText(text: string): number {
  if (PLAIN.test(text)) return text.length + 2;
  let length = codePoints(text) + 2;
  // Double quotes only for a text with single and without double ones.
  const quote = text.includes("'") && !text.includes('"') ? -1 : 0x27;
  let ascii = true;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7e) ascii = false;
    else if (unit === quote || unit === 0x5c || unit === 0x0a || unit === 0x0d || unit === 0x09) length += 1;
    else if (unit < 0x20) length += 3;
  }
  if (ascii) return length;
  for (const [char] of text.matchAll(UNPRINTABLE)) {
    const code = char.codePointAt(0) ?? 0;
    length += code < 0x100 ? 3 : code < 0x10000 ? 5 : 9;
  }
  return length;
}

function jsonOfText(text: string): number {
  let length = text.length + 2;
  if (PLAIN.test(text)) return length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === 0x5c || (unit >= 0x08 && unit <= 0x0d && unit !== 0x0b)) length += 1;
    else if (unit < 0x20 || unit > 0x7e) length += 5;
  }
  return length;
}
