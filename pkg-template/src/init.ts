import { begin } from "../generated/slots.js";
import load, { initSync } from "../generated/threadfold_core.js";
import { coreError } from "./errors.js";

/**
 * Loads the wasm of "threadfold/slim", the file `threadfold/threadfold_bg.wasm`. Call it once, before anything else of
 * that entry.
 *
 * Returns at once for bytes and a compiled module. For an address or a response it returns a promise: await it.
 */
export function init(source: BufferSource | WebAssembly.Module): void;
export function init(source: string | URL | Request | Response | Promise<Response>): Promise<void>;
export function init(
  source: BufferSource | WebAssembly.Module | string | URL | Request | Response | Promise<Response>,
): void | Promise<void> {
  if (source instanceof WebAssembly.Module || source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    begin(initSync({ module: source }), coreError);
    return undefined;
  }
  return load({ module_or_path: source }).then((exports) => begin(exports, coreError));
}
