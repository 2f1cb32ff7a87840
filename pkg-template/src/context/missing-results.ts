// Tool messages for the calls that never got a result.
import { type Fields, fieldsOf, functionOf, kindOfInstance } from "./message-parts.js";
import { isDict } from "../shared/dict.js";
import type { Call, Facts } from "./rows.js";

/** The text of a tool message that answers a call without a result. */
export interface ToolAnswer {
  content: string;
  name: string;
  tool_call_id: string;
  status: "error";
}

type Make = (answer: ToolAnswer) => unknown;

/** Makes the answers for a list of messages, by `make` or each in the form of the message with its call. */
export class MissingResults {
  readonly #messages: readonly unknown[];
  readonly #make: Make | undefined;
  #own: Make | null | undefined;

  constructor(messages: readonly unknown[], make: Make | undefined) {
    this.#messages = messages;
    this.#make = make;
  }

  /** Returns the answer to a call of a message. Reads them, which may run the caller's code. */
  to(message: unknown, { calls, ids, invalid }: Facts, position: number): unknown {
    const call = calls[position] as Call;
    const id = ids[position] as string;
    const name = nameOf(call);
    const content = sentence(name, id, position >= ids.length - invalid);
    const answer: ToolAnswer = { content, name, tool_call_id: id, status: "error" };
    if (this.#make) return this.#make(answer);
    if (kindOfInstance(message as Fields) !== undefined) return this.#ofClass(answer);
    const fields = fieldsOf(message);
    if (typeof fields["role"] !== "string") return { type: "tool", ...answer };
    if (isThere(fields["toolCalls"]) && !isThere(fields["tool_calls"])) {
      const of = fields["id"];
      return { id: typeof of === "string" ? `${of}:${id}` : id, role: "tool", content, toolCallId: id, error: "error" };
    }
    // OpenAI's own form has no place for the rest.
    if (call["function"] !== undefined) return { role: "tool", content, tool_call_id: id };
    return { role: "tool", ...answer };
  }

  /** The class of the list's own tool messages: importing `@langchain/core` for it would make that a dependency. */
  #ofClass(answer: ToolAnswer): unknown {
    if (this.#own === undefined) {
      const found = this.#messages.find((message) => isDict(message) && kindOfInstance(message) === "tool");
      const Class = found?.constructor as (new (fields: object) => unknown) | undefined;
      this.#own = Class ? (answer) => new Class(answer) : null;
    }
    return this.#own ? this.#own(answer) : { type: "tool", ...answer };
  }
}

const isThere = (value: unknown) => value !== undefined && value !== null;

/** The tool's name, in LangChain's form or in OpenAI's. */
function nameOf(call: Call): string {
  const own = call["name"];
  const name = typeof own === "string" ? own : functionOf(call)["name"];
  return typeof name === "string" && name !== "" ? name : "unknown";
}

/** The words of deepagents' `PatchToolCallsMiddleware`. */
function sentence(name: string, id: string, invalid: boolean): string {
  const why = invalid
    ? "could not be executed - arguments were malformed or truncated."
    : "did not complete - no result was recorded. It may have been cancelled or interrupted.";
  return `Tool call ${name} with id ${id} ${why}`;
}
