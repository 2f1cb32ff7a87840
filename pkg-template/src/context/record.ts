// The record of a compaction: all that is stored about a context beside the full track.
import type { ContextRecord } from "../thread/full-track.js";
import { idOf, withFields } from "./edited.js";
import { fieldsOf, kindOf, textIn } from "./message-parts.js";
import { isDict } from "../shared/dict.js";
import { dictOr } from "./python-text.js";

export type { ContextRecord };

/** The text of what stands in front of LangChain's summary. */
const INTRO = "Here is a summary of the conversation to date:\n\n";
const HISTORY = "[对话历史摘要]\n";
/** LangChain's mark of a summary in `additional_kwargs.lc_source`. */
const MARK = "summarization";

/** Returns a valid record, or null for anything else, as deepagents does. */
export function recordOf(given: unknown): ContextRecord | null {
  if (!isDict(given) || given["summary_message"] === undefined) return null;
  const index = given["cutoff_index"];
  return Number.isInteger(index) && (index as number) >= 0 ? (given as unknown as ContextRecord) : null;
}

/** Returns the position of the message with this id, which is probably near; -1 if none has it. */
export function placeOf(messages: readonly unknown[], id: unknown, near: number): number {
  if (typeof id !== "string") return -1;
  return idOf(messages[near]) === id ? near : messages.findIndex((message) => idOf(message) === id);
}

/**
 * Returns the position of the message with the id `first`. If that is gone, returns the position after the message with
 * the id `last`; without ids, `index`. Undefined if both are gone, such as after a conversation is rewound to before
 * them.
 */
function between(messages: readonly unknown[], first: unknown, last: unknown, index: number): number | undefined {
  if (typeof first !== "string" && typeof last !== "string") return Math.min(index, messages.length);
  const place = placeOf(messages, first, index);
  if (place >= 0) return place;
  const before = placeOf(messages, last, index - 1);
  return before < 0 ? undefined : before + 1;
}

/**
 * The position of the first message that is sent; undefined, if the record is not about this list. One that leaves
 * nothing out is about any.
 */
export const cutoffOf = (messages: readonly unknown[], record: ContextRecord): number | undefined => {
  const { cutoff_id, summarized_id, cutoff_index: index } = record;
  return index === 0 ? 0 : between(messages, cutoff_id, summarized_id, index);
};

/** The position of the first message that is not edited. Undefined, if it is not there, or not yet. */
export function edgeOf(messages: readonly unknown[], { edited_before: first, edited_id: last }: ContextRecord) {
  return between(messages, first, last, typeof first === "number" ? first : 0);
}

/** A summary as LangChain's middleware and deepagents' write it. */
export function summaryMessage(summary: string, path: string | null = null): object {
  const content =
    path === null
      ? INTRO + summary
      : `You are in the middle of a conversation that has been summarized.

The full conversation history has been saved to ${path} should you need to refer back to it for details.

A condensed summary follows:

<summary>
${summary}
</summary>`;
  return { type: "human", content, additional_kwargs: { lc_source: MARK } };
}

/** A summary as a system message. */
export const historyMessage = (summary: string): object => ({ type: "system", content: HISTORY + summary });

const more = (message: unknown) => dictOr(fieldsOf(message)["additional_kwargs"]);
const isMarked = (message: unknown): boolean => more(message)["lc_source"] === MARK;

/** Whether a message of a list is the summary of what stood there. */
export const isSummary = (message: unknown): boolean =>
  isMarked(message) || textIn(fieldsOf(message)["content"])?.startsWith(HISTORY) === true;

/** Returns a summary as a list has it: with the mark by which a thread, and the next compaction, know it. */
export const marked = (summary: object): object =>
  isMarked(summary) ? summary : withFields(summary, { additional_kwargs: { ...more(summary), lc_source: MARK } });

/** Returns the summary that a record has, without the words around it; null, if it has none. */
export function summaryOf(record: ContextRecord | null): string | null {
  const content = textIn(fieldsOf(record?.summary_message)["content"]);
  if (content === undefined) return null;
  const intro = [INTRO, HISTORY].find((one) => content.startsWith(one));
  if (intro !== undefined) return content.slice(intro.length);
  return /^You are in the middle of .*<summary>\n(.*)\n<\/summary>$/s.exec(content)?.[1] ?? content;
}

const REASONING: readonly unknown[] = ["thinking", "redacted_thinking", "reasoning_content"];
const CLAUDE = /claude|anthropic/;

/**
 * Returns a message without the blocks of reasoning that are bound to the history before it, by deepagents' rules. A
 * model refuses them after another history.
 */
export function withoutReasoning<M>(message: M, at: number): M {
  if (kindOf(message, at) !== "ai") return message;
  const { content, response_metadata: response } = fieldsOf(message);
  if (!Array.isArray(content)) return message;
  const { model_provider: provider, model_name: name } = dictOr(response);
  const isBedrock = provider === "bedrock" || provider === "bedrock_converse";
  const isClaude = provider === "anthropic" || (isBedrock && CLAUDE.test(String(name ?? "").toLowerCase()));
  if (!isClaude && provider !== undefined && provider !== null) return message;
  const isBound = (block: unknown) =>
    isDict(block) && (REASONING.includes(block["type"]) || (isClaude && block["type"] === "reasoning"));
  const rest = content.filter((block: unknown) => !isBound(block));
  return rest.length === content.length ? message : (withFields(message as object, { content: rest }) as M);
}
