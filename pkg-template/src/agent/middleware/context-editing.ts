import { clearToolUses, type ClearToolUsesOptions } from "threadfold/context";
import type { LangChainMessage } from "../../messages.js";
import { createMiddleware } from "../middleware.js";

/** An edit of what the model is sent: what {@link clearToolUses} clears, or a function. */
export type ContextEdit =
  ClearToolUsesOptions<LangChainMessage> | ((messages: readonly LangChainMessage[]) => readonly LangChainMessage[]);

/**
 * Edits what the model is sent, as LangChain's `contextEditingMiddleware` does: by default old tool results are cleared
 * once there are 100,000 tokens. The messages of the state stay whole.
 *
 * What is cleared changes from call to call, which a prompt cache pays for: `clearToolUses` of
 * {@link summarizationMiddleware} remembers up to where it has cleared.
 *
 * @example
 * ```ts
 * import { contextEditingMiddleware, createAgent } from "threadfold/agent";
 *
 * const agent = createAgent({
 *   model: async (messages) => `The tool said: ${String(messages[1]?.content)}`,
 *   middleware: [contextEditingMiddleware({ edits: [{ trigger: 10, keep: 0 }] })],
 * });
 * const { messages } = await agent.invoke({
 *   messages: [
 *     { type: "ai", content: "", tool_calls: [{ id: "c1", name: "search", args: {} }] },
 *     { type: "tool", content: "a long text", tool_call_id: "c1" },
 *   ],
 * });
 * console.log(messages[1]?.content, "|", messages[2]?.content); // a long text | The tool said: [cleared]
 * ```
 */
export function contextEditingMiddleware({
  edits = [{}],
}: { readonly edits?: readonly ContextEdit[] | undefined } = {}) {
  return createMiddleware({
    name: "ContextEditingMiddleware",
    wrapModelCall: (request, handler) => {
      const edit = (messages: readonly LangChainMessage[], one: ContextEdit) =>
        typeof one === "function" ? one(messages) : clearToolUses(messages, one);
      const messages = edits.reduce(edit, request.messages);
      return handler(messages === request.messages ? request : { ...request, messages });
    },
  });
}
