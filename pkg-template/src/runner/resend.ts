// How failed updates are sent again.
import type { InputOf } from "../state/fields.js";
import { removeMessage } from "../state/messages.js";
import { INSIDE } from "../thread/inside.js";
import type { PendingUpdate } from "../thread/thread-types.js";
import type { Thread } from "../thread/thread.js";
import { editToResend, isEdit } from "./rewind.js";
import { type AnyMessage, idsOf, isPending, isUsers, lastOf, messagesIn } from "./messages-in.js";

/**
 * Makes failed updates pending again, in their order; returns their ids. Renews updates that remove messages. Removes
 * the messages that the failed run received after them. If the conversation has continued after some of them, moves
 * those and all later ones to the end.
 *
 * @param received - The ids of the messages that the run received; if a reload has lost them, all that come after.
 */
export function resendFailed<S extends object, U extends object>(
  thread: Thread<S, U>,
  updates: readonly PendingUpdate<U>[],
  received: ReadonlySet<unknown> | undefined,
): string[] {
  if (updates.some(({ update }) => isEdit(thread, update as object))) {
    for (const { id } of updates) thread[INSIDE].update(id).rollback();
    const resent = (update: object) => (isEdit(thread, update) ? editToResend(thread, update) : update);
    return updates.map(({ update }) => thread.optimistic(resent(update as object) as InputOf<U>).id);
  }
  const ids = updates.map(({ update }) => idsOf(update).filter((id) => id !== undefined));
  const own = new Set<unknown>(ids.flat());
  takeBack(thread, ids, own, received);
  const messages = messagesIn(thread.getState());
  const places = new Map<unknown, number>(messages.map(({ id }, at) => [id, at]));
  // Updates that wait after them are sent with them.
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
  for (const { id } of staying) thread[INSIDE].update(id).retry();
  for (const { id } of moving) thread[INSIDE].update(id).rollback();
  return [...staying, ...moving.map(({ update }) => thread.optimistic(update))].map(({ id }) => id);
}

interface Calling extends AnyMessage {
  readonly toolCalls?: readonly { readonly id?: unknown }[];
  readonly tool_calls?: readonly { readonly id?: unknown }[];
  readonly toolCallId?: unknown;
  readonly tool_call_id?: unknown;
}

/** Removes the messages that a failed run received after its updates. */
function takeBack<S extends object, U extends object>(
  thread: Thread<S, U>,
  ids: readonly (readonly unknown[])[],
  own: ReadonlySet<unknown>,
  received: ReadonlySet<unknown> | undefined,
): void {
  const messages = messagesIn(thread.getState());
  const shown = new Set<unknown>(messages.map(({ id }) => id));
  // An update that only removes messages concerns those after the user's last message.
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
    return isBehind && !isOwn && (!received || received.has(id)) && thread.getConfirmedMessage(id);
  });
  if (gone.length > 0) thread.update({ messages: gone.map(({ id }) => removeMessage(id)) } as U);
}

/** The last of an update's positions. If the update only removes messages, the position of the user's last message. */
const placeOf = (places: readonly number[], lastUsers: number): number => {
  const last = places.reduce((one, other) => Math.max(one, other), -1);
  return last < 0 ? lastUsers : last;
};
