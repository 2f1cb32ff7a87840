// Adapts an update's removals to the server's messages. A page shows messages that the server never kept, and lacks
// those of other clients.
import { REMOVE_ALL_MESSAGES, removeMessage } from "../state/messages.js";
import type { Thread } from "../thread/thread.js";
import { isUsers, messagesIn, placeIn, type AnyMessage } from "../runner/messages-in.js";

/**
 * Whether an update's removals depend on the server's messages: it removes messages, or begins again from a user
 * message that the server has sent.
 */
export function goesBack<S extends object, U extends object>(thread: Thread<S, U>, update: object): boolean {
  const said = listOf(update);
  if (said.some((message) => message?.id === REMOVE_ALL_MESSAGES)) return false;
  return said.some(isRemoval) || questionIn(thread, said) !== undefined;
}

/**
 * Returns the update in the form for the server. Removals of messages that the server lacks are dropped, because it
 * would refuse them. An update that begins again from a user message removes everything that the server has after it.
 *
 * @param kept - The server's messages.
 */
export function asKept<S extends object, U extends object>(
  thread: Thread<S, U>,
  update: object,
  kept: readonly AnyMessage[],
): object {
  const said = listOf(update);
  // The server's messages show whether an unanswered edit that a run submitted arrived.
  if (!goesBack(thread, update) && !questionIn(thread, said, kept)) return update;
  const question = questionIn(thread, said, kept);
  const at = question ? placeIn(kept, question.id) : -1;
  const isKept = new Set<unknown>(kept.map(({ id }) => id));
  const gone = new Set<unknown>(said.filter(isRemoval).map(({ id }) => id));
  const behind = at < 0 ? [] : kept.slice(at + 1).filter(({ id }) => !gone.has(id));
  const known = said.filter((message) => !isRemoval(message) || isKept.has(message.id));
  return { ...update, messages: [...known, ...behind.map(({ id }) => removeMessage(id))] };
}

/**
 * The user message from which an update begins again. It must be the update's only message, and the server must have
 * sent or kept it. The page must show nothing more of the server's after it.
 */
function questionIn<S extends object, U extends object>(
  thread: Thread<S, U>,
  said: readonly AnyMessage[],
  kept: readonly AnyMessage[] = [],
): AnyMessage | undefined {
  const [own, ...more] = said.filter((message) => !isRemoval(message));
  const told = messagesIn(thread.getConfirmedState());
  if (!own || more.length > 0 || [told, kept].every((list) => placeIn(list, own.id) < 0)) return undefined;
  const shown = messagesIn(thread.getState());
  const at = placeIn(shown, own.id);
  const toldIds = new Set<unknown>(told.map(({ id }) => id));
  const isLast = shown.slice(at + 1).every(({ id }) => !toldIds.has(id));
  return shown[at] && isUsers(shown[at]) && isLast ? own : undefined;
}

const isRemoval = (message: AnyMessage | undefined): boolean => message?.type === "remove";

const listOf = (update: object): readonly AnyMessage[] =>
  [(update as { messages?: AnyMessage[] }).messages ?? []].flat();
