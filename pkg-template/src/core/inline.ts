// The default core: this file contains its wasm, ready once imported.
import { begin } from "../../generated/slots.js";
import { initSync } from "../../generated/threadfold_core.js";
import { alphabet, length, text } from "../../generated/wasm-text.js";
import { coreError } from "../shared/errors.js";

begin(initSync({ module: decode() }), coreError);

export * from "../../generated/slots.js";
export * from "../../generated/threadfold_core.js";

/** Reverses scripts/build/printable.mjs, which explains how the bytes are encoded and why. */
function decode(): Uint8Array<ArrayBuffer> {
  const bytesByRank = atob(alphabet);
  const rankOf = new Uint8Array(128);
  let characters = 0;
  for (let code = 32; code < 127; code++) {
    if (!`"'\`\\$`.includes(String.fromCharCode(code))) rankOf[code] = characters++;
  }
  const page = characters - 3;
  const bytes = new Uint8Array(length);
  for (let at = 0, from = 0; at < length; at++) {
    let rank = rankOf[text.charCodeAt(from++)] as number;
    if (rank >= page) rank = (rank - page + 1) * page + (rankOf[text.charCodeAt(from++)] as number);
    bytes[at] = bytesByRank.charCodeAt(rank);
  }
  return bytes;
}
