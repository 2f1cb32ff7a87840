// The facts about a message that decisions need: which calls it makes, or which one it answers.
import { answeredCall } from "./call-fields.js";
import { FORMS, KINDS, named, refused } from "./message-parts.js";
import { listed, reading } from "./options.js";
import { isDict } from "../shared/dict.js";

/** A call of a tool, in any form: LangChain's `{ id, name }`, or OpenAI's and AG-UI's `{ id, function: { name } }`. */
export type Call = Record<string, unknown>;

/** The known facts about a message. */
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
const facts = (
  kind: Facts["kind"],
  answers?: string,
  chunk = false,
  calls: readonly Call[] = NONE,
  ids: readonly string[] = NONE,
  invalid = 0,
): Facts => ({ kind, calls, ids, invalid, answers, chunk });
const OTHER = facts("other");
const CALLS_NOTHING = facts("ai");

/**
 * Returns what is known of a message in any of its forms. `at` is its position, for the error. Reads the message, which
 * may run the caller's code.
 */
export function factsOf(message: unknown, at: number): Facts {
  const { name, fields } = named(message, at);
  if (typeof name !== "string") throw refused(at, "", FORMS);
  const kind = KINDS.get(name);
  if (kind === "tool") return facts(kind, answeredCall(fields), name === "ToolMessageChunk");
  if (kind !== "ai") return OTHER;
  const calls = identified(fields["tool_calls"] ?? fields["toolCalls"]);
  const invalid = identified(fields["invalid_tool_calls"]);
  if (calls.length + invalid.length === 0) return CALLS_NOTHING;
  const all = [...calls, ...invalid];
  const ids = all.map((call) => call["id"] as string);
  return facts(kind, undefined, false, all, ids, invalid.length);
}

/** The calls with an id. */
const identified = (list: unknown): readonly Call[] =>
  Array.isArray(list) ? list.filter((call: unknown) => isDict(call) && typeof call["id"] === "string") : NONE;

/** Returns the facts of each message of a list. Throws what a public function does that was given anything else. */
export function factsOfAll(messages: readonly unknown[]): Facts[] {
  return reading(() => {
    listed(messages);
    const facts: Facts[] = [];
    for (let at = 0, { length } = messages; at < length; at++) facts.push(factsOf(messages[at], at));
    return facts;
  });
}
