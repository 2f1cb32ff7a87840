// Builds the update that continues a conversation from one of the user messages.
import { ThreadfoldError } from "../shared/errors.js";
import { removeMessage } from "../state/messages.js";
import type { Thread } from "../thread/thread.js";
import type { PendingUpdate } from "../thread/thread-types.js";
import { idsOf, isUsers, lastOf, messagesIn, placeIn, removes, type AnyMessage } from "./messages-in.js";
import { carried } from "./messages-in.js";
import { INSIDE } from "../thread/inside.js";

/**
 * Finds the user's message with this id; or of another's, or without an id of the last message, the user's before it.
 *
 * @throws `UNKNOWN_MESSAGE` for an id that no message has, `INVALID_STATE` without a user message.
 */
export function userMessageOf<S extends object, U extends object>(
  thread: Thread<S, U>,
  id: string | undefined,
): AnyMessage {
  const messages = messagesIn(thread.getState());
  const named = id === undefined ? messages.length - 1 : placeIn(messages, id);
  // A call of the page's own carries those: no run answers them.
  const manual = new Set(thread.pending.filter((update) => update.manual).flatMap(({ update }) => idsOf(update)));
  if (id !== undefined && named < 0) throw new ThreadfoldError("UNKNOWN_MESSAGE", `There is no message '${id}'.`);
  const userMessage = messages[lastOf(messages.slice(0, named + 1), (one) => isUsers(one) && !manual.has(one.id))];
  if (!userMessage)
    throw new ThreadfoldError("INVALID_STATE", "There is no user message to answer yet: send one first.");
  return userMessage;
}

/** Returns the update that no run has taken to the server and that is about this message. */
export const unsentOf = <S extends object, U extends object>(thread: Thread<S, U>, { id }: AnyMessage) =>
  carried(thread)
    .filter((update) => isUnsent(update) && idsOf(update.update).includes(id))
    .at(-1);

/**
 * Returns the update that continues the conversation from a user message: it has the message, and removes everything
 * after it. Rolls back those of the removed messages that no run has sent.
 *
 * @param instead - Takes the message's place.
 */
export function rewound<S extends object, U extends object>(
  thread: Thread<S, U>,
  userMessage: AnyMessage,
  instead: object = userMessage,
): { messages: object[] } {
  const behind = [thread.getState(), thread.getConfirmedState()].flatMap((state) => {
    const messages = messagesIn(state);
    const at = placeIn(messages, userMessage.id);
    return at < 0 ? [] : messages.slice(at + 1);
  });
  const isBehind = new Set<unknown>(behind.map(({ id }) => id));
  const ids = new Set([...isBehind, userMessage.id]);
  for (const update of carried(thread).filter(isUnsent))
    if (idsOf(update.update).some((id) => ids.has(id))) thread[INSIDE].update(update.id).rollback();
  const removals = messagesIn(thread.getConfirmedState()).flatMap(({ id }) =>
    isBehind.has(id) ? removeMessage(id) : [],
  );
  return { messages: [instead === userMessage ? userMessage : { ...instead, id: userMessage.id }, ...removals] };
}

/**
 * Returns the removals of a failed run's messages after the user's last message: the run is made anew.
 *
 * @param received - The ids of the messages that it received; `reloaded` if a reload has lost them: the answer at the end is the run's.
 */
export function removalsOf<S extends object, U extends object>(
  thread: Thread<S, U>,
  received: ReadonlySet<unknown> | "reloaded",
): object[] {
  const isOlder = (message: AnyMessage) =>
    isUsers(message) ||
    !(received === "reloaded" ? isAnswer(message) : received.has(message.id)) ||
    !thread.getConfirmedMessage(message.id);
  const messages = messagesIn(thread.getState());
  return messages.slice(lastOf(messages, isOlder) + 1).map(({ id }) => removeMessage(id));
}

/** Whether it is the assistant's, and calls no tools. */
const isAnswer = ({ role, toolCalls }: AnyMessage & { readonly toolCalls?: readonly unknown[] }): boolean =>
  role === "assistant" && !toolCalls?.length;

/** Whether an update goes back: it removes messages, or only repeats one that the server has sent. */
export function isEdit<S extends object, U extends object>(thread: Thread<S, U>, update: object): boolean {
  const [id, ...more] = idsOf(update);
  const isOne = more.length === 0 && Object.keys(update).length === 1 && typeof id === "string";
  return removes(update) || (isOne && thread.getConfirmedMessage(id) !== undefined);
}

/**
 * Returns an update that goes back, renewed for the current thread. An update that continues from a user message
 * removes everything after that. Other updates drop the removals of missing messages. Call it once the update is rolled
 * back.
 */
export function editToResend<S extends object, U extends object>(thread: Thread<S, U>, update: object): object {
  const list = [(update as { messages?: AnyMessage[] }).messages ?? []].flat();
  const shown = messagesIn(thread.getState());
  const [own, ...more] = list.filter((message) => !isRemoval(message));
  const gone = new Set<unknown>(list.filter(isRemoval).map(({ id }) => id));
  const from = shown.findIndex(({ id }) => gone.has(id));
  // Without a message of its own, the update removes an answer: to the user message before it.
  const goesOn = !own && from >= 0 && shown.slice(from).some(isUsers);
  const userMessage = own
    ? shown.find((message) => message.id === own.id && isUsers(message))
    : goesOn && shown[lastOf(shown.slice(0, from), isUsers)];
  if (userMessage && more.length === 0) return { ...update, ...rewound(thread, userMessage, own) };
  const ids = new Set<unknown>(shown.map(({ id }) => id));
  return { ...update, messages: list.filter((message) => !isRemoval(message) || ids.has(message.id)) };
}

const isRemoval = ({ type }: AnyMessage): boolean => type === "remove";

/** Returns the one message that replaces the user message with this id. */
export function insteadOf(userMessage: AnyMessage, id: string, messages: unknown): object {
  const [own, ...more] = [messages ?? []].flat() as object[];
  if (userMessage.id !== id || !own || more.length > 0)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "An edit takes exactly one message, and its messageId names one of the user's.",
    );
  return own;
}

const isUnsent = ({ status }: PendingUpdate<unknown>) => status !== "sent";
