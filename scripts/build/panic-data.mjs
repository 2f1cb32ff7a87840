// What panics would say, taken out of the wasm's data: nobody says it, for a panic only traps (panics.mjs), but neither
// the linker nor the optimiser knows which data nobody reads. Zeros cost nothing.
import { sections, number } from "./wasm-sections.mjs";

/** Files of Rust's library and of the core: only the places of panics name them. */
const FILE = /(?:\/rustc\/|rust\/|cargo\/|src\/)[\w./-]+\.rs/g;

/** What functions of Rust's library say that are made to trap. In formats a byte below space or above `~` is a part. */
const SENTENCES = [
  /capacity overflow/g,
  /(?:\W?range (?:start|end) index \W\W?)?" out of range for slice of length \W/g,
  /.range end index \W/g,
  /.copy_from_slice: source slice length \(\W\+\) does not match destination slice length \(\W.\)/gs,
  /.(?:insertion|removal) index \(is \W.\) should be <=? len \(is \W.\)/gs,
  /assertion failed: [\w.()]+/g,
  /mid > len/g,
  /attempt to join into collection with len > usize::MAX/g,
];

const DATA = 11;

/** All that says what this module does, for whoever keeps what it did. */
export const FORGOTTEN = [FILE, ...SENTENCES].map(({ source }) => source).join("\n");

/** Zeroes it in the given bytes of a wasm. */
export function forgetPanicData(wasm) {
  for (const { start, bytes } of segments(wasm)) {
    const text = bytes.toString("latin1");
    const files = new Map();
    for (const { index, 0: file } of text.matchAll(FILE)) files.set(start + index, file.length);
    for (const found of [FILE, ...SENTENCES].flatMap((pattern) => [...text.matchAll(pattern)])) {
      bytes.fill(0, found.index, found.index + found[0].length);
    }
    forgetPlaces(bytes, files);
  }
}

/** A panic's place is four words: where its file's name is, how long that is, a line and a column. */
function forgetPlaces(bytes, files) {
  for (let at = 0; at + 16 <= bytes.length; at += 4) {
    const [file, length] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    if (files.has(file) && files.get(file) === length) bytes.fill(0, at, at + 16);
  }
}

/** The data's segments: where each is in memory, and its bytes. */
function segments(wasm) {
  const data = sections(wasm).find(({ id }) => id === DATA);
  const [count, first] = number(wasm, data.start);
  const found = [];
  for (let at = first; found.length < count;) {
    // Each begins with 0, for the only memory there is, and says where it is: i32.const, a number, end.
    const [start, behind] = number(wasm, at + 2);
    const [length, from] = number(wasm, behind + 1);
    at = from + length;
    found.push({ start, bytes: wasm.subarray(from, at) });
  }
  return found;
}
