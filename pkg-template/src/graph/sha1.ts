// SHA-1, which names tasks (uuid5) and guards nothing: a browser's own answers later, and only on secure pages.

const words = new Int32Array(80);

/** Returns the five words of a hash. */
export function sha1(bytes: Uint8Array): Int32Array {
  const padded = new DataView(new ArrayBuffer(((bytes.length + 72) >> 6) << 6));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 4, bytes.length * 8);
  const hash = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  for (let block = 0; block < padded.byteLength; block += 64) {
    let a = hash[0] as number;
    let b = hash[1] as number;
    let c = hash[2] as number;
    let d = hash[3] as number;
    let e = hash[4] as number;
    for (let at = 0; at < 80; at++) {
      let word: number;
      if (at < 16) word = padded.getInt32(block + 4 * at);
      else {
        word =
          (words[at - 3] as number) ^
          (words[at - 8] as number) ^
          (words[at - 14] as number) ^
          (words[at - 16] as number);
        word = (word << 1) | (word >>> 31);
      }
      words[at] = word;
      const mixed =
        at < 20
          ? ((b & c) | (~b & d)) + 0x5a827999
          : at < 40
            ? (b ^ c ^ d) + 0x6ed9eba1
            : at < 60
              ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
              : (b ^ c ^ d) + 0xca62c1d6;
      const first = (((a << 5) | (a >>> 27)) + mixed + e + word) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = first;
    }
    hash[0] = ((hash[0] as number) + a) | 0;
    hash[1] = ((hash[1] as number) + b) | 0;
    hash[2] = ((hash[2] as number) + c) | 0;
    hash[3] = ((hash[3] as number) + d) | 0;
    hash[4] = ((hash[4] as number) + e) | 0;
  }
  return hash;
}
