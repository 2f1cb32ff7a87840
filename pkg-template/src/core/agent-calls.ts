// Calls of the agent half's wasm. Only numbers cross.

import { buffer } from "../../generated/agent/threadfold_core.js";

export * from "../shared/errors.js";
export * from "../shared/reading.js";

interface AgentWasm {
  readonly memory: WebAssembly.Memory;
  headroom(room: number): void;
  readonly __stack_pointer: WebAssembly.Global;
}

let wasm: AgentWasm;
let empty: number;

/** Registers the exports of the wasm. */
export function begin(exports: object, _makeError: unknown): void {
  wasm = exports as AgentWasm;
  empty = wasm.__stack_pointer.value as number;
}

/** The wasm's memory, which may be another after a call. */
export const memory = (): ArrayBuffer => wasm.memory.buffer;

/** How much of JavaScript's stack a call needs, in 8 KiB: it overflows before the call begins, or not at all. */
const ROOM = 8;

/** Makes sure that a call of the wasm finds enough stack. */
export function enter(): void {
  wasm.headroom(ROOM);
}

/** Restores the wasm's own stack, if a call throws all the same: out of memory. */
export function leave(): void {
  wasm.__stack_pointer.value = empty;
}

/** Calls the wasm. */
export function call<T>(entry: () => T): T {
  enter();
  try {
    return entry();
  } catch (error) {
    leave();
    throw error;
  }
}

/** The buffer in which numbers cross, as of the last look at it. Growing memory takes it away: it is empty then. */
let numbers = new Float64Array(0);

/**
 * Returns the buffer for passing numbers, with room for at least so many. Get it again after each call, with the length
 * of its answer: the wasm may have moved it.
 */
export function room(length: number): Float64Array {
  if (numbers.length < length || numbers.length === 0) {
    const most = Math.max(64, 2 * length);
    const at = call(() => buffer(most));
    numbers = new Float64Array(memory(), at >>> 0, most);
  }
  return numbers;
}
