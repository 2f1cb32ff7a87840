// The ids of the messages that nodes write: given before an update is sent, so that the state and the streams share them.
import { newId } from "../../shared/new-id.js";
import { addMessages } from "../../state/messages.js";
import type { Values } from "../types.js";

export interface Message {
  id?: string | undefined;
  readonly lc_kwargs?: Record<string, unknown>;
  readonly type?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
  readonly _getType?: unknown;
}

const KINDS = new Set(["human", "ai", "system", "tool", "function", "developer", "user", "assistant", "generic"]);

export function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null || !("content" in value)) return false;
  const { type, role, _getType } = value as Message;
  return typeof _getType === "function" || KINDS.has((type ?? role) as string);
}

/** The writes of a node, with an id for each message that has none: the state and the stream share it. */
export function identified(update: Values): Values {
  const all: Record<string, unknown> = { ...update };
  for (const [key, value] of Object.entries(all)) all[key] = mapped(value, withId);
  return all;
}

/** The same for the fields of messages alone, where also a text, and a pair of role and text, is a message. */
export function withMessageIds(update: Values, fields: readonly string[]): Values {
  let all: Record<string, unknown> | undefined;
  for (const key of fields) {
    if (!Object.hasOwn(update, key)) continue;
    const value = update[key];
    const more = mapped(value, asMessage);
    if (more !== value) (all ??= { ...update })[key] = more;
  }
  return all ?? update;
}

/** A list in which no message was copied stays the list that it is. */
function mapped(value: unknown, change: (one: unknown) => unknown): unknown {
  if (!Array.isArray(value)) return change(value);
  const list = value.map(change);
  return list.some((one, at) => one !== (value as unknown[])[at]) ? list : value;
}

/** The message of an incomplete form, as the state will have it. */
function asMessage(one: unknown): unknown {
  const isIncomplete =
    typeof one === "string" ||
    Array.isArray(one) ||
    (isMessage(one) && !one.id && one.type === undefined && one.role !== undefined);
  return isIncomplete ? addMessages([], [one] as never)[0] : withId(one);
}

/** An instance of LangChain's is given its id in place, as in langgraph.js; a dict is copied. */
function withId(message: unknown): unknown {
  if (!isMessage(message) || message.id || Object.isFrozen(message)) return message;
  const id = newId();
  if (!message.lc_kwargs) return { ...message, id };
  message.lc_kwargs["id"] = id;
  message.id = id;
  return message;
}
