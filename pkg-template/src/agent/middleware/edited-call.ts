// A call that a person has edited: it runs in place of the model's own, and the model is notified.
import type { ToolCall } from "../../state/messages.js";
import { contentOf, type Fields, typeOf } from "../message.js";
import { isCommand, withUpdate } from "../tools/tools.js";
import type { ToolCallRequest, ToolOutcome } from "../types.js";
import type { Action } from "./approval-decisions.js";

/** Runs an action in place of the call. `notice` begins the note to the model; null for none. */
export async function runEdited(
  request: ToolCallRequest,
  handler: (request: ToolCallRequest) => Promise<ToolOutcome>,
  action: Action,
  notice: string | null,
): Promise<ToolOutcome> {
  const { toolCall, runtime } = request;
  const { name, args } = action;
  const tool = runtime.tools.find((one) => one.name === name);
  const outcome = await handler({ ...request, tool, toolCall: { ...toolCall, name, args } });
  // If the tool does not exist, say only that: nothing ran.
  return !notice || !tool ? outcome : noted(outcome, toolCall, notice, action);
}

/** JSON as Python writes it: with spaces, in ASCII. */
const pythonJson = (value: object) =>
  JSON.stringify(value, null, 1)
    .replace(/(?<=[{[])\n +|\n *(?=[}\]])/g, "")
    .replace(/\n +/g, " ")
    .replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Tells the model that another call ran. */
function noted(outcome: ToolOutcome, { id }: ToolCall, notice: string, { name, args }: Action): ToolOutcome {
  const sentence = `${notice} Executed instead: ${name} with arguments ${pythonJson(args)}.`;
  const withNote = (message: Fields) => {
    const { content } = message;
    const note = contentOf(content).length > 0 ? `${sentence}\n\nTool response:` : sentence;
    const more = Array.isArray(content)
      ? [{ type: "text", text: note }, ...(content as unknown[])]
      : content
        ? `${note}\n${String(content)}`
        : note;
    return { ...message, type: "tool", content: more };
  };
  if (!isCommand(outcome)) return withNote(outcome as Fields) as unknown as ToolOutcome;
  return withUpdate(outcome, (update) => {
    const messages = (update["messages"] ?? []) as Fields[];
    const told = messages.map((one) => (typeOf(one) === "tool" && one["tool_call_id"] === id ? withNote(one) : one));
    return { ...update, messages: told };
  });
}
