import { begin } from "../generated/slots.js";
import load, { initSync } from "../generated/threadfold_core.js";
import { coreError } from "./errors.js";

/**
 * Brings the wasm of "threadfold/slim"; call it once, before anything else of that entry.
 *
 * Bytes and a compiled module are ready on return. An address or a response is ready when the promise is.
 * The file is `threadfold/threadfold_bg.wasm`.
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
