// Messages with a change, for the context only.
import { type Fields, fieldsOf } from "./message-parts.js";
import { isDict } from "../shared/dict.js";
import { wrong } from "./options.js";

/** How much of a context: messages, tokens, or a share of the model's input tokens. */
export type ContextSize = { readonly messages: number } | { readonly tokens: number } | { readonly fraction: number };

/**
 * The message before which a context is edited, by its id or position. Store the boundary and move it only when
 * something is due. Then the start of the context stays the same, and so does a provider's prompt cache.
 */
export type EditedBefore = string | number;

/** A message's id, whatever its form. */
export const idOf = (message: unknown): unknown => fieldsOf(message)["id"];

/** Returns the position before which messages are edited: 0 for an id that none of them has. */
export function positionOf(before: EditedBefore, messages: readonly object[]): number {
  if (typeof before === "string")
    return Math.max(
      0,
      messages.findIndex((message) => idOf(message) === before),
    );
  if (!(before >= 0)) throw wrong("editedBefore", "the id or the position of a message");
  return Math.min(before, messages.length);
}

/** Returns a copy of a message with other fields; an instance keeps its class, LangChain's serialised form stays one. */
export function withFields<M extends object>(message: M, fields: Fields): M {
  const own = fieldsOf(message);
  if (own !== message && isDict(message)) return { ...message, kwargs: { ...own, ...fields } };
  const prototype: unknown = Object.getPrototypeOf(message);
  if (prototype === Object.prototype || prototype === null) return { ...message, ...fields };
  const copy = Object.create(prototype as object, Object.getOwnPropertyDescriptors(message)) as M;
  for (const [key, value] of Object.entries(fields))
    Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}

/** The free field of a message with this name in LangChain's form; AG-UI's has one for all. */
export const freeField = (message: object, name: string): string =>
  "type" in message || fieldsOf(message) !== message ? name : "metadata";

/** The text of a block of content, if it is text. */
export function blockText(block: unknown): string | undefined {
  const text = isDict(block) && block["type"] === "text" ? block["text"] : block;
  return typeof text === "string" ? text : undefined;
}

/** The first code points of a text. */
export function firstChars(text: string, count: number): string {
  if (text.length <= count) return text;
  // A pair counts as one.
  let end = 0;
  for (let chars = 0; chars < count && end < text.length; chars++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
