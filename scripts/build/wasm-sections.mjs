// The sections of a wasm, and the numbers in it.

/** Returns for each section its `id`, where its content starts and where it ends. */
export function sections(wasm) {
  const found = [];
  for (let at = 8; at < wasm.length;) {
    const id = wasm[at];
    const [length, start] = number(wasm, at + 1);
    at = start + length;
    found.push({ id, start, end: at });
  }
  return found;
}

/** A number in LEB128, and the position after it. */
export function number(wasm, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = wasm[at++];
    value |= (byte & 127) << shift;
    if (byte < 128) return [value, at];
  }
}

/** The bytes of a number in LEB128. */
export function leb(value) {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value];
}
