import { createMiddleware } from "./middleware.js";
import type { AgentModel } from "../types.js";
import { mustPass } from "../tools/passing-errors.js";

/**
 * Asks another model when one fails, in this order, as LangChain's `modelFallbackMiddleware` does. The last error fails the
 * run.
 *
 * @example
 * ```ts
 * import { createAgent, modelFallbackMiddleware } from "threadfold/agent";
 *
 * const agent = createAgent({
 *   model: () => Promise.reject(new Error("overloaded")),
 *   middleware: [modelFallbackMiddleware(async () => "The second answers.")],
 * });
 * console.log((await agent.invoke({ messages: "Hi" })).messages.at(-1)?.content); // The second answers.
 * ```
 */
export function modelFallbackMiddleware(...models: readonly AgentModel[]) {
  return createMiddleware({
    name: "ModelFallbackMiddleware",
    wrapModelCall: async (request, handler) => {
      let last: unknown;
      for (const model of [request.model, ...models]) {
        try {
          return await handler({ ...request, model });
        } catch (error) {
          if (mustPass(error, request.runtime)) throw error;
          last = error;
        }
      }
      throw last;
    },
  });
}
