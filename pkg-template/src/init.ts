import { begin } from "../generated/slots.js";
import load, { initSync } from "../generated/threadfold_core.js";
import { coreError } from "./errors.js";

/** A `WebAssembly.Module`, which has no name in a program without the types of the DOM. */
type CompiledModule = object;

/**
 * Loads the wasm of "threadfold/slim", the file `threadfold/threadfold_bg.wasm`. Call it once, before anything else of
 * that entry.
 *
 * Returns at once for bytes and a compiled module. For an address or a response it returns a promise: await it.
 */
export function init(source: string | URL | Request | Response | Promise<Response>): Promise<void>;
export function init(source: ArrayBuffer | ArrayBufferView | CompiledModule): void;
export function init(source: string | CompiledModule): void | Promise<void> {
  if (source instanceof WebAssembly.Module || source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    begin(initSync({ module: source as BufferSource | WebAssembly.Module }), coreError);
    return undefined;
  }
  return load({ module_or_path: source as string | URL | Request | Response | Promise<Response> }).then((exports) =>
    begin(exports, coreError),
  );
}
