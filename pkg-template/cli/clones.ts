// Counts what a client copies.

export interface Clones {
  /** Calls of `structuredClone`. */
  readonly clones: number;
  /** The bytes of JSON that they copied. */
  readonly copied: number;
}

export async function countingClones<T>(work: () => Promise<T>): Promise<Clones & { readonly result: T }> {
  const clone = globalThis.structuredClone;
  let [clones, copied] = [0, 0];
  globalThis.structuredClone = (value, options) => {
    clones++;
    copied += Buffer.byteLength(JSON.stringify(value) ?? "");
    return clone(value, options);
  };
  try {
    return { result: await work(), clones, copied };
  } finally {
    globalThis.structuredClone = clone;
  }
}
