// What an update removes, by what the server has: a page shows what the server never kept, and lacks what others said.
import { REMOVE_ALL_MESSAGES, removeMessage } from "../state/messages.js";
import type { Thread } from "../thread/thread.js";
import { isUsers, messagesIn, placeIn, type Said } from "../runner/said.js";

/**
 * Whether an update's removals depend on what the server has: it removes messages, or begins again from one of the user's
 * that the server has told.
 */
export function goesBack<S extends object, U extends object>(thread: Thread<S, U>, update: object): boolean {
  const said = listOf(update);
  if (said.some((message) => message?.id === REMOVE_ALL_MESSAGES)) return false;
  return said.some(isRemoval) || questionIn(thread, said) !== undefined;
}

/**
 * Returns the update as the server is sent it: without removals of messages that the server does not have, which it would
 * refuse; one that begins again from a message of the user's removes all that the server has behind it.
 *
 * @param kept - The server's messages.
 */
export function asKept<S extends object, U extends object>(
  thread: Thread<S, U>,
  update: object,
  kept: readonly Said[],
): object {
  const said = listOf(update);
  // An edit of what a run took along that got no answer is known by what the server has.
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
 * The message of the user's from which an update begins again: the only one that it has, told by the server before or kept
 * by it, and the page shows nothing more of the server's behind it.
 */
function questionIn<S extends object, U extends object>(
  thread: Thread<S, U>,
  said: readonly Said[],
  kept: readonly Said[] = [],
): Said | undefined {
  const [own, ...more] = said.filter((message) => !isRemoval(message));
  const told = messagesIn(thread.getConfirmedState());
  if (!own || more.length > 0 || [told, kept].every((list) => placeIn(list, own.id) < 0)) return undefined;
  const shown = messagesIn(thread.getState());
  const at = placeIn(shown, own.id);
  const toldIds = new Set<unknown>(told.map(({ id }) => id));
  const isLast = shown.slice(at + 1).every(({ id }) => !toldIds.has(id));
  return shown[at] && isUsers(shown[at]) && isLast ? own : undefined;
}

const isRemoval = (message: Said | undefined): boolean => message?.type === "remove";

const listOf = (update: object): readonly Said[] => [(update as { messages?: Said[] }).messages ?? []].flat();
