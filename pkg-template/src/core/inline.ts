// The core for everybody: its wasm is in this file, and ready when the import is.
import base64 from "../../generated/wasm-base64.js";
import { initSync, useErrors } from "../../generated/threadfold_core.js";
import { coreError } from "../errors.js";

initSync({ module: decode(base64) });
useErrors(coreError);

export * from "../../generated/threadfold_core.js";

function decode(text: string): Uint8Array<ArrayBuffer> {
  const native = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (native.fromBase64) return native.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
