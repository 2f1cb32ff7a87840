// Ids as langgraph.js makes them. They are not the wasm's: in TypeScript they are a third of the size.
import { sha1 } from "./sha1.js";
import { xxh3 } from "./xxh3.js";

const encoder = new TextEncoder();

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, "0");

/** Writes four words as a uuid of this version. */
function uuid(words: ArrayLike<number>, version: number): string {
  const high = hex(((words[1] as number) & 0xffff0fff) | (version << 12));
  const low = hex(((words[2] as number) & 0x3fffffff) | 0x80000000);
  const [first, last] = [hex(words[0] as number), hex(words[3] as number)];
  return `${first}-${high.slice(0, 4)}-${high.slice(4)}-${low.slice(0, 4)}-${low.slice(4)}${last}`;
}

/** Makes the uuid5 of a text in a namespace, which is a uuid: a task's id. */
export function uuid5(name: string, namespace: string): string {
  const digits = namespace.replaceAll("-", "");
  const bytes = encoder.encode(`                ${name}`);
  for (let at = 0; at < 16; at += 4) {
    const word = parseInt(digits.slice(2 * at, 2 * at + 8), 16);
    for (let byte = 0; byte < 4; byte++) bytes[at + byte] = word >>> (24 - 8 * byte);
  }
  return uuid(sha1(bytes), 5);
}

/** Of this program, among all that save checkpoints. */
let node: Uint16Array | undefined;
/** A millisecond, and how many of its ten thousand parts are used up. */
let last = 0;
let parts = 0;

/** From October 1582, when the calendar of uuids begins, to 1970, in milliseconds. */
const BEGINNING = 12_219_292_800_000n;

/** Makes a uuid6, a checkpoint's id: each sorts after those made before it. */
export function uuid6(milliseconds: number, clockSequence: number): string {
  node ??= crypto.getRandomValues(new Uint16Array(3));
  if (milliseconds > last) {
    last = milliseconds;
    parts = 0;
  } else if (++parts === 10_000) {
    last++;
    parts = 0;
  }
  const ticks = (BigInt(last) + BEGINNING) * 10_000n + BigInt(parts);
  const [first, second, third] = node as unknown as [number, number, number];
  const middle = (Number((ticks >> 12n) & 0xffffn) << 16) | Number(ticks & 0xfffn);
  return uuid([Number(ticks >> 28n), middle, (clockSequence << 16) | first, (second << 16) | third], 6);
}

/**
 * Makes the id of the checkpoint after `parent`, so that it sorts after it. The parent may come from another runtime in
 * this very millisecond, or from a machine whose clock is ahead.
 */
export function uuid6After(parent: string | undefined, clockSequence: number): string {
  const id = uuid6(Date.now(), clockSequence);
  if (parent === undefined || id > parent || parent[14] !== "6") return id;
  // The time is in tenths of microseconds since 1582, its digits around the version's.
  const ticks = Number(`0x${parent.slice(0, 8)}${parent.slice(9, 13)}${parent.slice(15, 18)}`);
  return uuid6(Math.floor(ticks / 10_000) - Number(BEGINNING) + 2, clockSequence);
}

/** Makes an interrupt's id, the XXH3 of its namespace in 128 bits. */
export function interruptId(namespace: string): string {
  return xxh3(encoder.encode(namespace)).toString(16).padStart(32, "0");
}
