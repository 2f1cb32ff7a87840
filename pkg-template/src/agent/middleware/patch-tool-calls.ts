import { patchToolCalls } from "../../context/tool-calls.js";
import { REMOVE_ALL_MESSAGES, removeMessage } from "../../state/removal.js";
import { createMiddleware } from "./middleware.js";

/**
 * Answers calls that were never answered, such as those of a stopped run, before the agent begins. It works like
 * deepagents' `createPatchToolCallsMiddleware`, in Python's words.
 *
 * @example
 * ```ts
 * import { createAgent, createPatchToolCallsMiddleware } from "threadfold/agent";
 *
 * const agent = createAgent({ model: async () => "Fine.", middleware: [createPatchToolCallsMiddleware()] });
 * const { messages } = await agent.invoke({
 *   messages: [
 *     { type: "ai", content: "", tool_calls: [{ id: "c1", name: "search", args: {} }] },
 *     { type: "human", content: "Never mind." },
 *   ],
 * });
 * console.log(messages.map(({ type }) => type).join(", ")); // ai, tool, human, ai
 * ```
 */
export function createPatchToolCallsMiddleware() {
  return createMiddleware({
    name: "PatchToolCallsMiddleware",
    beforeAgent: ({ messages }) => {
      const patched = patchToolCalls(messages);
      if (patched === messages) return undefined;
      return { messages: [removeMessage(REMOVE_ALL_MESSAGES), ...patched] };
    },
  });
}
