// What the wasm imports, by short names: wasm-bindgen's have a hash each, which no compression makes smaller.
import { leb, number, sections } from "./wasm-sections.mjs";

const IMPORTS = 2;

/** A module and a name of wasm-bindgen's. */
const short = (text) => text.replace(/^\.\/(?:.*\/)?(\w+)\.js$/, "$1").replace(/^__wbg_(\w+)_[0-9a-f]{16}$/, "$1");

/** Returns `{ wasm, glue }` with the short names; as they were, if two would be one. */
export function shortNames(wasm, glue) {
  const names = new Set();
  let count = 0;
  const shortened = renameImports(wasm, (module, name) => {
    count += 1;
    names.add(`${short(module)} ${short(name)}`);
    return [short(module), short(name)];
  });
  if (names.size !== count) return { wasm, glue };
  return {
    wasm: shortened,
    glue: glue
      .replace(/^( {8})(__wbg_\w+_[0-9a-f]{16}): function/gm, (_, indent, name) => `${indent}${short(name)}: function`)
      .replace(/^( {8})"(\.\/[^"]+)": import/gm, (_, indent, module) => `${indent}${short(module)}: import`),
  };
}

function renameImports(wasm, rename) {
  const parts = [wasm.subarray(0, 8)];
  for (const { id, start, end } of sections(wasm)) {
    const body = id === IMPORTS ? renamed(wasm, start, rename) : wasm.subarray(start, end);
    // Of another kind than a function's.
    if (!body) return wasm;
    parts.push(Buffer.of(id, ...leb(body.length)), body);
  }
  return Buffer.concat(parts);
}

/** The section of imports with other names. */
function renamed(wasm, start, rename) {
  let [count, at] = number(wasm, start);
  const text = () => {
    const [length, from] = number(wasm, at);
    at = from + length;
    return wasm.subarray(from, at).toString("utf8");
  };
  const entries = [Buffer.from(leb(count))];
  for (; count > 0; count--) {
    for (const name of rename(text(), text()))
      entries.push(Buffer.of(...leb(Buffer.byteLength(name))), Buffer.from(name));
    const kind = at;
    // Of functions only: their kind is 0, and what follows is the number of their type.
    if (wasm[kind] !== 0) return;
    [, at] = number(wasm, kind + 1);
    entries.push(wasm.subarray(kind, at));
  }
  return Buffer.concat(entries);
}
