import * as core from "#core";
import { choice, RULES } from "./options.js";

/** The text of a message, or its content blocks (`{ type: "text", text }`, images, …). */
export type MessageContent = string | readonly object[];

/** A tool call as LangChain writes it. */
export interface ToolCall {
  name: string;
  args: Record<string, unknown>;
  id?: string | undefined;
  type?: "tool_call" | undefined;
}

interface LangChainFields {
  id?: string | undefined;
  content: MessageContent;
  name?: string | undefined;
  additional_kwargs?: Record<string, unknown> | undefined;
  response_metadata?: Record<string, unknown> | undefined;
}

/** A message as a LangChain dict. Instances of `@langchain/core`'s classes have the same fields. */
export type LangChainMessage =
  | (LangChainFields & { type: "human" | "system" | "function" })
  | (LangChainFields & { type: "ai"; tool_calls?: ToolCall[] | undefined; usage_metadata?: object | undefined })
  | (LangChainFields & { type: "tool"; tool_call_id: string; status?: "success" | "error" | undefined; artifact?: unknown });

/** A message as AG-UI writes it: by `role`, always with an id. `@ag-ui/core`'s own type fits, too. */
export interface AgUiMessage {
  id: string;
  role: "user" | "assistant" | "system" | "developer" | "tool" | "activity" | "reasoning";
  content?: unknown;
  name?: string | undefined;
  toolCalls?: object[] | undefined;
  toolCallId?: string | undefined;
}

/** The removal of the message with this id, or of all ({@link REMOVE_ALL_MESSAGES}). */
export interface MessageRemoval {
  type: "remove";
  id: string;
}

/**
 * Every form in which a message may come: a string (a human message), a `[role, content]` pair, a role dict,
 * a LangChain dict, a removal, an AG-UI message, or an instance of one of `@langchain/core`'s message classes.
 */
export type MessageLike =
  | string
  | readonly [role: string, content: MessageContent]
  | { readonly role: string }
  | { readonly type: string }
  | DictOf<"role">
  | DictOf<"type">;

/** The same for an object literal, whose every key the type checker looks for. */
type DictOf<K extends string> = { readonly [Key in K]: string } & { readonly [field: string]: unknown };

/** What a {@link MessageLike} is once it is in a list: what is no whole message becomes a LangChain dict. */
export type MessageOf<T> = T extends string | readonly unknown[]
  ? LangChainMessage
  : T extends { type: "remove" }
    ? never
    : T extends { role: string }
      ? T extends { id: string }
        ? T
        : LangChainMessage
      : T;

/** Whose rules a list of messages follows: LangGraph's `add_messages`, or DeepAgents' batch reducer. */
export interface MessageOptions {
  /**
   * `"deepagents"`: removing an unknown id is no error, ids are not assigned, a message that is removed and sent
   * again comes last, and of two messages with one id only the last is removed. Default `"langgraph"`.
   */
  rules?: "langgraph" | "deepagents" | undefined;
}

/** The id of a removal that removes every message before it. */
export const REMOVE_ALL_MESSAGES = "__remove_all__";

/**
 * The removal of the message with this id, for {@link addMessages}.
 *
 * @example
 * ```ts
 * import { addMessages, removeMessage } from "threadfold";
 *
 * const list = addMessages([{ type: "human", id: "1", content: "a" }], removeMessage("1"));
 * console.log(list.length); // 0
 * ```
 */
export function removeMessage(id: string): MessageRemoval {
  return { type: "remove", id };
}

/**
 * Adds messages to messages as LangGraph's `add_messages` does: one of a known id replaces that message in its
 * place, another is appended, a removal removes. Either side is a list or a single message.
 *
 * Whole messages go through untouched: the same objects, instances with their class. Neither side is changed,
 * and when `right` changes nothing the answer is `left` itself. A message without an id is given a uuid.
 *
 * One deliberate difference from `messagesStateReducer`: a removal after a remove-all is carried out, or is the
 * error `REMOVED_AFTER_REMOVE_ALL`; the reference returns the removal as a message. And dicts stay dicts.
 *
 * @throws {@link ThreadfoldError} `NULL_ARGUMENT`, `INVALID_MESSAGE`, `UNKNOWN_MESSAGE_REMOVED`,
 *   `REMOVED_AFTER_REMOVE_ALL`.
 *
 * @example
 * ```ts
 * import { addMessages } from "threadfold";
 *
 * const asked = addMessages([], "What is 6 × 7?");
 * const answered = addMessages(asked, { type: "ai", id: "a1", content: "42" });
 * console.log(answered[0] === asked[0], answered.length); // true 2
 * ```
 */
export function addMessages<L extends MessageLike = never, R extends MessageLike = never>(
  left: L | readonly L[],
  right: R | readonly R[],
  options?: MessageOptions,
): MessageOf<L | R>[] {
  const rules = choice(options, "rules", RULES);
  return core.call(() => core.value(core.addMessages(core.hold(left), core.hold(right), rules)));
}

/** {@link addMessages} under the name that langgraph.js gives it. */
export const messagesStateReducer: typeof addMessages = addMessages;
