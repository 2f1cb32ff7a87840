import type { ModelRequest } from "./types.js";

/** The request with more to tell the model first. */
export const withPrompt = <R extends Pick<ModelRequest, "systemPrompt">>(request: R, more: string): R =>
  more === ""
    ? request
    : { ...request, systemPrompt: request.systemPrompt ? `${request.systemPrompt}\n\n${more}` : more };
