// Reads the fields of a message that an agent needs, in any form: a LangChain dict, an instance, an AG-UI message.
import { ThreadfoldError } from "../shared/errors.js";
import { textOf } from "../state/message-content.js";
import { KIND_NAMES } from "../state/message-kind.js";
import { newId } from "../shared/new-id.js";
import type { ContentBlock, LangChainMessage, ToolCall } from "../state/message-types.js";

export type Fields = Record<string, unknown>;

/** A message of the model's: its text, and the tools that it calls. */
export type AiMessage = Extract<LangChainMessage, { type: "ai" }>;
/** The result of a tool. */
export type ToolMessage = Extract<LangChainMessage, { type: "tool" }>;

/**
 * Gives an instance of `@langchain/core`'s an id, if it has none: the state does so for any class, in 30 times as long.
 * It is a copy, because a model may answer with the same instance again, and mean another message.
 */
export function withId(message: AiMessage): AiMessage {
  const { id, lc_kwargs } = message as Fields;
  if ((id !== undefined && id !== null) || !lc_kwargs || typeOf(message) !== "ai") return message;
  const more = { id: newId() };
  const copy = { __proto__: Object.getPrototypeOf(message) as object, ...message, ...more };
  return Object.assign(copy, { lc_kwargs: { ...lc_kwargs, ...more } });
}

/** Names a message's author. An instance is named in place, as LangChain does; its name is saved by `lc_kwargs`. */
export function named<M extends object>(message: M, name: string): M {
  if (Object.getPrototypeOf(message) === Object.prototype) return { ...message, name };
  const { lc_kwargs } = message as { lc_kwargs?: Fields };
  if (lc_kwargs) lc_kwargs["name"] = name;
  return Object.assign(message, { name });
}

/** `"ai"`, `"human"`, `"tool"`, `"system"`, … */
export function typeOf(message: unknown): unknown {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, role, _getType } = message as Fields & { _getType?: () => string };
  const kind = type ?? _getType?.call(message) ?? role;
  return KIND_NAMES.get(kind) ?? kind;
}

/** The calls of a message of the model's. */
export const callsOf = (message: unknown): readonly ToolCall[] =>
  ((message as Fields | undefined)?.["tool_calls"] as readonly ToolCall[] | undefined) ?? [];

/** A model's answer whose calls have ids, each one of its own: a decision about a call must not be taken for another. */
export function withCallIds<M extends object>(answer: M): M {
  const calls = callsOf(answer);
  const known = new Set<string>();
  const named = calls.map((call) =>
    call.id && !known.has(call.id) ? (known.add(call.id), call) : { ...call, id: newId() },
  );
  if (named.every((call, at) => call === calls[at])) return answer;
  const withIds = { tool_calls: named };
  return isPlain(answer) ? { ...answer, ...withIds } : Object.assign(answer, withIds);
}

const isPlain = (message: object) => Object.getPrototypeOf(message) === Object.prototype;

/**
 * Returns what a model answered.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for an invalid message.
 */
export function checkedAnswer<T>(came: T): T {
  if (typeof came !== "object" || came === null || Array.isArray(came) || Symbol.asyncIterator in came)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Expected a message as the model's answer (or a text, from a function), got ${kindOf(came)}.`,
    );
  const calls: unknown = callsOf(came);
  if (!Array.isArray(calls) || calls.some((call) => typeof call !== "object" || call === null))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "Invalid answer of a model: expected a list of calls as its tool_calls.",
    );
  return came;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return `a ${Array.isArray(value) ? "list" : typeof value === "object" ? "stream" : typeof value}`;
}

/** The model's last message, and the results after it. */
export function lastTurn(messages: readonly unknown[]): { ai: AiMessage | undefined; results: ToolMessage[] } {
  let at = messages.length - 1;
  while (at >= 0 && typeOf(messages[at]) !== "ai") at--;
  const results = at < 0 ? [] : messages.slice(at + 1).filter((message) => typeOf(message) === "tool");
  return { ai: messages[at] as AiMessage | undefined, results: results as ToolMessage[] };
}

/** The calls of the model's last message that no result answers. */
export function openCalls(messages: readonly unknown[]): readonly ToolCall[] {
  const { ai, results } = lastTurn(messages);
  const answered = new Set<unknown>(results.map(({ tool_call_id: id }) => id));
  return callsOf(ai).filter(({ id }) => id == null || !answered.has(id));
}

/** Makes the answer to a call. Without a name where LangChain gives none. */
export function toolMessage(
  { id, name }: Pick<ToolCall, "id"> & { name?: string | undefined },
  content: ToolMessage["content"],
  status: "success" | "error" = "success",
): ToolMessage {
  const message: ToolMessage = { type: "tool", id: newId(), content, tool_call_id: id as string, status };
  if (name !== undefined) message.name = name;
  return message;
}

/** The blocks that LangChain takes for a result's content. Others are data that have a `type`. */
const BLOCKS = new Set<unknown>([
  "text",
  "image_url",
  "image",
  "json",
  "search_result",
  "custom_tool_call_output",
  "document",
  "file",
]);

/**
 * A tool's return value, as the content of a message.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for what JSON has no form for.
 */
export function contentOf(value: unknown): string | readonly ContentBlock[] {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (Array.isArray(value) && value.every((block) => BLOCKS.has((block as Fields | null)?.["type"]))) return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch (cause) {
    const sentence = "A tool must return a text or a JSON value: see the cause.";
    throw new ThreadfoldError("INVALID_ARGUMENT", sentence, { cause });
  }
}

/** The text of the last answer that has one. */
export function lastText(messages: readonly object[]): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const text = typeOf(messages[at]) === "ai" ? textOf(messages[at] as object).trimEnd() : "";
    if (text) return text;
  }
  return "";
}
