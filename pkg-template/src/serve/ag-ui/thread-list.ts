// The list of a graph's threads, from which a page lets the user choose.
import { isKept, threadState } from "../../ag-ui/graph/graph-events.js";
import { questionsOf, type RunnableGraph } from "../../stream/graph-parts.js";
import type { Asker } from "../http.js";
import { KeptThreads } from "../threads/kept-threads.js";
import { rangeOf } from "../threads/list-query.js";
import type { Owners } from "../owners.js";

/**
 * Returns a page of the threads that the user may use, the last changed first. A thread that cannot be read is listed
 * with the status `error`.
 *
 * @param query - `limit`, 10 by default, and `offset`.
 * @param hasRun - Whether a thread has a run under way.
 */
export async function threadList(
  graph: RunnableGraph,
  owners: Owners,
  asker: Asker | undefined,
  query: URLSearchParams,
  hasRun: (threadId: string) => Promise<boolean>,
): Promise<object[]> {
  const [from, to] = rangeOf(Object.fromEntries(query));
  const usable = await owners.usable(asker, await new KeptThreads(0, () => false).listed([graph]));
  const sorted = usable.sort((a, b) => Number(a.updatedAt < b.updatedAt) - Number(a.updatedAt > b.updatedAt));
  const page = sorted.slice(from, to).map(async ({ id, createdAt, updatedAt }) => {
    const status = await statusOf(graph, id, hasRun).catch(() => "error");
    return status === undefined ? [] : [{ threadId: id, createdAt, updatedAt, status }];
  });
  return (await Promise.all(page)).flat();
}

/** Returns undefined for a thread that its owner has made, and no run has begun. */
async function statusOf(graph: RunnableGraph, threadId: string, hasRun: (threadId: string) => Promise<boolean>) {
  if (await hasRun(threadId)) return "streaming";
  const state = await threadState(graph, { configurable: { thread_id: threadId } });
  if (!state || !isKept(state)) return undefined;
  return questionsOf(state).length > 0 ? "interrupted" : "ready";
}
