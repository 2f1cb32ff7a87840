// Whether another client has made a failed run again: an agent that answers a message again drops all that came after it.
import { sameJson } from "../shared/same-json.js";
import { REMOVE_ALL_MESSAGES } from "../state/messages.js";
import { messagesIn, type AnyMessage } from "../runner/messages-in.js";
import type { LoadedThread } from "../runner/transport.js";
import type { Thread } from "../thread/thread.js";

/**
 * Whether the server's thread shows a failed run that was made again. It then has all that these updates say, and
 * something new: messages that are not here, a question, or a run under way.
 */
export function isMade(thread: Thread, updates: readonly object[], found: LoadedThread): boolean {
  const { values, interrupts = [], runId, isDone = false } = found;
  const messages = messagesIn(values);
  if (!updates.every((update) => has(messages, update))) return false;
  if (runId !== undefined || interrupts.length > 0) return true;
  const own = new Set(updates.flatMap(messagesOf).map(({ id }) => id));
  return isDone && messages.some(({ id }) => !own.has(id) && thread.getConfirmedMessage(id) === undefined);
}

type Sent = AnyMessage & { readonly content?: unknown };

const messagesOf = (update: object): Sent[] => [(update as { messages?: Sent | Sent[] }).messages ?? []].flat();

function has(kept: readonly AnyMessage[], update: object): boolean {
  const fields = Object.keys(update).filter((name) => name !== "messages");
  return fields.length === 0 && messagesOf(update).every((message) => isThere(kept, message));
}

function isThere(kept: readonly AnyMessage[], { id, type, content }: Sent): boolean {
  if (id === REMOVE_ALL_MESSAGES) return false;
  const known = kept.find((message) => message.id === id) as Sent | undefined;
  return type === "remove" ? !known : known !== undefined && sameJson(known.content, content);
}
