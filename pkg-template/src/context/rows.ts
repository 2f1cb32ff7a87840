// What the decisions of the wasm need to know of a message: which calls it makes, or which one it answers.
import { FORMS, refused } from "./message-parts.js";

type Fields = Record<string, unknown>;

/** A call of a tool, in any form: LangChain's `{ id, name }`, or OpenAI's and AG-UI's `{ id, function: { name } }`. */
export type Call = Fields;

/** What is known of a message. */
export interface Facts {
  readonly kind: "ai" | "tool" | "other";
  /** The calls with an id: those that could be parsed, then the `invalid` others. */
  readonly calls: readonly Call[];
  /** Their ids. */
  readonly ids: readonly string[];
  readonly invalid: number;
  /** The id of the call that a tool message answers. */
  readonly answers: string | undefined;
  /** Whether it is a chunk of a tool message, which Python's rules do not take for one. */
  readonly chunk: boolean;
}

const NONE: readonly never[] = [];
const NOTHING = { calls: NONE, ids: NONE, invalid: 0, answers: undefined, chunk: false };
const OTHER: Facts = { kind: "other", ...NOTHING };
const CALLS_NOTHING: Facts = { kind: "ai", ...NOTHING };
const ANSWERS_NOTHING: Facts = { kind: "tool", ...NOTHING };
const CHUNK_OF_ANSWER: Facts = { ...ANSWERS_NOTHING, chunk: true };

const KINDS = new Map([
  ...["ai", "assistant", "AIMessage", "AIMessageChunk"].map((name) => [name, CALLS_NOTHING] as const),
  ...["tool", "ToolMessage"].map((name) => [name, ANSWERS_NOTHING] as const),
  ["ToolMessageChunk", CHUNK_OF_ANSWER] as const,
]);

/**
 * Returns what is known of a message in any of its forms. `at` is its position, for the error. Reads the message, which
 * may run the caller's code.
 */
export function factsOf(message: unknown, at: number): Facts {
  if (typeof message === "string") return OTHER;
  if (typeof message !== "object" || message === null) throw notAMessage(at);
  const isPair = Array.isArray(message);
  const fields = isPair ? (message as never) : fieldsOf(message as Fields);
  const name = isPair ? roleOf(message) : nameOf(message as Fields, fields);
  if (name === undefined) throw notAMessage(at);
  const facts = KINDS.get(name) ?? OTHER;
  if (facts === OTHER || isPair) return facts;
  if (facts.kind === "tool") {
    const answers = textIn(fields["tool_call_id"]) ?? textIn(fields["toolCallId"]);
    return answers === undefined
      ? facts
      : { kind: "tool", calls: NONE, ids: NONE, invalid: 0, answers, chunk: facts.chunk };
  }
  const valid = fields["tool_calls"] ?? fields["toolCalls"];
  const invalid = fields["invalid_tool_calls"];
  if (isEmpty(valid) && isEmpty(invalid)) return facts;
  const calls: Call[] = [];
  const ids: string[] = [];
  addCalls(valid, calls, ids);
  const count = ids.length;
  addCalls(invalid, calls, ids);
  return ids.length === 0
    ? facts
    : { kind: "ai", calls, ids, invalid: ids.length - count, answers: undefined, chunk: false };
}

const isEmpty = (list: unknown) => !Array.isArray(list) || list.length === 0;

const notAMessage = (at: number) => refused(at, "", FORMS);

function addCalls(list: unknown, calls: Call[], ids: string[]): void {
  if (!Array.isArray(list)) return;
  for (const call of list as readonly unknown[]) {
    if (typeof call !== "object" || call === null) continue;
    const id = (call as Call)["id"];
    if (typeof id !== "string") continue;
    calls.push(call as Call);
    ids.push(id);
  }
}

const roleOf = (pair: readonly unknown[]) => (pair.length === 2 ? textIn(pair[0]) : undefined);

/** What a message says that it is: the class of an instance, else its role, else its type. */
function nameOf(message: Fields, fields: Fields): string | undefined {
  if (fields !== message) return textIn((message["id"] as unknown[]).at(-1));
  return kindOfInstance(message) ?? textIn(message["role"]) ?? textIn(message["type"]);
}

/** The fields of a message: of LangChain's serialised form `{ lc, id: [.., class], kwargs }` those that it is made of. */
export function fieldsOf(message: Fields): Fields {
  if (message["lc"] === undefined) return message;
  const { id, kwargs } = message;
  const isMade = Array.isArray(id) && typeof id.at(-1) === "string";
  return isMade && typeof kwargs === "object" && kwargs !== null && !Array.isArray(kwargs)
    ? (kwargs as Fields)
    : message;
}

/** Returns what an instance of one of `@langchain/core`'s classes says that it is. */
export function kindOfInstance(message: Fields): string | undefined {
  // The class's method, not data of the same name.
  const method = message["_getType"] ?? message["getType"];
  return typeof method === "function" && !Object.hasOwn(message, "_getType") ? textIn(method.call(message)) : undefined;
}

const textIn = (value: unknown) => (typeof value === "string" ? value : undefined);
