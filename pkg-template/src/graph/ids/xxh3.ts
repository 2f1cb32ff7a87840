// XXH3 in 128 bits without a seed, by its specification, for inputs that are not short. LangGraph names interrupts by
// it. BigInts are slow, but namespaces are short.

const M64 = (1n << 64n) - 1n;
const M32 = (1n << 32n) - 1n;
const P32 = [0x9e3779b1n, 0x85ebca77n, 0xc2b2ae3dn] as const;
const P64 = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const;

const SECRET = new DataView(
  Uint8Array.from(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e".match(
      /../g,
    ) as string[],
    (byte) => parseInt(byte, 16),
  ).buffer,
);

const s64 = (at: number): bigint => SECRET.getBigUint64(at, true);
/** Both halves of a product, on one another. */
const fold = (left: bigint, right: bigint): bigint => ((left * right) & M64) ^ ((left * right) >> 64n);

function avalanche(hash: bigint): bigint {
  hash = ((hash ^ (hash >> 37n)) * 0x165667919e3779f9n) & M64;
  return hash ^ (hash >> 32n);
}

const both = (high: bigint, low: bigint): bigint => ((high & M64) << 64n) | (low & M64);

function upTo240(view: DataView, length: number): bigint {
  const size = BigInt(length);
  let low = size * P64[0];
  let high = 0n;
  const mix = (at: number, key: number) =>
    fold(view.getBigUint64(at, true) ^ s64(key), view.getBigUint64(at + 8, true) ^ s64(key + 8));
  const sum = (at: number) => view.getBigUint64(at, true) + view.getBigUint64(at + 8, true);
  const mix32 = (first: number, second: number, key: number) => {
    low = ((low + mix(first, key)) & M64) ^ (sum(second) & M64);
    high = ((high + mix(second, key + 16)) & M64) ^ (sum(first) & M64);
  };
  if (length <= 128) {
    for (let at = (length - 1) >> 5; at >= 0; at--) mix32(16 * at, length - 16 * (at + 1), 32 * at);
  } else {
    const rounds = length >> 5;
    for (let at = 0; at < 4; at++) mix32(32 * at, 32 * at + 16, 32 * at);
    low = avalanche(low & M64);
    high = avalanche(high);
    for (let at = 4; at < rounds; at++) mix32(32 * at, 32 * at + 16, 3 + 32 * (at - 4));
    mix32(length - 16, length - 32, 103);
  }
  const end = low * P64[0] + high * P64[3] + size * P64[1];
  return both(-avalanche(end & M64), avalanche((low + high) & M64));
}

const STRIPE = 64;
const STRIPES = 16;

function long(view: DataView, length: number): bigint {
  const sums = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]] as bigint[];
  const stripe = (at: number, key: number) => {
    for (let lane = 0; lane < 8; lane++) {
      const word = view.getBigUint64(at + 8 * lane, true);
      const keyed = word ^ s64(key + 8 * lane);
      sums[lane ^ 1] = ((sums[lane ^ 1] as bigint) + word) & M64;
      sums[lane] = ((sums[lane] as bigint) + (keyed & M32) * (keyed >> 32n)) & M64;
    }
  };
  for (let at = 0; at < Math.floor((length - 1) / STRIPE); at++) {
    stripe(at * STRIPE, 8 * (at % STRIPES));
    if (at % STRIPES < STRIPES - 1) continue;
    for (let lane = 0; lane < 8; lane++) {
      const sum = sums[lane] as bigint;
      sums[lane] = ((sum ^ (sum >> 47n) ^ s64(128 + 8 * lane)) * P32[0]) & M64;
    }
  }
  stripe(length - STRIPE, 121);
  const merge = (key: number, start: bigint) => {
    for (let pair = 0; pair < 4; pair++) {
      const [left, right] = [sums[2 * pair] as bigint, sums[2 * pair + 1] as bigint];
      start += fold(left ^ s64(key + 16 * pair), right ^ s64(key + 16 * pair + 8));
    }
    return avalanche(start & M64);
  };
  const size = BigInt(length);
  return both(merge(117, ~(size * P64[1]) & M64), merge(11, (size * P64[0]) & M64));
}

/** Returns the hash, a number of 128 bits, of more than 16 bytes: a namespace has a uuid in it. */
export function xxh3(bytes: Uint8Array): bigint {
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  return length <= 240 ? upTo240(view, length) : long(view, length);
}
