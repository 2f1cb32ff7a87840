// A short name of a value's content, by which two sides see that they have the same without sending it.
import { tooDeep } from "./too-deep.js";

/** Returns what stands for an object in JSON, for objects that JSON alone would write otherwise; others as they are. */
export type Plain = (value: object) => unknown;

/** The two halves of a digest. */
type Halves = readonly [a: number, b: number];

/** The digests of the objects in lists. */
const known = new WeakMap<object, Halves>();

const same: Plain = (value) => value;

/**
 * Returns 53 bits of a value, as hexadecimal digits. Equal JSON has equal digests, whatever the order of its keys. It is
 * not cryptographic: it finds what differs by accident, not by intent.
 *
 * The digest of each object in a list is kept while the object lives. A list with one item more costs that item and a
 * pass over the others. Objects that change in place keep their old digest.
 *
 * @throws {@link ThreadfoldError} `UNREADABLE_VALUE` for a value that is nested too deep for the engine.
 */
export function digest(value: unknown, plain: Plain = same): string {
  const sum = new Sum(plain);
  try {
    sum.add(value);
  } catch (cause) {
    throw cause instanceof RangeError ? tooDeep(cause) : cause;
  }
  const [a, b] = sum.halves();
  return ((b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0)).toString(16).padStart(14, "0");
}

const NULL = 1;
const TRUE = 2;
const FALSE = 3;
const INTEGER = 4;
const NUMBER = 5;
const TEXT = 6;
const LIST = 7;
const OBJECT = 8;
const END = 9;

class Sum {
  readonly #plain: Plain;
  #a = 0x2545f491;
  #b = 0x4914_6cad;

  constructor(plain: Plain) {
    this.#plain = plain;
  }

  /** Adds a value; what JSON leaves out of a list is null there. */
  add(given: unknown): void {
    const value = this.#json(given);
    if (typeof value === "string") this.#text(TEXT, value);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "boolean") this.#mix(value ? TRUE : FALSE);
    else if (Array.isArray(value)) this.#list(value);
    else if (typeof value === "object" && value !== null) this.#object(value as Record<string, unknown>);
    else if (typeof value === "bigint") throw new TypeError("A value has a BigInt, which JSON does not have.");
    else this.#mix(NULL);
  }

  halves(): Halves {
    let [a, b] = [this.#a, this.#b];
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
    return [a, b];
  }

  /** The value that JSON has for this. */
  #json(given: unknown): unknown {
    if (typeof given !== "object" || given === null) return given;
    const value = this.#plain(given);
    const { toJSON } = value as { toJSON?: unknown };
    return value === given && typeof toJSON === "function" ? (toJSON as () => unknown).call(value) : value;
  }

  #mix(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x9e3779b1);
    this.#a ^= this.#a >>> 15;
    this.#b = Math.imul(this.#b ^ word, 0x5f356495);
    this.#b ^= this.#b >>> 13;
  }

  #text(kind: number, text: string): void {
    this.#mix(kind);
    this.#mix(text.length);
    let [a, b] = [this.#a, this.#b];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      a = Math.imul(a ^ code, 0x9e3779b1);
      b = Math.imul(b ^ code, 0x5f356495);
      a ^= a >>> 15;
      b ^= b >>> 13;
    }
    [this.#a, this.#b] = [a, b];
  }

  #number(value: number): void {
    if (!Number.isFinite(value)) this.#mix(NULL);
    else if ((value | 0) === value) {
      this.#mix(INTEGER);
      this.#mix(value | 0);
    } else this.#text(NUMBER, String(value));
  }

  #list(list: readonly unknown[]): void {
    this.#mix(LIST);
    this.#mix(list.length);
    for (const item of list) {
      const halves = typeof item === "object" && item !== null ? this.#item(item) : undefined;
      if (halves) for (const half of halves) this.#mix(half);
      else this.add(item);
    }
  }

  /** The digest of an object in a list; undefined where JSON has no object for it, such as for a date. */
  #item(item: object): Halves | undefined {
    const before = known.get(item);
    if (before) return before;
    const value = this.#json(item);
    if (typeof value !== "object" || value === null) return undefined;
    const sum = new Sum(this.#plain);
    if (Array.isArray(value)) sum.#list(value);
    else sum.#object(value as Record<string, unknown>);
    const halves = sum.halves();
    known.set(item, halves);
    return halves;
  }

  #object(value: Readonly<Record<string, unknown>>): void {
    this.#mix(OBJECT);
    for (const key of Object.keys(value).sort()) {
      const one = value[key];
      if (one === undefined || typeof one === "function" || typeof one === "symbol") continue;
      const isLeftOut = typeof one === "object" && one !== null && this.#json(one) === undefined;
      if (isLeftOut) continue;
      this.#text(TEXT, key);
      this.add(one);
    }
    this.#mix(END);
  }
}
