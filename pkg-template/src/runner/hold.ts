import type { Thread } from "threadfold";

/**
 * Has no run take along the updates with these ids, until the answer is called: then they wait as before, and `unsent`
 * has the ids that they have by then.
 */
export function hold<S extends object, U extends object>(thread: Thread<S, U>, unsent: Set<string>): () => void {
  const change = (ids: ReadonlySet<string>, manual: boolean) =>
    thread.pending
      .filter(({ id, status }) => ids.has(id) && status === "pending")
      .map(({ id, update }) => {
        thread.optimisticUpdate(id).rollback();
        return thread.optimistic(update, { manual }).id;
      });
  const held = new Set(change(unsent, true));
  unsent.clear();
  return () => {
    for (const id of held.size > 0 ? change(held, false) : held) unsent.add(id);
  };
}
