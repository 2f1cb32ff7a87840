// The forms in which a server or a graph sends a message, and the one that a thread gets: a plain dict.
import { CHAT, KINDS, REMOVAL } from "../../generated/kinds.js";
import { KIND_NAMES } from "../state/message-kind.js";
import { isDict, type Dict } from "../shared/dict.js";
import { isEmpty } from "./merge.js";

/** A received message: its fields, its type, and whether it is a part of a message or a whole one. */
export interface WireMessage {
  readonly fields: Dict;
  readonly type: string;
  readonly part: boolean;
}

/** LangChain's classes, and the type of each. */
const TYPES = new Map([...KINDS, REMOVAL, CHAT].map(([type, name]) => [`${name}Message`, type as string]));

/** Fields that only LangChain's classes have. */
const CLASS_FIELDS = new Set(["lc_kwargs", "lc_namespace", "lc_serializable", "lc_direct_tool_output"]);

/**
 * Reads a message: a dict with a `type`, a serialised constructor (`{ lc: 1, … }`), or an instance of one of
 * @langchain/core's classes. Returns undefined for anything else.
 */
export function readMessage(value: unknown): WireMessage | undefined {
  if (!isDict(value)) return undefined;
  if (typeof value["getType"] === "function") return ofInstance(value, (value["getType"] as () => string).call(value));
  if (value["lc"] === 1 && Array.isArray(value["id"]) && isDict(value["kwargs"])) {
    return withName(value["kwargs"], String(value["id"].at(-1)));
  }
  return typeof value["type"] === "string" ? withName(value, value["type"]) : undefined;
}

function withName(fields: Dict, name: string): WireMessage {
  const whole = name.endsWith("Chunk") ? name.slice(0, -5) : name;
  const type = TYPES.get(whole) ?? whole;
  // A server written in JavaScript calls a part "ai", too; only a part has a list of tool call chunks.
  const part = whole !== name || (type === "ai" && Array.isArray(fields["tool_call_chunks"]));
  return { fields, type, part };
}

function ofInstance(instance: Dict, type: string): WireMessage {
  const fields = Object.entries(instance).filter(([key, value]) => !CLASS_FIELDS.has(key) && value !== undefined);
  return { fields: Object.fromEntries(fields), type, part: typeof instance["concat"] === "function" };
}

/** Returns the plain dict of a whole message. */
export const plainDict = ({ fields, type }: WireMessage): Dict =>
  fields["type"] === type ? fields : { ...fields, type };

/** Returns the messages of a state or an update as plain dicts; the same list if they are plain already. */
export function plainMessages(messages: unknown): unknown {
  if (!Array.isArray(messages)) return plainMessage(messages);
  return messages.some((message) => plainMessage(message) !== message) ? messages.map(plainMessage) : messages;
}

/** Reads only a value that is not yet a plain dict. */
function plainMessage(value: unknown): unknown {
  if (!isDict(value) || (value["lc"] !== 1 && typeof value["getType"] !== "function")) return value;
  const wire = readMessage(value);
  return wire ? plainDict(wire) : value;
}

/** Returns messages that have a role in LangChain's form, as its graphs convert what a node writes; the same list if none has. */
export function typedMessages(messages: unknown): unknown {
  if (!Array.isArray(messages)) return typedMessage(messages);
  return messages.some((message) => typedMessage(message) !== message) ? messages.map(typedMessage) : messages;
}

function typedMessage(message: unknown): unknown {
  if (!isDict(message) || "type" in message) return message;
  const { role, ...fields } = message;
  const type = KIND_NAMES.get(role);
  return type === undefined ? message : { ...fields, type };
}

/**
 * Returns a message in the form in which two sides compare it: a dict without its empty fields. A user's message stays in
 * a page as it was made there, and a server's copy has empty fields besides. Returns any other object as it is.
 */
export function comparable(value: object): unknown {
  const message = isDict(value) ? plainMessage(value) : value;
  if (!isDict(message) || typeof message["type"] !== "string" || !("content" in message)) return value;
  return Object.fromEntries(Object.entries(message).filter(([, own]) => !isEmpty(own)));
}

/** The class of each type's parts. */
const CHUNKS = new Map(KINDS.map(([type, name]) => [type, `${name}MessageChunk`]));

/** Returns the dict that an instance of one of @langchain/core's classes is sent as; anything else as it is. */
export function wireMessage(instance: Dict): unknown {
  const wire = readMessage(instance);
  if (!wire) return instance;
  return { ...wire.fields, type: wire.part ? (CHUNKS.get(wire.type) ?? wire.type) : wire.type };
}
