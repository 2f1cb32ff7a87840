// Calls of the agent half's wasm. Only numbers cross. Where the wasm asks in the middle of a call, through `answering`,
// the answer throws nothing.

import { ThreadfoldError } from "../errors.js";

export * from "../errors.js";
export { answering } from "../../generated/agent/trim.js";

// The bundle has short names.
Object.defineProperty(ThreadfoldError, "name", { value: "ThreadfoldError" });

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

/** Calls the wasm. If it throws all the same (out of memory), restores its own stack. */
export function call<T>(entry: () => T): T {
  wasm.headroom(ROOM);
  try {
    return entry();
  } catch (error) {
    wasm.__stack_pointer.value = empty;
    throw error;
  }
}
