const BYTES = 16;
/** Ids per draw: one call of the system's randomness costs more than the id itself. */
const DRAWN = 256;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

const pool = new Uint8Array(BYTES * DRAWN);
let next = pool.length;

/** A random id: a version 4 UUID. Needs only `getRandomValues`, which pages without TLS have too. */
export function newId(): string {
  if (next === pool.length) {
    crypto.getRandomValues(pool);
    next = 0;
  }
  const at = next;
  next += BYTES;
  pool[at + 6] = ((pool[at + 6] as number) & 0x0f) | 0x40;
  pool[at + 8] = ((pool[at + 8] as number) & 0x3f) | 0x80;
  return `${hex(at, 4)}-${hex(at + 4, 2)}-${hex(at + 6, 2)}-${hex(at + 8, 2)}-${hex(at + 10, 6)}`;
}

function hex(from: number, count: number): string {
  let text = "";
  for (let at = from; at < from + count; at++) text += HEX[pool[at] as number] as string;
  return text;
}
