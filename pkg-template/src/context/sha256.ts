// SHA-256 (FIPS 180-4) of a text, for the name of a file: `crypto.subtle` would answer later.

const PRIMES: number[] = [];
for (let number = 2; PRIMES.length < 64; number++) if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
/** The first bits of the fractional part. */
const bits = (root: number) => (root * 2 ** 32) | 0;
const CONSTANTS = PRIMES.map((prime) => bits(Math.cbrt(prime) % 1));
const START = PRIMES.slice(0, 8).map((prime) => bits(Math.sqrt(prime) % 1));

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** Returns the hash in hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const message = new DataView(new ArrayBuffer(((bytes.length + 72) >> 6) << 6));
  bytes.forEach((byte, at) => message.setUint8(at, byte));
  message.setUint8(bytes.length, 0x80);
  message.setUint32(message.byteLength - 4, bytes.length * 8);

  const state = START.slice();
  const words = new Int32Array(64);
  for (let chunk = 0; chunk < message.byteLength; chunk += 64) {
    let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
    CONSTANTS.forEach((constant, at) => {
      if (at < 16) words[at] = message.getInt32(chunk + at * 4);
      else {
        const [w15, w2] = [words[at - 15]!, words[at - 2]!];
        const s0 = turn(w15, 7) ^ turn(w15, 18) ^ (w15 >>> 3);
        const s1 = turn(w2, 17) ^ turn(w2, 19) ^ (w2 >>> 10);
        words[at] = words[at - 16]! + s0 + words[at - 7]! + s1;
      }
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + constant + words[at]!) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    });
    [a, b, c, d, e, f, g, h].forEach((word, at) => (state[at] = (state[at]! + word) | 0));
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
