// Panics, made cheap: one stops the wasm at once, and nobody reads its message there. So the functions that Rust's
// library calls to panic only trap. So does the code that builds messages: nothing else in the core formats text.
import { readFileSync, writeFileSync } from "node:fs";
import binaryen from "binaryen";
import { Complaint } from "../process.mjs";
import { FORGOTTEN, forgetPanicData } from "./panic-data.mjs";
import { uses } from "./tricks.mjs";

/** Functions of Rust's library, and of wasm-bindgen's, that never return, by the ends of their names. */
const PANICS =
  /^(core|alloc|std|wasm_bindgen)\b.*::(panic|panic_fmt|panic_bounds_check|panic_const_\w+|(expect|unwrap|assert)_failed|\w+_fail|handle_error|handle_alloc_error|capacity_overflow|throw_str)$/;

/** The functions of `format!`, `write!` and `to_string()`, and a panic's payload. */
const FORMATTING = /\b(core|alloc)::fmt\b|\bPanicPayload\b/;

const LIBRARY = /^(core|alloc|std|__rustc)\b/;

/** This module's parameters, for callers that cache its results. */
export const RULES = [...[PANICS, FORMATTING, LIBRARY].map(({ source }) => source), FORGOTTEN].join("\n");

/** Writes a wasm whose functions have names anew. */
export function trapOnPanic(input, output) {
  const module = binaryen.readBinary(readFileSync(input));
  refuseFormatting(module);
  let found = false;
  for (let at = 0; at < module.getNumFunctions(); at++) {
    const pointer = module.getFunctionByIndex(at);
    const name = plain(binaryen.getFunctionInfo(pointer).name);
    found ||= name === "core::panicking::panic_fmt";
    if (PANICS.test(name) || FORMATTING.test(name)) binaryen.Function.setBody(pointer, module.unreachable());
  }
  if (!found) {
    throw new Complaint(
      "The wasm has no core::panicking::panic_fmt: Rust's library has changed, and scripts/build/panics.mjs must too.",
    );
  }
  const wasm = Buffer.from(module.emitBinary());
  if (uses("panic data")) forgetPanicData(wasm);
  writeFileSync(output, wasm);
  module.dispose();
}

/** A function of the core's own that formats would trap. */
function refuseFormatting(module) {
  for (const text of module.emitText().split("\n (func $").slice(1)) {
    const [name, ...called] = [`$${text}`, ...text.split("(call $").slice(1)].map((from) => plain(nameIn(from)));
    const formats =
      LIBRARY.test(name) || FORMATTING.test(name) ? undefined : called.find((callee) => FORMATTING.test(callee));
    if (formats) {
      throw new Complaint(
        `In the wasm ${name} calls ${formats}: put the text together with concat(), or Rust's formatting is in the package.`,
      );
    }
  }
}

/** The name at the start of some text: in quotes, unless it is simple. */
const nameIn = (text) => /^\$?(?:"((?:[^"\\]|\\.)*)"|([^\s)]+))/.exec(text)?.slice(1).find(Boolean) ?? "";

/** A name without hashes, which are in each crate's name or at the end: core[0123456789abcdef]::panicking::panic_fmt. */
const plain = (name) =>
  name
    .replaceAll(/\\5b|\[/g, "[")
    .replaceAll(/\\5d|\]/g, "]")
    .replaceAll(/\[[0-9a-f]+\]/g, "")
    .replace(/::h[0-9a-f]{16}$/, "")
    .replace(/^<+/, "");
