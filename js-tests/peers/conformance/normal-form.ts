// Messages of every form, reduced to the fields that the reducers read, so that answers of two implementations compare.

export interface NormalMessage {
  kind: string;
  content: unknown;
  /** Null for none; "<uuid>" for one that was generated. */
  id: unknown;
  name?: unknown;
  tool_call_id?: unknown;
  tool_calls?: unknown[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const KINDS: Record<string, string> = {
  user: "human",
  assistant: "ai",
  developer: "system",
  HumanMessageChunk: "human",
  AIMessageChunk: "ai",
  SystemMessageChunk: "system",
  ToolMessageChunk: "tool",
};

type Bag = Record<string, unknown>;

export function kindOf(message: unknown): string {
  const { _getType, type, role } = message as Bag;
  if (typeof _getType === "function") return String(_getType.call(message));
  const name = String(type ?? role);
  return KINDS[name] ?? name;
}

export function normalMessage(message: unknown): NormalMessage {
  const { id, content, name, tool_call_id, tool_calls } = message as Bag;
  const kind = kindOf(message);
  const calls = Array.isArray(tool_calls) ? tool_calls.map(normalCall) : [];
  return {
    kind,
    // A removal has none, in any class.
    content: kind === "remove" ? "" : (content ?? ""),
    id: typeof id === "string" && UUID.test(id) ? "<uuid>" : (id ?? null),
    ...(name === undefined || name === null ? {} : { name }),
    ...(kind === "tool" ? { tool_call_id } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

export function normalMessages(messages: unknown): NormalMessage[] {
  return (messages as unknown[]).map(normalMessage);
}

function normalCall(call: unknown): unknown {
  const { function: called, name, args, id } = call as Bag;
  if (called === undefined) return { name, args, id };
  const { name: of, arguments: json } = called as { name: string; arguments: string };
  return { name: of, args: JSON.parse(json) as unknown, id };
}
