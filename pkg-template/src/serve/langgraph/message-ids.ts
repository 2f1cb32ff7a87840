// Finds messages that a graph streams without the id under which its state will have them.
import { newId } from "../../shared/new-id.js";
import { isDict } from "../../shared/dict.js";

/** The field in which every value is a message, whatever its form. */
const MESSAGES = "messages";

/**
 * Returns whether a message among these updates has no id. One of `@langchain/core`'s classes in the field `messages` is
 * given its id here, as langgraph.js's reducer would do next. It copies other forms, whose ids are not seen.
 */
export function withoutIds(updates: Readonly<Record<string, unknown>>): boolean {
  let isMissing = false;
  for (const update of Object.values(updates).flat(1)) {
    if (!isDict(update)) continue;
    for (const [field, value] of Object.entries(update)) {
      const list: readonly unknown[] = Array.isArray(value) ? value : [value];
      for (const one of list) if (lacksId(one, field)) isMissing = true;
    }
  }
  return isMissing;
}

function lacksId(one: unknown, field: string): boolean {
  // A text, or a pair of role and text.
  if (!isDict(one)) return field === MESSAGES && (typeof one === "string" || Array.isArray(one));
  if (one["id"] || !("content" in one)) return false;
  if (typeof one["getType"] !== "function") return typeof (one["type"] ?? one["role"]) === "string";
  const message = one as { id?: string; lc_kwargs?: { id?: string } };
  const { lc_kwargs: fields } = message;
  if (field !== MESSAGES || !fields || Object.isFrozen(one)) return true;
  fields.id = message.id = newId();
  return false;
}
