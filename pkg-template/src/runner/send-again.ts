import { removeMessage, type Thread } from "threadfold";
import type { PendingUpdate } from "../thread-types.js";
import { idsOf, isUsers, lastOf, messagesIn } from "./said.js";
import { isPending } from "./waiting.js";

/**
 * Makes a failed update pending again; returns its id. Removes what the failed run had sent after it; moves it to the
 * end if the conversation has gone on.
 */
export function sendAgain<S extends object, U extends object>(thread: Thread<S, U>, update: PendingUpdate<U>): string {
  const own = new Set(idsOf(update.update).filter((id) => id !== undefined));
  const behind = () => {
    const messages = messagesIn(thread.getState());
    // One that only removes messages is about those behind the user's last one.
    const said = lastOf(messages, ({ id }) => own.has(id));
    const at = said < 0 && own.size > 0 ? lastOf(messages, isUsers) : said;
    return at < 0 ? [] : messages.slice(at + 1);
  };
  if (thread.run.status === "failed") {
    const said = behind();
    const end = said.findIndex(isUsers);
    const gone = (end < 0 ? said : said.slice(0, end)).filter(({ id }) => thread.message(id));
    if (gone.length > 0) thread.update({ messages: gone.map(({ id }) => removeMessage(id)) } as U);
  }
  const op = thread.optimisticUpdate(update.id);
  // What waits behind it goes out with it.
  const waiting = new Set(thread.pending.filter(isPending).flatMap((one) => idsOf(one.update)));
  if (behind().every(({ id }) => waiting.has(id))) {
    op.retry();
    return op.id;
  }
  op.rollback();
  return thread.optimistic(update.update).id;
}
