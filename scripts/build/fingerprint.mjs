// A fingerprint of the wasm: `init` of "threadfold/slim" checks that the wasm beside the package has the same version.
import { createHash } from "node:crypto";
import { leb } from "./wasm-sections.mjs";

/** The name of the section that has it, which pkg-template/src/core/init.ts knows, too. */
const SECTION = "threadfold";

export const fingerprint = (wasm) => createHash("sha256").update(wasm).digest("hex").slice(0, 16);

/** Returns the wasm with its own fingerprint in it; the wasm within the JavaScript needs none. */
export function withFingerprint(wasm) {
  const body = Buffer.from([...leb(SECTION.length), ...Buffer.from(SECTION + fingerprint(wasm))]);
  return Buffer.concat([wasm, Buffer.of(0, ...leb(body.length)), body]);
}
