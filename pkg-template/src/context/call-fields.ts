// The tool calls of an assistant message, in either form: LangChain's, or OpenAI's, which is AG-UI's too.
import { callOf, type Fields, fieldsOf, functionOf, kindOf, textIn } from "./message-parts.js";
import { isDict } from "../shared/dict.js";
import { dictOr } from "./python-text.js";

/** The calls of a message, and the field that they are in. */
export interface ToolCalls {
  readonly field: "tool_calls" | "toolCalls";
  readonly calls: readonly unknown[];
}

export function toolCallsOf(message: unknown, at: number): ToolCalls | undefined {
  if (kindOf(message, at) !== "ai") return undefined;
  const fields = fieldsOf(message);
  for (const field of ["tool_calls", "toolCalls"] as const) {
    const calls = fields[field];
    if (Array.isArray(calls)) return { field, calls };
  }
  return undefined;
}

export const callId = (call: unknown): unknown => dictOr(call)["id"];

export const callName = (call: unknown): unknown => functionOf(dictOr(call))["name"];

/** A call's arguments, if they are an object by now. */
export function callArgs(call: unknown): Fields | undefined {
  const args = callOf(call)?.args;
  return isDict(args) ? args : undefined;
}

export function withArgs(call: unknown, args: Fields): unknown {
  const own = dictOr(call);
  const called = functionOf(own);
  return called === own ? { ...own, args } : { ...own, function: { ...called, arguments: JSON.stringify(args) } };
}

/** The id of the call that a message answers, by its fields. */
export const answeredCall = ({ tool_call_id, toolCallId }: Fields): string | undefined =>
  textIn(tool_call_id) ?? textIn(toolCallId);
