// What the wasm imports, by short names: wasm-bindgen's have a hash each, which no compression makes smaller.

const IMPORTS = 2;

/** A module and a name of wasm-bindgen's. */
const short = (text) => text.replace(/^\.\/(?:.*\/)?(\w+)\.js$/, "$1").replace(/^__wbg_(\w+)_[0-9a-f]{16}$/, "$1");

/** Returns `{ wasm, glue }` with the short names; as they were, if two would be one. */
export function shortNames(wasm, glue) {
  const names = new Set();
  let count = 0;
  const renamed = renameImports(wasm, (module, name) => {
    count += 1;
    names.add(`${short(module)} ${short(name)}`);
    return [short(module), short(name)];
  });
  if (names.size !== count) return { wasm, glue };
  return {
    wasm: renamed,
    glue: glue
      .replace(/^( {8})(__wbg_\w+_[0-9a-f]{16}): function/gm, (_, indent, name) => `${indent}${short(name)}: function`)
      .replace(/^( {8})"(\.\/[^"]+)": import/gm, (_, indent, module) => `${indent}${short(module)}: import`),
  };
}

function renameImports(wasm, rename) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = wasm[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const text = () => {
    const length = number();
    at += length;
    return wasm.subarray(at - length, at).toString("utf8");
  };
  const parts = [wasm.subarray(0, at)];
  while (at < wasm.length) {
    const id = wasm[at++];
    const end = number() + at;
    let body = wasm.subarray(at, end);
    if (id === IMPORTS) {
      const count = number();
      const entries = [leb(count)];
      for (let entry = 0; entry < count; entry++) {
        for (const name of rename(text(), text())) entries.push(leb(Buffer.byteLength(name)), Buffer.from(name));
        const kind = at;
        // Of functions only: their kind is 0, and what follows is the number of their type.
        if (wasm[at++] !== 0) return wasm;
        number();
        entries.push(wasm.subarray(kind, at));
      }
      body = Buffer.concat(entries);
    }
    parts.push(Buffer.of(id), leb(body.length), body);
    at = end;
  }
  return Buffer.concat(parts);
}

function leb(value) {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return Buffer.from([...bytes, value]);
}
