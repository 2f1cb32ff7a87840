// What the wasm imports and exports, by short names: those of wasm-bindgen are long, and some have a hash each, which no
// compression makes smaller. What its glue has no use for is not exported at all.
import { leb, number, sections } from "./wasm-sections.mjs";

const [IMPORTS, EXPORTS] = [2, 7];

/** Whatever slots.js asks for by name, and what tests do, who see the exports from outside. */
const KEPT = /^(?:memory|__stack_pointer|__wbindgen_externrefs|__wbg_\w+_free)$/;

/** The module of the glue's own functions, as wasm-bindgen calls it. */
const OWN = /^\.\/\w+_bg\.js$/;

/** Returns `{ wasm, glue }` with the short names. */
export function shortNames(wasm, glue) {
  const imports = new Map();
  const exports = new Map();
  const modules = new Map();
  const module = (path) => {
    if (!modules.has(path)) modules.set(path, String.fromCodePoint(97 + modules.size));
    return modules.get(path);
  };
  const content = {
    [IMPORTS]: (start) =>
      imported(wasm, start, (path, name) => {
        if (OWN.test(path)) imports.set(name, `_${imports.size}`);
        return [module(path), OWN.test(path) ? imports.get(name) : name];
      }),
    [EXPORTS]: (start) =>
      exported(wasm, start, (name) => {
        if (KEPT.test(name)) return name;
        if (!glue.includes(`wasm.${name}`)) return;
        exports.set(name, `_${exports.size}`);
        return exports.get(name);
      }),
  };
  const parts = sections(wasm).flatMap(({ id, start, end }) => {
    const body = content[id]?.(start) ?? wasm.subarray(start, end);
    return [Buffer.of(id, ...leb(body.length)), body];
  });
  return {
    wasm: Buffer.concat([wasm.subarray(0, 8), ...parts]),
    glue: glue
      .replace(/^( {8})(\w+)(?=: function)/gm, (_, indent, name) => indent + (imports.get(name) ?? name))
      .replace(/^( {8})"(\.\/[^"]+)"(?=: import)/gm, (_, indent, path) => indent + module(path))
      .replace(/\bwasm\.(\w+)/g, (_, name) => `wasm.${exports.get(name) ?? name}`),
  };
}

/** The section of imports, each with the module and the name that `rename` returns for its own. */
function imported(wasm, start, rename) {
  let [count, at] = number(wasm, start);
  const entries = [Buffer.from(leb(count))];
  for (; count > 0; count--) {
    const module = text(wasm, at);
    const name = text(wasm, module.end);
    for (const short of rename(module.text, name.text)) entries.push(written(short));
    // Of functions only: their kind is 0, and what follows is the number of their type.
    [, at] = number(wasm, name.end + 1);
    entries.push(wasm.subarray(name.end, at));
  }
  return Buffer.concat(entries);
}

/** The section of exports, each with the name that `rename` returns for its own; without those it returns none for. */
function exported(wasm, start, rename) {
  let [count, at] = number(wasm, start);
  const entries = [];
  for (; count > 0; count--) {
    const name = text(wasm, at);
    [, at] = number(wasm, name.end + 1);
    const short = rename(name.text);
    if (short) entries.push(Buffer.concat([written(short), wasm.subarray(name.end, at)]));
  }
  return Buffer.concat([Buffer.from(leb(entries.length)), ...entries]);
}

function text(wasm, at) {
  const [length, from] = number(wasm, at);
  return { text: wasm.subarray(from, from + length).toString("utf8"), end: from + length };
}

const written = (name) => Buffer.concat([Buffer.from(leb(Buffer.byteLength(name))), Buffer.from(name)]);
