// The recorded answers about a model's context: python/README.md has their formats.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { replay, type Recorded } from "./records.js";

export type Message = Record<string, unknown>;

/** A message of an answer, in terms of the case's messages. */
export type Told = number | [from: number, to: number] | { at: number; [field: string]: unknown } | { new: Message };

/** A case's messages: the index of a conversation, or themselves. */
export interface Given {
  messages?: number | Message[];
}

/** The conversations that cases refer to by index. */
export const conversations = JSON.parse(
  readFileSync(new URL("records/context/conversations.json", import.meta.url), "utf8"),
) as Message[][];

/** Checks each record of a subject of the context, with its messages. */
export function replayContext<In extends Given, Out>(
  subject: string,
  check: (record: Recorded<In, Out>, messages: Message[]) => void,
): void {
  replay(`context/${subject}`, (record: Recorded<In, Out>) => {
    check(record, messagesOf(record.in));
  });
}

/** A case's messages, as a copy that a function may spoil. */
export function messagesOf({ messages = [] }: Given): Message[] {
  if (typeof messages !== "number") return messages;
  const conversation = conversations[messages];
  if (!conversation) throw new RangeError(`There is no conversation ${messages}.`);
  return structuredClone(conversation);
}

/** Returns the messages that an answer describes: the case's own objects where they are untouched. */
export function expand(told: Told[], messages: Message[]): Message[] {
  return told.flatMap((item) => {
    if (typeof item === "number") return [at(messages, item)];
    if (Array.isArray(item)) {
      at(messages, item[1] - 1);
      return messages.slice(...item);
    }
    if ("new" in item) return [item.new as Message];
    const { at: index, ...changed } = item;
    return [{ ...at(messages, index), ...changed }];
  });
}

/**
 * Expects `got` to be the messages that an answer describes. Untouched ones must be the case's own objects. In the
 * others every field counts; null, empty and absent are equal.
 */
export function expectTold(got: readonly unknown[], told: Told[], messages: Message[]): void {
  const wanted = expand(told, messages);
  expect(got.map((message) => plain(message as Message))).toEqual(wanted.map(plain));
  wanted.forEach((message, index) => {
    if (messages.includes(message)) expect(got[index], `message ${index} is not the one that was given`).toBe(message);
  });
}

function at(messages: Message[], index: number): Message {
  const message = messages[index];
  if (!message) throw new RangeError(`There is no message ${index}.`);
  return message;
}

/** A message without its empty fields; a call without the type that Python adds. A removal has no content of its own. */
function plain(message: Message): Message {
  const fields = Object.entries(message).filter(
    ([name, value]) => name === "content" || !(value === null || value === undefined || isEmpty(value)),
  );
  const made: Message = Object.fromEntries(fields);
  if (made["type"] === "remove") delete made["content"];
  for (const name of ["tool_calls", "invalid_tool_calls"]) {
    const calls = made[name] as Message[] | undefined;
    if (calls) made[name] = calls.map((call) => ({ ...call, type: undefined }));
  }
  return made;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
