// Changes that middlewares make to a model request.
import type { ModelRequest } from "../types.js";

/**
 * Returns the request with more text in its system prompt. A prompt of blocks stays one, because it may set what a
 * provider caches.
 */
export function withPrompt<R extends Partial<Pick<ModelRequest, "systemPrompt" | "systemMessage">>>(
  request: R,
  more: string,
): R {
  const { systemPrompt, systemMessage: first } = request;
  if (more === "") return request;
  if (first && typeof first.content !== "string") return { ...request, systemMessage: first.concat(`\n\n${more}`) };
  return { ...request, systemPrompt: systemPrompt ? `${systemPrompt}\n\n${more}` : more };
}

/** The request with other messages; the same one, if they are the same. */
export const withMessages = (request: ModelRequest, messages: ModelRequest["messages"]): ModelRequest =>
  messages === request.messages ? request : { ...request, messages };
