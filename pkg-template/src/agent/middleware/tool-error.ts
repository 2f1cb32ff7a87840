import { wrong } from "../../context/options.js";
import { checkOptions } from "../../shared/options.js";
import { type ToolMessage, toolMessage } from "../message.js";
import { createMiddleware } from "./middleware.js";
import { mustPass } from "../tools/passing-errors.js";
import type { ToolLike, ToolCallRequest } from "../types.js";

/** Options of {@link toolErrorMiddleware}. */
export interface ToolErrorOptions {
  /** Returns the model's message for an error, or nothing to fail the run. */
  readonly onError: (
    error: unknown,
    request: ToolCallRequest,
  ) => ToolMessage["content"] | null | undefined | void | Promise<ToolMessage["content"] | null | undefined | void>;
  /** The tools that it is for; all, if left out. */
  readonly tools?: readonly (string | ToolLike)[] | undefined;
}

/**
 * Sends a tool's error to the model, where you choose so, as LangChain's `toolErrorMiddleware` does. To retry first,
 * put `toolRetryMiddleware` with `onFailure: "error"` after it.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for options of the wrong kind.
 *
 * @example
 * ```ts
 * import { createAgent, tool, toolErrorMiddleware } from "threadfold/agent";
 *
 * const onError = (error: unknown) => (error instanceof RangeError ? "That is too far away." : undefined);
 * const agent = createAgent({
 *   model: async (messages) =>
 *     messages.length > 1
 *       ? String(messages.at(-1)?.content)
 *       : { content: "", tool_calls: [{ id: "c1", name: "travel", args: {} }] },
 *   tools: [tool({ name: "travel", run: () => Promise.reject(new RangeError("384,400 km")) })],
 *   middleware: [toolErrorMiddleware({ onError })],
 * });
 * console.log((await agent.invoke({ messages: "To the moon." })).messages.at(-1)?.content); // That is too far away.
 * ```
 */
export function toolErrorMiddleware(options: ToolErrorOptions) {
  const { onError, tools } = options ?? {};
  checkOptions("toolErrorMiddleware", options ?? {}, ["onError", "tools"]);
  if (typeof onError !== "function") throw wrong("onError", "a function");
  const isFor = toolFilter(tools);
  return createMiddleware({
    name: "ToolErrorMiddleware",
    wrapToolCall: async (request, handler) => {
      const { toolCall, tool, runtime } = request;
      const name = tool?.name ?? toolCall.name;
      if (!isFor(name)) return handler(request);
      try {
        return await handler(request);
      } catch (error) {
        if (mustPass(error, runtime)) throw error;
        const content = await onError(error, request);
        if (content === undefined || content === null) throw error;
        return toolMessage({ id: toolCall.id, name }, content, "error");
      }
    },
  });
}

/** Whether a middleware is for the tool of a name. */
export function toolFilter(tools: readonly (string | ToolLike)[] | undefined): (name: string) => boolean {
  if (tools === undefined) return () => true;
  const names = Array.isArray(tools)
    ? tools.map((tool) => (typeof tool === "string" ? tool : tool?.name))
    : [undefined];
  if (names.some((name) => typeof name !== "string")) throw wrong("tools", "a list of tools, or of their names");
  return (name) => names.includes(name);
}
