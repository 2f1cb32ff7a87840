// The benchmark's data, parsed from JSON as if it came from a server.
const TEXT = "The quick brown fox jumps over the lazy dog, and then it writes a report about it. ";

export const idOf = (at) => `msg-${at.toString(16).padStart(8, "0")}-7d3f-4a11-9c52`;

/** A message of a conversation in which an agent now and then calls a tool, as a LangChain dict. */
function dict(at) {
  const id = idOf(at);
  const content = TEXT + at;
  switch (at % 4) {
    case 0:
      return { type: "human", id, content, additional_kwargs: {} };
    case 1: {
      const call = { name: "search", args: { query: `fox ${at}` }, id: `call-${at}`, type: "tool_call" };
      return { type: "ai", id, content: "", tool_calls: [call], additional_kwargs: {} };
    }
    case 2:
      return { type: "tool", id, content, tool_call_id: `call-${at - 1}`, name: "search" };
    default:
      return { type: "ai", id, content, tool_calls: [], additional_kwargs: {} };
  }
}

export const parsed = (value) => JSON.parse(JSON.stringify(value));

/** Messages `from` … `to` - 1 as dicts. */
export function dicts(from, to) {
  return parsed(Array.from({ length: to - from }, (_, at) => dict(from + at)));
}

/** Such a conversation as AG-UI's messages. */
export function agUiMessages(from, to) {
  const roles = { human: "user", ai: "assistant", tool: "tool" };
  return dicts(from, to).map(({ type, id, content, tool_calls: calls = [], tool_call_id: toolCallId }) => ({
    id,
    role: roles[type],
    content,
    ...(calls.length > 0 && {
      toolCalls: calls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: JSON.stringify(call.args) },
      })),
    }),
    ...(toolCallId && { toolCallId }),
  }));
}

/** The fields that instances and dicts share. */
export const essence = (messages) => messages.map(({ type, id, content }) => ({ type, id, content }));

export function tools(from, to) {
  return parsed(
    Array.from({ length: to - from }, (_, at) => ({
      name: `tool_${from + at}`,
      description: TEXT,
      parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    })),
  );
}

/** An agent's state of 1 MB: 50 sections of 20 items. */
export function bigState() {
  return parsed({
    title: "Report",
    progress: { done: 0, total: 1000 },
    sections: Array.from({ length: 50 }, (_, section) => ({
      title: `Section ${section}`,
      items: Array.from({ length: 20 }, (_, item) => ({
        id: `item-${section}-${item}`,
        text: TEXT.repeat(11),
        done: false,
        score: item / 20,
        tags: ["draft", "agent", `s${section}`],
        source: { url: `https://example.org/${section}/${item}`, accessed: "2026-01-01" },
      })),
    })),
  });
}
