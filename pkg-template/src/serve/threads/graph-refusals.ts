// The refusals of requests that a graph, or its checkpointer, cannot follow.
import { ThreadfoldError } from "../../shared/errors.js";
import { errorWords } from "../../stream/error-words.js";
import type { RunnableGraph } from "../../stream/graph-parts.js";
import { Refusal } from "../refusal.js";

/** @throws {@link Refusal} 404 for a checkpoint that is named and not there. */
export async function checkNamed(
  { checkpointer }: RunnableGraph,
  configurable: Record<string, unknown>,
): Promise<void> {
  const { checkpoint_id: id, thread_id: threadId } = configurable;
  const { getTuple } = (checkpointer ?? {}) as { getTuple?(config: object): Promise<unknown> };
  if (id === undefined || typeof getTuple !== "function") return;
  if (!(await getTuple.call(checkpointer, { configurable })))
    throw new Refusal(404, `There is no checkpoint ${String(id)} of the thread ${String(threadId)}.`);
}

/** A graph's error about an invalid update or input is a refusal; any other error is the server's. */
export const refusedWith =
  (status: number) =>
  (error: unknown): never => {
    const missing = noSubgraph(error);
    if (missing) throw missing;
    const { name, message, code } = errorWords(error);
    const isOurs = error instanceof ThreadfoldError && error.code !== "STORAGE_FAILED";
    throw isOurs || name === "InvalidUpdateError" || code !== undefined ? new Refusal(status, message) : error;
  };

/** The refusal for a `checkpoint_ns` that no graph has; undefined for any other error. Both graphs say it in these words. */
function noSubgraph(error: unknown): Refusal | undefined {
  const { message } = errorWords(error);
  return /^Subgraph\b.* not found/.test(message) ? new Refusal(404, `Unknown checkpoint_ns. ${message}`) : undefined;
}
