// Reads what a model is sent of a message, in any of the forms that a message may have. src/context/parts.rs is the
// same in Rust.
import { ThreadfoldError } from "./options.js";
import { blocksOf } from "../state/message-content.js";
import { isDict } from "../shared/dict.js";

export type Fields = Readonly<Record<string, unknown>>;

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

/** The kinds by all names that messages have for them: types, roles, and LangChain's classes. */
export const KINDS = new Map<unknown, MessageKind | "developer">([
  ["user", "human"],
  ["assistant", "ai"],
  ["developer", "developer"],
  ["generic", "chat"],
]);
for (const name of ["Human", "AI", "System", "Tool", "Function", "Chat"]) {
  const kind = name.toLowerCase() as MessageKind;
  for (const form of [kind, `${name}Message`, `${name}MessageChunk`]) KINDS.set(form, kind);
}

/** OpenAI's names of kinds, where they differ. */
const ROLES = new Map<string, string>([
  ["human", "user"],
  ["ai", "assistant"],
]);

export const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The declared role of a message. */
export interface Named {
  readonly name: unknown;
  /** The field with its role. */
  readonly field: string;
  /** Its other fields. */
  readonly fields: Fields;
}

/** Reads a message's declared role: the class of an instance, else its role, else its type. It may be anything. */
export function named(item: unknown, at?: number): Named {
  if (typeof item === "string") return { name: "human", field: "", fields: { content: item } };
  if (Array.isArray(item) && item.length === 2) return { name: item[0], field: "[0]", fields: { content: item[1] } };
  if (!isDict(item)) throw refused(at, "", FORMS);
  const name = kindOfInstance(item);
  if (name !== undefined) return { name, field: ".type", fields: item };
  const fields = fieldsOf(item);
  if (fields !== item) return { name: (item["id"] as unknown[]).at(-1), field: ".id", fields };
  const { type, role } = item;
  const isChat = KINDS.get(type) === "chat";
  if (typeof role === "string" && !isChat) return { name: role, field: ".role", fields };
  if (typeof type !== "string") throw refused(at, "", FORMS);
  return { name: type, field: ".type", fields };
}

/** The fields of a message: of LangChain's serialised form `{ lc, id: [.., class], kwargs }` those that it is made of. */
export function fieldsOf(message: unknown): Fields {
  if (!isDict(message)) return {};
  const { lc, id, kwargs } = message;
  return lc !== undefined && Array.isArray(id) && isDict(kwargs) ? kwargs : message;
}

/** Returns the declared role of an instance of a `@langchain/core` class. */
export function kindOfInstance(message: Fields): unknown {
  // The class's method, not data of the same name.
  const method = message["_getType"] ?? message["getType"];
  return typeof method === "function" && !Object.hasOwn(message, "_getType") ? method.call(message) : undefined;
}

/** The kind of a message, whatever its form. */
export const kindOf = (message: unknown, at: number): MessageKind | undefined => readParts(message, at)?.kind;

/** Whether a message is only for the screen, and never for a model: AG-UI's activities and reasoning. */
export const isForScreen = (message: unknown): boolean =>
  isDict(message) &&
  message["type"] === undefined &&
  (message["role"] === "reasoning" || message["role"] === "activity");

/**
 * Reads a message. Returns undefined for one that is only for the screen.
 *
 * @throws `INVALID_MESSAGE` for anything else that no model is sent.
 */
export function readParts(item: unknown, at?: number): MessageParts | undefined {
  if (isForScreen(item)) return undefined;
  const { name, field, fields } = named(item, at);
  const kind = KINDS.get(name);
  if (kind === undefined) throw refused(at, field, "human, ai, system, developer, tool, function or chat");
  const content = contentOf(fields, field);
  if (kind === "developer") return { kind: "system", content, fields, role: kind };
  return { kind, content, fields, role: roleOf(kind, fields, at) };
}

export const FORMS = "an object with a type or a role, a string or a [role, content] pair";

function roleOf(kind: MessageKind, fields: Fields, at: number | undefined): string {
  const role = (role: unknown, field: string) => {
    if (typeof role !== "string") throw refused(at, field, "a string");
    return role;
  };
  if (kind === "chat") return role(fields["role"], ".role");
  const extra = kind === "system" ? fields["additional_kwargs"] : undefined;
  if (!isDict(extra) || extra["__openai_role__"] === undefined) return ROLES.get(kind) ?? kind;
  return role(extra["__openai_role__"], ".additional_kwargs.__openai_role__");
}

/**
 * The content of a message. LangChain reads an empty list of blocks as an empty text if the message has a role. AG-UI
 * has parts of its own.
 */
function contentOf({ content, type, id }: Fields, field: string): unknown {
  if (field !== ".role" || !Array.isArray(content)) return content ?? "";
  if (content.length === 0) return "";
  return type === undefined && typeof id === "string" ? content.map(ofAgUi) : content;
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
  if (own)
    return own.map((call, index) => {
      const parts = callOf(call);
      if (!parts) throw refused(at, `.tool_calls[${index}]`, "a tool call");
      return parts;
    });
  return listOf(fields["invalid_tool_calls"]) || listOf(fields["tool_call_chunks"]) ? [] : rawCalls(fields);
}

const listOf = (value: unknown): unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined;

/** The object with a call's name: the call, or in OpenAI's form its function. */
export const functionOf = (call: Fields): Fields => (isDict(call["function"]) ? call["function"] : call);

/** Reads a call, if it is one. */
export function callOf(call: unknown): CallParts | undefined {
  if (!isDict(call)) return undefined;
  const called = functionOf(call);
  const args = called === call ? call["args"] : parsed(called["arguments"]);
  return { name: textIn(called["name"]) ?? "", args: args ?? {}, id: call["id"] ?? null };
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
    const parts = callOf(call) as CallParts;
    // Text that is not JSON makes an invalid call, which is not sent to a model.
    if (parts.args !== called["arguments"]) calls.push(parts);
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
