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

  let state = START;
  const words: number[] = [];
  for (let chunk = 0; chunk < message.byteLength; chunk += 64) {
    let own = state;
    CONSTANTS.forEach((constant, at) => {
      const [a, b, c, d, e, f, g, h] = own as [number, number, number, number, number, number, number, number];
      const before = (back: number) => words[at - back] as number;
      const [w15, w2] = [before(15), before(2)];
      const s0 = turn(w15, 7) ^ turn(w15, 18) ^ (w15 >>> 3);
      const s1 = turn(w2, 17) ^ turn(w2, 19) ^ (w2 >>> 10);
      const word = at < 16 ? message.getInt32(chunk + at * 4) : (before(16) + before(7) + s0 + s1) | 0;
      words[at] = word;
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constant + word;
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      own = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
    });
    state = state.map((word, at) => (word + (own[at] as number)) | 0);
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
