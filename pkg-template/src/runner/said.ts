// Messages of either protocol, as far as it matters who said them.

export interface Said {
  readonly id: string;
  readonly type?: unknown;
  readonly role?: unknown;
}

export const isUsers = ({ type, role }: Said): boolean => role === "user" || type === "human";

export const messagesIn = (state: object): readonly Said[] => (state as { messages?: readonly Said[] }).messages ?? [];

/** The place of the last message of this kind; -1 if there is none. */
export const lastOf = (messages: readonly Said[], is: (message: Said) => boolean): number =>
  messages.map(is).lastIndexOf(true);

/** The place of the message with this id; -1 if there is none. */
export const placeIn = (messages: readonly Said[], id: unknown): number =>
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
