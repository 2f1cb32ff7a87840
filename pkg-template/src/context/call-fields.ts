// The tool calls of an assistant message, in either form: LangChain's, or OpenAI's, which is AG-UI's too.
import { type Fields, kindOf } from "./edited.js";
import { isDict } from "./python-text.js";

/** The calls of a message, and the field that they are in. */
export interface ToolCalls {
  readonly field: "tool_calls" | "toolCalls";
  readonly calls: readonly unknown[];
}

export function toolCallsOf(message: unknown, at: number): ToolCalls | undefined {
  if (kindOf(message, at) !== "ai") return undefined;
  for (const field of ["tool_calls", "toolCalls"] as const) {
    const calls = (message as Fields)[field];
    if (Array.isArray(calls)) return { field, calls };
  }
  return undefined;
}

export const callId = (call: unknown): unknown => (isDict(call) ? call["id"] : undefined);

export function callName(call: unknown): unknown {
  if (!isDict(call)) return undefined;
  return isDict(call["function"]) ? call["function"]["name"] : call["name"];
}

/** A call's arguments, if they are an object by now. */
export function callArgs(call: unknown): Fields | undefined {
  if (!isDict(call)) return undefined;
  let args = call["args"];
  if (isDict(call["function"])) {
    try {
      args = JSON.parse(call["function"]["arguments"] as string);
    } catch {
      return undefined;
    }
  }
  return isDict(args) ? args : undefined;
}

export function withArgs(call: unknown, args: Fields): unknown {
  const own = call as Fields;
  if (!isDict(own["function"])) return { ...own, args };
  return { ...own, function: { ...own["function"], arguments: JSON.stringify(args) } };
}

/** The id of the call that a message answers. */
export function answeredCall(message: unknown): string | undefined {
  const { tool_call_id: id, toolCallId } = message as Fields;
  const answered = id ?? toolCallId;
  return typeof answered === "string" ? answered : undefined;
}
