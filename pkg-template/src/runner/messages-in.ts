// Reads messages of either protocol and updates: who wrote them, and which are waiting.
import type { PendingUpdate } from "../thread/thread-types.js";
import type { Thread } from "../thread/thread.js";

export interface AnyMessage {
  readonly id: string;
  readonly type?: unknown;
  readonly role?: unknown;
}

export const isUsers = ({ type, role }: AnyMessage): boolean => role === "user" || type === "human";

export const messagesIn = (state: object): readonly AnyMessage[] =>
  (state as { messages?: readonly AnyMessage[] }).messages ?? [];

/** The place of the last message of this kind; -1 if there is none. */
export const lastOf = (messages: readonly AnyMessage[], is: (message: AnyMessage) => boolean): number =>
  messages.map(is).lastIndexOf(true);

/** The place of the message with this id; -1 if there is none. */
export const placeIn = (messages: readonly AnyMessage[], id: unknown): number =>
  messages.findIndex((message) => message.id === id);

/** The ids of the messages that an update is about. */
export function idsOf(update: object): unknown[] {
  const { messages } = update as { messages?: unknown };
  return (Array.isArray(messages) ? messages : [messages]).map((message: { id?: unknown } | undefined) => message?.id);
}

/** Whether an update removes messages. */
export function removes(update: object): boolean {
  const { messages } = update as { messages?: unknown };
  return Array.isArray(messages) && messages.some((message: { type?: unknown }) => message?.type === "remove");
}

export const isPending = ({ status }: PendingUpdate<unknown>): boolean => status === "pending";

/** Returns the updates that a run carries: not those made with `{ manual: true }`. */
export const carried = <S extends object, U extends object>(thread: Thread<S, U>): readonly PendingUpdate<U>[] =>
  thread.pending.filter(({ manual }) => !manual);
