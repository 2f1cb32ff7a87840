// Parts of messages that are nothing but text.
import { isDict, type Dict } from "../shared/dict.js";
import { isEmpty, mergeDicts } from "./merge.js";
import type { WireMessage } from "./message-form.js";

/** Whether text may be appended to a message: to its content, or to its last block. */
export function takesText(message: Dict): boolean {
  const { content, tool_call_chunks: chunks, type } = message;
  return type === "ai" && isEmpty(chunks) && (typeof content === "string" || lastText(content) !== undefined);
}

/**
 * Returns the text that a part appends to a message that accepts text. Returns undefined if the part adds anything
 * else, or begins a block. Repeated fields, such as the model's name, add nothing.
 */
export function textAdded(message: Dict, { fields, type }: WireMessage): string | undefined {
  if (type !== "ai" || fields["chunk_position"] === "last") return undefined;
  if (!LISTS.every((key) => isEmpty(fields[key])) || !DICTS.every((key) => repeats(message[key], fields[key])))
    return undefined;
  const { content } = fields;
  const known = message["content"];
  if (typeof known === "string") return typeof content === "string" ? content : undefined;
  const block = Array.isArray(content) && content.length === 1 ? (content as unknown[])[0] : undefined;
  const last = lastText(known);
  if (!last || !isDict(block) || typeof block["text"] !== "string" || block["type"] !== "text") return undefined;
  const { text, ...rest } = block;
  // A block without an index, or with another one, is a block of its own.
  return rest["index"] !== undefined && rest["index"] === last["index"] && repeats(last, rest) ? text : undefined;
}

/** The fields by which a part may add more than text. */
const LISTS = ["tool_call_chunks", "tool_calls", "invalid_tool_calls", "usage_metadata"] as const;
const DICTS = ["additional_kwargs", "response_metadata"] as const;

/** Whether a dict adds nothing to another when the two are merged. */
function repeats(known: unknown, dict: unknown): boolean {
  if (isEmpty(dict)) return true;
  return isDict(known) && isDict(dict) && mergeDicts(known, dict) === known;
}

function lastText(content: unknown): Dict | undefined {
  const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
  return isDict(last) && last["type"] === "text" && typeof last["text"] === "string" ? last : undefined;
}
