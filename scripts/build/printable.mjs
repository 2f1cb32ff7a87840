// Bytes as printable text: one character for each of the bytes that are frequent in this file, two for the others.
//
// Base64 puts the bits of neighbouring bytes into one character, and the repetitions that gzip lives on are gone.
// Gzipped, the wasm in base64 is a third larger than the wasm. In this form it is not larger at all.

/** The characters that a JavaScript string holds unescaped: printable ASCII but quotes, the backslash and `$`. */
const CHARACTERS = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
  .filter((character) => !`"'\`\\$`.includes(character))
  .join("");
const ESCAPES = 3;

/**
 * Returns `{ length, alphabet, text }`: how many bytes there are; the bytes by frequency, as base64; and the text.
 * Character n of `CHARACTERS` in the text is byte n of the alphabet, but the last three move the next character a page
 * on.
 */
export function printable(bytes) {
  const counts = Array.from({ length: 256 }, () => 0);
  for (const byte of bytes) counts[byte] += 1;
  const alphabet = counts.map((_, byte) => byte).sort((a, b) => counts[b] - counts[a] || a - b);
  const page = CHARACTERS.length - ESCAPES;
  const written = [];
  alphabet.forEach((byte, rank) => {
    const escape = rank < page ? "" : CHARACTERS[page + Math.floor(rank / page) - 1];
    written[byte] = escape + CHARACTERS[rank % page];
  });
  const text = Array.from(bytes, (byte) => written[byte]).join("");
  return { length: bytes.length, alphabet: Buffer.from(alphabet).toString("base64"), text };
}

/** The same shape for the same bytes in base64, to measure what `printable` saves: inline.ts cannot read it. */
export const asBase64 = (bytes) => ({ length: bytes.length, alphabet: "", text: bytes.toString("base64") });
