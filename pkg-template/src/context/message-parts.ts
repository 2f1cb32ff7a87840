// Reads what a model is sent of a message, in any of the forms that a message may have. src/context/parts.rs is the
// same in Rust.
import { ThreadfoldError } from "../errors.js";
import { blocksOf } from "../message-content.js";
import { isDict } from "./python-text.js";

type Fields = Readonly<Record<string, unknown>>;

/** The kinds of messages that a model is sent. */
export type MessageKind = "human" | "ai" | "system" | "tool" | "function" | "chat";

/** A message, as a model is sent it. */
export interface MessageParts {
  readonly kind: MessageKind;
  /** Text, a list of blocks, or what a tool returned. */
  readonly content: unknown;
  /** All that it has, in the form in which it came. */
  readonly fields: Fields;
  /** OpenAI's name of its kind. */
  readonly role: string;
}

/** A tool call in whichever form: LangChain's, or OpenAI's and AG-UI's, whose arguments are text. */
export interface CallParts {
  readonly name: string;
  readonly args: unknown;
  readonly id: unknown;
}

const KINDS: Readonly<Record<string, MessageKind | "remove" | "developer">> = {
  human: "human",
  user: "human",
  HumanMessage: "human",
  HumanMessageChunk: "human",
  ai: "ai",
  assistant: "ai",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  system: "system",
  SystemMessage: "system",
  SystemMessageChunk: "system",
  developer: "developer",
  tool: "tool",
  ToolMessage: "tool",
  ToolMessageChunk: "tool",
  function: "function",
  FunctionMessage: "function",
  FunctionMessageChunk: "function",
  chat: "chat",
  generic: "chat",
  ChatMessage: "chat",
  ChatMessageChunk: "chat",
  remove: "remove",
};

const ROLES: Readonly<Record<MessageKind, string>> = {
  human: "user",
  ai: "assistant",
  system: "system",
  tool: "tool",
  function: "function",
  chat: "",
};

const NO_FIELDS: Fields = {};

/**
 * Reads a message. Returns undefined for AG-UI's messages that are only for the screen: activities and reasoning.
 *
 * @throws `INVALID_MESSAGE` for anything else that no model is sent.
 */
export function readParts(item: unknown, at?: number): MessageParts | undefined {
  if (typeof item === "string") return { kind: "human", content: item, fields: NO_FIELDS, role: "user" };
  if (Array.isArray(item)) {
    if (item.length !== 2) throw refused(at, "", FORMS);
    return ofKind(item[0], "[0]", NO_FIELDS, item[1] ?? "", at);
  }
  if (!isDict(item)) throw refused(at, "", FORMS);
  const getType = item["getType"] ?? item["_getType"];
  if (typeof getType === "function") return ofKind((getType as () => unknown).call(item), ".type", item, undefined, at);
  if (item["lc"] !== undefined && Array.isArray(item["id"]) && isDict(item["kwargs"]))
    return ofKind(item["id"].at(-1), ".id", item["kwargs"], undefined, at);
  const { type, role } = item;
  if (typeof role !== "string" || (typeof type === "string" && KINDS[type] === "chat")) {
    if (typeof type !== "string") throw refused(at, "", FORMS);
    return ofKind(type, ".type", item, undefined, at);
  }
  if (type === undefined && (role === "reasoning" || role === "activity")) return undefined;
  const isAgUi = type === undefined && typeof item["id"] === "string";
  return ofKind(role, ".role", item, contentOfRole(item["content"], isAgUi), at);
}

export const FORMS = "an object with a type or a role, a string or a [role, content] pair";

function ofKind(name: unknown, field: string, fields: Fields, content: unknown, at?: number): MessageParts {
  const kind = typeof name === "string" && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined || kind === "remove")
    throw refused(at, field, "human, ai, system, developer, tool, function or chat");
  content ??= fields["content"] ?? "";
  if (kind === "developer") return { kind: "system", content, fields, role: "developer" };
  return { kind, content, fields, role: roleOf(kind, fields, at) };
}

function roleOf(kind: MessageKind, fields: Fields, at: number | undefined): string {
  if (kind === "chat") {
    if (typeof fields["role"] !== "string") throw refused(at, ".role", "a string");
    return fields["role"];
  }
  const extra = kind === "system" ? fields["additional_kwargs"] : undefined;
  if (!isDict(extra) || extra["__openai_role__"] === undefined) return ROLES[kind];
  if (typeof extra["__openai_role__"] !== "string") throw refused(at, ".additional_kwargs.__openai_role__", "a string");
  return extra["__openai_role__"];
}

/** The content of a message with a role: LangChain reads no blocks at all as no text, and AG-UI has parts of its own. */
function contentOfRole(content: unknown, isAgUi: boolean): unknown {
  if (!Array.isArray(content)) return content ?? "";
  if (content.length === 0) return "";
  return isAgUi ? content.map(ofAgUi) : content;
}

/** LangChain's block for a part that only AG-UI has; any other as it is. */
function ofAgUi(part: unknown): unknown {
  const source = isDict(part) && part["type"] !== "image" ? part["source"] : undefined;
  return isDict(source) && typeof source["value"] === "string" ? (blocksOf([part])[0] ?? part) : part;
}

/** Returns the calls of an AI message that a model is sent. */
export function callsOf({ kind, fields }: MessageParts, at?: number): CallParts[] {
  if (kind !== "ai") return [];
  const own = listOf(fields["tool_calls"]) ?? listOf(fields["toolCalls"]);
  if (own) return own.map((call, index) => callOf(call, at, index));
  return listOf(fields["invalid_tool_calls"]) || listOf(fields["tool_call_chunks"]) ? [] : rawCalls(fields);
}

const listOf = (value: unknown): unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined;

function callOf(call: unknown, at: number | undefined, index: number): CallParts {
  if (!isDict(call)) throw refused(at, `.tool_calls[${index}]`, "a tool call");
  const called = call["function"];
  const { name, args } = isDict(called) ? { name: called["name"], args: parsed(called["arguments"]) } : call;
  return { name: typeof name === "string" ? name : "", args: args ?? {}, id: call["id"] ?? null };
}

/** Arguments that are still arriving are the text that they are. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(text as string);
  } catch {
    return text;
  }
}

/** The calls of an older message, which has only OpenAI's own, as LangChain's classes read them: all, or none. */
function rawCalls(fields: Fields): CallParts[] {
  const extra = fields["additional_kwargs"];
  const raw = isDict(extra) ? listOf(extra["tool_calls"]) : undefined;
  const calls: CallParts[] = [];
  for (const call of raw ?? []) {
    if (!isDict(call)) return [];
    const called = call["function"];
    if (called === undefined) continue;
    if (!isDict(called) || typeof called["arguments"] !== "string") return [];
    const args = parsed(called["arguments"]);
    // Text that is no JSON makes an invalid call, which a model is not sent.
    if (args !== called["arguments"]) calls.push(callOf(call, undefined, 0));
  }
  return calls;
}

/** Returns the id of the call that a tool message answers. */
export function answeredId({ fields }: MessageParts, at?: number): string {
  const id = fields["tool_call_id"] ?? fields["toolCallId"];
  if (Number.isInteger(id)) return String(id);
  if (typeof id !== "string") throw refused(at, ".tool_call_id", "the id of the call that it answers");
  return id;
}

/** Returns the error for a message, or for a field of it. */
export function refused(at: number | undefined, field: string, expected: string): ThreadfoldError {
  const which = at === undefined ? "message" : `messages[${at}]`;
  return new ThreadfoldError("INVALID_MESSAGE", `${which}${field} should be ${expected}.`);
}
