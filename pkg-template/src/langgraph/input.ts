import type { Fields } from "../state/schema.js";
import { readyMade } from "./ready-made.js";
import type { AnyMessage } from "../runner/messages-in.js";

type Values = Record<string, unknown>;

/** Returns one input made of the updates sent together; null for none, which continues the graph from its state. */
export function inputOf(updates: readonly object[], schema: { readonly fields: object } | undefined): Values | null {
  if (updates.length === 0) return null;
  const fields: Partial<Fields> = (schema ?? readyMade()).fields as Fields;
  const input: Values = {};
  for (const update of updates) {
    for (const [key, value] of Object.entries(update)) {
      const sent = fields[key]?.kind === "messages" ? withContents(value) : value;
      input[key] = key in input ? joined(fields[key]?.kind, input[key], sent) : sent;
    }
  }
  return input;
}

/** A server in Python takes no message without content, nor a removal. */
const withContents = (messages: unknown): unknown =>
  Array.isArray(messages) ? messages.map(withContent) : withContent(messages as AnyMessage);
const withContent = (message: AnyMessage | null | undefined) =>
  message?.type === "remove" ? { content: "", ...message } : message;

/** Combines two updates of a field: appends lists, merges objects; otherwise the later one wins. */
function joined(kind: string | undefined, first: unknown, second: unknown): unknown {
  if (kind === "messages" || kind === "append" || kind === "tools") return [first, second].flat();
  if (kind === "files" || kind === "merge") return { ...(first as Values), ...(second as Values) };
  return second;
}
