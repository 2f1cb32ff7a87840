// Deliberate faults, requested by query parameters of the request that starts a run.

/**
 * @typedef {object} Faults
 * @property {number} latency - Milliseconds before the first event.
 * @property {number} tick - Milliseconds from one event to the next.
 * @property {number | undefined} cut - After how many events the connection breaks, in the middle of the next one.
 *   The run continues without it and can be rejoined.
 * @property {number | undefined} fail - After how many events the run fails. The server forgets it all.
 * @property {number} lag - How old the snapshots are that come while an answer streams. 0: there are none. 1: as of the
 *   last checkpoint, so without the message in flight. 2: and the first of them from before the run.
 * @property {boolean} rewrite - The last snapshot words the answer differently from what was streamed.
 */

/**
 * @param {URLSearchParams} query
 * @returns {Faults}
 * @throws {RangeError} a sentence for whoever asked
 */
export function readFaults(query) {
  return {
    latency: number(query, "latency", 10_000) ?? 0,
    tick: number(query, "tick", 1_000) ?? 25,
    cut: number(query, "cut", 100_000),
    fail: number(query, "fail", 100_000),
    lag: number(query, "lag", 2) ?? 0,
    rewrite: query.get("rewrite") === "1",
  };
}

function number(query, name, most) {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new RangeError(`${name}: a whole number from 0 to ${most} is needed, not ${JSON.stringify(text)}`);
  }
  return value;
}
