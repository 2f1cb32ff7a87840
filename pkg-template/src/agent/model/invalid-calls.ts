// Calls whose arguments were malformed: each is answered before the model is asked again.
import type { LangChainMessage } from "../../state/messages.js";
import { type Fields, toolMessage, typeOf } from "../message.js";

/** Up to where a conversation, known by its first message, is in order. */
const seen = new WeakMap<object, [count: number, last: object]>();

/** Returns the messages with each invalid call answered. Reads only new messages. */
export function invalidCallsRepair(messages: readonly LangChainMessage[]): LangChainMessage[] | undefined {
  const [first] = messages;
  if (first === undefined) return undefined;
  const known = seen.get(first);
  const from = known && messages[known[0] - 1] === known[1] ? known[0] : 0;
  const broken = messages.slice(from).some((message) => invalidOf(message).length > 0);
  if (!broken) {
    // Later answers may belong to the last message, so it is read again.
    seen.set(first, [messages.length, messages.at(-1) as object]);
    return undefined;
  }
  const answered = new Set<unknown>();
  for (const message of messages) if (typeOf(message) === "tool") answered.add((message as Fields)["tool_call_id"]);
  const open = ({ id }: Fields) => id !== undefined && id !== null && !answered.has(id);
  if (!messages.some((message) => invalidOf(message).some(open))) return undefined;
  return messages.flatMap((message) => {
    const answers = invalidOf(message)
      .filter(open)
      .map((call) => {
        const { id, name } = call as { id: string; name?: string };
        answered.add(id);
        const who = name || "unknown";
        const said = `Tool call ${who} with id ${id} could not be executed - arguments were malformed or truncated.`;
        return toolMessage({ id, name: who }, said, "error");
      });
    return [message, ...answers];
  });
}

const invalidOf = (message: unknown): Fields[] =>
  (typeOf(message) === "ai" && ((message as Fields)["invalid_tool_calls"] as Fields[] | undefined)) || [];
