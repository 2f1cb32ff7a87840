// Shortens the names of the wasm's imports and exports. Those of wasm-bindgen are long, and some have a hash each,
// which no compression makes smaller. Exports that its glue does not use are removed.
import { leb, number, sections } from "./wasm-sections.mjs";

const [IMPORTS, EXPORTS] = [2, 7];

/** The names that slots.js uses, and those that tests use, which see the exports from outside. */
const KEPT = /^(?:memory|__stack_pointer|__wbg_\w+_free)$/;

/** The module of the glue's own functions, as wasm-bindgen calls it. */
const OWN = /^\.\/\w+_bg\.js$/;

/** The one module of all imports: names in the wasm and in the glue that are no longer than they must be. */
const MODULE = "a";

/** Returns `{ wasm, glue, imports }` with the short names: each import's `path` and `name` were wasm-bindgen's. */
export function shortNames(wasm, glue) {
  const imports = [];
  const exports = new Map();
  const content = {
    [IMPORTS]: (start) =>
      imported(wasm, start, (path, name) => {
        const short = `_${imports.length}`;
        imports.push({ path, name, short, isOwn: OWN.test(path) });
        return [MODULE, short];
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
    glue: gathered(glue, imports).replace(/\bwasm\.(\w+)/g, (_, name) => `wasm.${exports.get(name) ?? name}`),
    imports,
  };
}

/** The glue with all imports in one object; wasm-bindgen has one for each module, with all that the module exports. */
function gathered(glue, imports) {
  const short = new Map(imports.filter(({ isOwn }) => isOwn).map((one) => [one.name, one.short]));
  const others = imports.filter(({ isOwn }) => !isOwn);
  const body = glue
    .replace(/^import \* as import\d+ from .*\n/gm, "")
    .replace(/^( {8})(\w+)(?=: function)/gm, (_, indent, name) => indent + (short.get(name) ?? name))
    .replace(/^ {4}const import0 = \{\n {8}__proto__: null,\n/m, (head) =>
      [head, ...others.map(({ short }) => `        ${short},\n`)].join(""),
    )
    .replace(
      /^ {4}return \{\n {8}__proto__: null,\n(?: {8}\S+: import\d+,\n)+ {4}\};\n/m,
      `    return { ${MODULE}: import0 };\n`,
    );
  return others.map(({ path, name, short }) => `import { ${name} as ${short} } from "${path}";\n`).join("") + body;
}

/** The section of imports, each with the module and the name that `rename` returns for its own. */
function imported(wasm, start, rename) {
  let [count, at] = number(wasm, start);
  const entries = [Buffer.from(leb(count))];
  for (; count > 0; count--) {
    const module = text(wasm, at);
    const name = text(wasm, module.end);
    for (const short of rename(module.text, name.text)) entries.push(written(short));
    // Of functions only: their kind is 0, and the number of their type follows.
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
