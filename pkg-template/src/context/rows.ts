// What the decisions of the wasm need to know of a message: which calls it makes, or which one it answers.
import { ThreadfoldError } from "../errors.js";

type Fields = Record<string, unknown>;

/** A call of a tool, in any form: LangChain's `{ id, name }`, or OpenAI's and AG-UI's `{ id, function: { name } }`. */
export type Call = Fields;

/** What is known of a message. */
export interface Facts {
  readonly kind: "ai" | "tool" | "other";
  /** The calls with an id, and behind them those of them that could not be parsed. */
  readonly calls: readonly Call[];
  readonly invalid: number;
  /** The id of the call that a tool message answers. */
  readonly answers: string | undefined;
}

const OTHER: Facts = { kind: "other", calls: [], invalid: 0, answers: undefined };
const SAYS_NOTHING: Facts = { kind: "ai", calls: [], invalid: 0, answers: undefined };
const ANSWERS_NOTHING: Facts = { kind: "tool", calls: [], invalid: 0, answers: undefined };

const KINDS: Readonly<Record<string, Facts>> = {
  __proto__: null as never,
  ai: SAYS_NOTHING,
  assistant: SAYS_NOTHING,
  AIMessage: SAYS_NOTHING,
  AIMessageChunk: SAYS_NOTHING,
  tool: ANSWERS_NOTHING,
  ToolMessage: ANSWERS_NOTHING,
  ToolMessageChunk: ANSWERS_NOTHING,
};

/** Returns what is known of a message in any of its forms. `at` is its position, for the error. */
export function factsOf(message: unknown, at: number): Facts {
  if (typeof message === "string") return OTHER;
  if (typeof message !== "object" || message === null) throw notAMessage(at);
  if (Array.isArray(message)) {
    if (message.length === 2 && typeof message[0] === "string") return KINDS[message[0]] ?? OTHER;
    throw notAMessage(at);
  }
  const fields = fieldsOf(message as Fields);
  const name = kindOf(fields, message as Fields);
  if (name === undefined) throw notAMessage(at);
  const facts = KINDS[name] ?? OTHER;
  if (facts === ANSWERS_NOTHING) {
    const answers = textIn(fields["tool_call_id"]) ?? textIn(fields["toolCallId"]);
    return answers === undefined ? facts : { kind: "tool", calls: [], invalid: 0, answers };
  }
  if (facts === OTHER) return facts;
  const calls = identified(fields["tool_calls"] ?? fields["toolCalls"]);
  const invalid = identified(fields["invalid_tool_calls"]);
  if (calls.length + invalid.length === 0) return facts;
  return { kind: "ai", calls: [...calls, ...invalid], invalid: invalid.length, answers: undefined };
}

/** The fields of LangChain's serialised form `{ lc, type: "constructor", id: [.., class], kwargs }`; else the message. */
function fieldsOf(message: Fields): Fields {
  const kwargs = message["lc"] === undefined ? undefined : message["kwargs"];
  return typeof kwargs === "object" && kwargs !== null && Array.isArray(message["id"]) ? (kwargs as Fields) : message;
}

function kindOf(fields: Fields, message: Fields): string | undefined {
  if (fields !== message) return textIn((message["id"] as unknown[]).at(-1));
  const method = message["_getType"] ?? message["getType"];
  if (typeof method === "function" && !Object.hasOwn(message, "_getType")) return textIn(method.call(message));
  return textIn(fields["role"]) ?? textIn(fields["type"]);
}

function identified(calls: unknown): Call[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter((call: unknown) => typeof (call as Call | null | undefined)?.["id"] === "string") as Call[];
}

const textIn = (value: unknown) => (typeof value === "string" ? value : undefined);

function notAMessage(at: number): ThreadfoldError {
  const forms = "an object with a type or a role, a string or a [role, content] pair";
  return new ThreadfoldError("INVALID_MESSAGE", `messages[${at}] should be ${forms}.`);
}

/** As src/wasm_agent/track.rs reads them. */
const [AI, TOOL, NO_ID] = [1, 2, 0xffffffff];

/** Turns facts into the rows that the wasm reads: numbers, with a number for each id of a call. */
export class Rows {
  readonly #ids = new Map<string, number>();
  #row: number[] = [];

  add(facts: Facts): void {
    const row = this.#row;
    if (facts.kind === "other") row.push(0);
    else if (facts.kind === "tool") row.push(TOOL, facts.answers === undefined ? NO_ID : this.#number(facts.answers));
    else {
      row.push(AI, facts.calls.length, facts.invalid);
      for (const call of facts.calls) row.push(this.#number(call["id"] as string));
    }
  }

  /** Returns the rows of what was added since it was last asked. */
  take(): Uint32Array {
    const rows = Uint32Array.from(this.#row);
    this.#row = [];
    return rows;
  }

  #number(id: string): number {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const number = this.#ids.size;
    this.#ids.set(id, number);
    return number;
  }
}
