// The system prompt, in the form of a model request.
import { textOf } from "../../state/message-content.js";
import { ThreadfoldError } from "../../shared/errors.js";
import type { ContentBlock } from "../../state/message-types.js";
import type { ModelRequest, SystemMessage } from "../types.js";

type Content = string | readonly ContentBlock[];

/** An agent's prompt: a text, or a message, of `@langchain/core` or a dict. */
export type SystemPrompt = string | { readonly content: Content | readonly unknown[] };

/** Makes a system message; an instance of LangChain's stays itself. */
export function systemMessage(prompt: SystemPrompt | null | undefined): SystemMessage {
  const given = typeof prompt === "object" && prompt ? prompt : { content: prompt ?? "" };
  if ("concat" in given) return given as SystemMessage;
  const { content } = given;
  return {
    content,
    text: textOf({ type: "system", content } as never),
    concat: (more: SystemPrompt) => {
      const other = typeof more === "object" ? more.content : more;
      const isText = typeof content === "string" && typeof other === "string";
      return systemMessage({ content: isText ? content + other : [content, other].flatMap(blocksOf) });
    },
  };
}

const blocksOf = (content: Content | readonly unknown[]) =>
  typeof content === "string" ? (content ? [{ type: "text", text: content }] : []) : content;

/** Brings prompt and message of a changed request in line: the one that changed counts. */
export function inLine<R extends ModelRequest>(request: R, before: ModelRequest): R {
  const { systemPrompt, systemMessage: message } = request;
  const isOther = systemPrompt !== before.systemPrompt;
  if (message === before.systemMessage)
    return isOther ? { ...request, systemMessage: systemMessage(systemPrompt) } : request;
  if (isOther && systemPrompt !== message.text)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "Cannot change both systemPrompt and systemMessage in the same request.",
    );
  return { ...request, systemPrompt: message.text };
}
