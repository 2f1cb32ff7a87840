// What the server remembers: threads, and the runs that can be joined again.
import { Conversation } from "./conversation.mjs";

/** Older runs and threads are forgotten: the server may stay up for days. */
const KEPT = 200;

/**
 * @typedef {object} Memory
 * @property {Map<string, import("./run.mjs").Kept>} threads
 * @property {Map<string, import("./run.mjs").Run>} runs
 * @property {(request: import("./run.mjs").Request, begin: (thread: import("./run.mjs").Kept) => import("./run.mjs").Run) =>
 *   import("./run.mjs").Run | undefined} start - Begins a run, or finds the one with this id. Undefined while another run
 *   of the thread goes on.
 */

/** @returns {Memory} */
export function createMemory() {
  const threads = new Map();
  const runs = new Map();
  return {
    threads,
    runs,
    start({ threadId, runId }, begin) {
      const thread = keep(threads, threadId, () => ({ conversation: new Conversation() }));
      if (!runs.has(runId) && thread.last && !thread.last.ended) return undefined;
      return keep(runs, runId, () => (thread.last = begin(thread)));
    },
  };
}

/** The entry of a map, made if there is none; the oldest goes when there are too many. */
function keep(map, key, make) {
  const value = map.get(key) ?? make();
  map.delete(key);
  map.set(key, value);
  if (map.size > KEPT) map.delete(map.keys().next().value);
  return value;
}
