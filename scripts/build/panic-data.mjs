// Removes the messages of panics from the wasm's data. Nobody prints them, because a panic only traps (panics.mjs). But
// neither the linker nor the optimiser knows which data nobody reads. Zeros cost nothing.
import { sections, number } from "./wasm-sections.mjs";

/**
 * Files of Rust's library and of the core: only the places of panics name them. Texts adjoin each other: match no more
 * than that.
 */
const FILE = /(?:\/rustc\/|rust\/|cargo\/|src\/)[\w./-]+?\.rs/g;

/** The messages of functions in Rust's library that are made to trap: all of it between their parameters. */
const SENTENCES = [
  "capacity overflow",
  "range end index ",
  " out of range for slice of length ",
  "copy_from_slice: source slice length (",
  ") does not match destination slice length (",
  "insertion index (is ",
  ") should be <= len (is ",
  "removal index (is ",
  ") should be < len (is ",
  "assertion failed: self.is_char_boundary(new_len)",
  "mid > len",
  "attempt to join into collection with len > usize::MAX",
  "assertion failed: self.peeked.is_none()",
  // wasm-bindgen's, for objects that the package's own classes guard.
  "attempted to take ownership of Rust value while it was borrowed",
  "recursive use of an object detected which would lead to unsafe aliasing in rust",
  "null pointer passed to rust",
  // Rust's table for writing numbers: src/digits.rs has a way of its own.
  Array.from({ length: 100 }, (_, at) => String(at).padStart(2, "0")).join(""),
];

const DATA = 11;

/** This module's parameters, for callers that cache its results. */
export const FORGOTTEN = [FILE.source, ...SENTENCES].join("\n");

/** Zeroes it in the given bytes of a wasm. */
export function forgetPanicData(wasm) {
  for (const { start, bytes } of segments(wasm)) {
    const text = bytes.toString("latin1");
    const files = new Map();
    for (const { index, 0: file } of text.matchAll(FILE)) files.set(start + index, file.length);
    for (const [at, length] of files) bytes.fill(0, at - start, at - start + length);
    for (const sentence of SENTENCES) {
      const at = text.indexOf(sentence);
      if (at >= 0) bytes.fill(0, at, at + sentence.length);
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
    // Each begins with 0, for the only memory there is, and has its place: i32.const, a number, end.
    const [start, behind] = number(wasm, at + 2);
    const [length, from] = number(wasm, behind + 1);
    at = from + length;
    found.push({ start, bytes: wasm.subarray(from, at) });
  }
  return found;
}
