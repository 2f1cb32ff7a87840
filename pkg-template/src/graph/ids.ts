// Ids as langgraph.js makes them. A text crosses to the wasm as bytes.
import { call, interrupt_id, memory, next_checkpoint_id, task_id, text } from "#agent-core";

const encoder = new TextEncoder();
/** Of this program, among all that save checkpoints. */
let node: Uint8Array | undefined;

/** Makes room for bytes, and for an answer. */
function place(length: number): Uint8Array {
  const at = call(() => text(Math.max(16, length)));
  return new Uint8Array(memory(), at >>> 0, Math.max(16, length));
}

function hex(): string {
  let digits = "";
  for (const byte of place(16).subarray(0, 16)) digits += byte.toString(16).padStart(2, "0");
  return digits;
}

const dashed = (digits: string): string => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** Makes the uuid5 of a text in a namespace, which is a uuid. */
export function uuid5(name: string, namespace: string): string {
  const bytes = encoder.encode(name);
  const all = place(16 + bytes.length);
  const digits = namespace.replaceAll("-", "");
  for (let at = 0; at < 16; at++) all[at] = parseInt(digits.slice(2 * at, 2 * at + 2), 16);
  all.set(bytes, 16);
  call(() => task_id(16 + bytes.length));
  return dashed(hex());
}

/** Makes a uuid6. Each sorts behind those made before it. */
export function uuid6(milliseconds: number, clockSequence: number): string {
  node ??= crypto.getRandomValues(new Uint8Array(6));
  place(6).set(node);
  call(() => next_checkpoint_id(milliseconds, clockSequence));
  return dashed(hex());
}

/** Makes an interrupt's id, the `xxh3_128` of its namespace. */
export function interruptId(namespace: string): string {
  const bytes = encoder.encode(namespace);
  place(bytes.length).set(bytes);
  call(() => interrupt_id(bytes.length));
  return hex();
}
