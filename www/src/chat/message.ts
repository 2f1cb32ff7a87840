// The visible parts of a message, in either form.
import { isObject } from "../state";

export interface ShownMessage {
  readonly id: string;
  /** A key that stays the same when a server renames the message: for a tool's result that is the call. */
  readonly key: string;
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly text: string;
  readonly calls: readonly ShownCall[];
}

export interface ShownCall {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

const ROLES: Record<string, ShownMessage["role"]> = {
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  tool: "tool",
  system: "system",
};

export function read(message: object): ShownMessage {
  const fields = message as Record<string, unknown>;
  const id = String(fields["id"]);
  const call = fields["toolCallId"] ?? fields["tool_call_id"];
  return {
    id,
    key: typeof call === "string" ? `result of ${call}` : id,
    role: ROLES[String(fields["role"] ?? fields["type"])] ?? "assistant",
    text: typeof fields["content"] === "string" ? fields["content"] : "",
    calls: calls(fields),
  };
}

function calls(fields: Record<string, unknown>): ShownMessage["calls"] {
  // AG-UI's; LangChain's while they stream; LangChain's when they are whole.
  const lists = [fields["toolCalls"], fields["tool_call_chunks"], fields["tool_calls"]];
  const list = lists.find((found): found is unknown[] => Array.isArray(found) && found.length > 0) ?? [];
  return list.filter(isObject).map((call) => {
    const { name, arguments: text } = isObject(call["function"])
      ? call["function"]
      : { name: call["name"], arguments: call["args"] };
    const id = typeof call["id"] === "string" ? call["id"] : "";
    return { id, name: String(name ?? ""), args: typeof text === "string" ? text : JSON.stringify(text ?? {}) };
  });
}
