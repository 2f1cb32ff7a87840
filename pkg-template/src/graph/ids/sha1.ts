// SHA-1, which names tasks (uuid5) and guards nothing: a browser's own answers later, and only on secure pages.

const words = new Int32Array(80);

/** Returns the five words of a hash. */
export function sha1(bytes: Uint8Array): Int32Array {
  const { length } = bytes;
  const hash = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  // A bit and the length come after the last byte.
  const end = length + 9;
  for (let block = 0; block < end; block += 64) {
    for (let at = block; at < block + 64; at++) {
      const byte = at < length ? (bytes[at] as number) : at === length ? 0x80 : 0;
      const word = (at & 63) >> 2;
      words[word] = ((words[word] as number) << 8) | byte;
    }
    if (block + 64 >= end) words[15] = length * 8;
    for (let at = 16; at < 80; at++) {
      const word =
        (words[at - 3] as number) ^ (words[at - 8] as number) ^ (words[at - 14] as number) ^ (words[at - 16] as number);
      words[at] = (word << 1) | (word >>> 31);
    }
    let a = hash[0] as number;
    let b = hash[1] as number;
    let c = hash[2] as number;
    let d = hash[3] as number;
    let e = hash[4] as number;
    for (let at = 0; at < 80; at++) {
      const mixed =
        at < 20
          ? ((b & c) | (~b & d)) + 0x5a827999
          : at < 40
            ? (b ^ c ^ d) + 0x6ed9eba1
            : at < 60
              ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
              : (b ^ c ^ d) + 0xca62c1d6;
      const first = (((a << 5) | (a >>> 27)) + mixed + e + (words[at] as number)) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = first;
    }
    hash[0] = (hash[0] as number) + a;
    hash[1] = (hash[1] as number) + b;
    hash[2] = (hash[2] as number) + c;
    hash[3] = (hash[3] as number) + d;
    hash[4] = (hash[4] as number) + e;
  }
  return hash;
}
