import { removeMessage } from "../state/messages.js";
import type { Thread } from "../thread/thread.js";
import type { PendingUpdate } from "../thread/thread-types.js";
import type { InputOf } from "../state/fields.js";
import { isEdit, madeAnew } from "./rewind.js";
import { idsOf, isUsers, lastOf, messagesIn, type Said } from "./said.js";
import { isPending } from "./waiting.js";

/**
 * Makes failed updates pending again, in their order; returns their ids. Makes anew what removes messages. Removes what the failed run had sent after them;
 * moves to the end those behind which the conversation has gone on, and all after these.
 *
 * @param said - The ids of what that run had said; if a reload has lost them, it is what stands behind.
 */
export function sendAgain<S extends object, U extends object>(
  thread: Thread<S, U>,
  updates: readonly PendingUpdate<U>[],
  said: ReadonlySet<unknown> | undefined,
): string[] {
  if (updates.some(({ update }) => isEdit(thread, update as object))) {
    for (const { id } of updates) thread.optimisticUpdate(id).rollback();
    const anew = (update: object) => (isEdit(thread, update) ? madeAnew(thread, update) : update);
    return updates.map(({ update }) => thread.optimistic(anew(update as object) as InputOf<U>).id);
  }
  const ids = updates.map(({ update }) => idsOf(update).filter((id) => id !== undefined));
  const own = new Set<unknown>(ids.flat());
  takeBack(thread, ids, own, said);
  const messages = messagesIn(thread.getState());
  const places = new Map<unknown, number>(messages.map(({ id }, at) => [id, at]));
  // What waits behind them goes out with them.
  for (const { update } of thread.pending.filter(isPending)) for (const id of idsOf(update)) own.add(id);
  const end = lastOf(messages, ({ id }) => !own.has(id));
  const lastUsers = lastOf(messages, isUsers);
  const isAtEnd = (of: readonly unknown[]) =>
    end < 0 ||
    of.length === 0 ||
    end <=
      placeOf(
        of.map((id) => places.get(id) ?? -1),
        lastUsers,
      );
  const moved = ids.findIndex((of) => !isAtEnd(of));
  const staying = moved < 0 ? updates : updates.slice(0, moved);
  const moving = updates.slice(staying.length);
  for (const { id } of staying) thread.optimisticUpdate(id).retry();
  for (const { id } of moving) thread.optimisticUpdate(id).rollback();
  return [...staying, ...moving.map(({ update }) => thread.optimistic(update))].map(({ id }) => id);
}

interface Calling extends Said {
  readonly toolCalls?: readonly { readonly id?: unknown }[];
  readonly tool_calls?: readonly { readonly id?: unknown }[];
  readonly toolCallId?: unknown;
  readonly tool_call_id?: unknown;
}

/** Removes what a failed run has said behind what it carried. */
function takeBack<S extends object, U extends object>(
  thread: Thread<S, U>,
  ids: readonly (readonly unknown[])[],
  own: ReadonlySet<unknown>,
  said: ReadonlySet<unknown> | undefined,
): void {
  const messages = messagesIn(thread.getState());
  const shown = new Set<unknown>(messages.map(({ id }) => id));
  // One that only removes messages is about those behind the user's last one.
  const isHidden = (of: readonly unknown[]) => of.length > 0 && !of.some((id) => shown.has(id));
  const lastUsers = ids.some(isHidden) ? lastOf(messages, isUsers) : -1;
  const calls = new Set<unknown>();
  let isBehind = false;
  const gone = messages.filter((message, at) => {
    const { id } = message;
    const isOwn = own.has(id) || at === lastUsers;
    const { toolCalls, tool_calls = toolCalls, toolCallId, tool_call_id: answered = toolCallId } = message as Calling;
    // The result of a call made before is what somebody else has sent.
    isBehind = isOwn || (isBehind && !isUsers(message) && (answered === undefined || calls.has(answered)));
    if (isBehind) for (const call of tool_calls ?? []) calls.add(call.id);
    return isBehind && !isOwn && (!said || said.has(id)) && thread.getConfirmedMessage(id);
  });
  if (gone.length > 0) thread.update({ messages: gone.map(({ id }) => removeMessage(id)) } as U);
}

/** The last of an update's places; of one that only removes messages, that of the user's last message. */
const placeOf = (places: readonly number[], lastUsers: number): number => {
  const last = places.reduce((one, other) => Math.max(one, other), -1);
  return last < 0 ? lastUsers : last;
};
