// Policies that other systems have, under their names.
import { checkOptions, type NamesOf } from "../shared/options.js";
import { Context } from "./context.js";
import { countTokens } from "./count.js";
import type { ContextSize } from "./edited.js";
import { readParts } from "./message-parts.js";
import { type ContextLimit, type ContextOptions } from "./policy.js";
import { historyMessage } from "./record.js";
import { defined, flagOr, numberOr, optionsOf, reading, wrong } from "./options.js";
import type { TokenCounter } from "./token-counter.js";
import { trimMessages } from "./trim.js";
import { truncateToolArgs, type TruncateToolArgsOptions } from "./truncate-args.js";
import type { ViewRules } from "./view.js";

/** A window that slides by jumps: {@link slidingWindow}. */
export interface SlidingWindowOptions<M = object> extends Pick<
  ContextOptions<M>,
  "system" | "tools" | "maxInputTokens"
> {
  /** How many of the newest messages stay: 20. */
  readonly windowSize?: number | undefined;
  /** How many tokens stay, system messages and the summary included: 4,000. */
  readonly maxTokens?: number | undefined;
  /** Compresses when there are more messages than this: 30. */
  readonly compressThreshold?: number | undefined;
  /** Compresses when there are more tokens than this: 3,000. */
  readonly tokenThreshold?: number | undefined;
  /** Whether the older messages are summarized; otherwise they are left out of the context: false. */
  readonly summarize?: boolean | undefined;
  /** Whether system messages stay in front: true. */
  readonly preserveSystem?: boolean | undefined;
  /** How tokens are counted: a quarter of the bytes of a message's text, and 4, unless given. */
  readonly tokenCounter?: TokenCounter<M> | undefined;
}

const WINDOW: NamesOf<SlidingWindowOptions> = {
  system: true,
  tools: true,
  maxInputTokens: true,
  windowSize: true,
  maxTokens: true,
  compressThreshold: true,
  tokenThreshold: true,
  summarize: true,
  preserveSystem: true,
  tokenCounter: true,
};

/**
 * Makes a context that keeps a window of the newest messages, as the agent framework beamai names it, with its
 * thresholds. The window is cut where no tool result loses its call, there is one summary, which the next replaces, and
 * what stays fits `maxTokens`.
 *
 * With its own defaults more may stay (4,000 tokens) than it takes to compress (3,000). A long conversation is then
 * compressed at every call: see `warning`.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`.
 *
 * @example
 * ```ts
 * import { slidingWindow } from "threadfold/context";
 *
 * const context = slidingWindow({ windowSize: 2, compressThreshold: 4, maxTokens: 1000, tokenThreshold: 2000 });
 * const messages = ["a", "b", "c", "d", "e"].map((content, at) => ({ type: at % 2 ? "ai" : "human", content }));
 * const { due } = context.of(messages);
 * const record = context.compact(due!, null);
 * console.log(context.of(messages, record).messages.map(({ content }) => content)); // [ 'd', 'e' ]
 * ```
 */
export function slidingWindow<M extends object = object>(options: SlidingWindowOptions<M> = {}): Context<M> {
  return reading(() => {
    checkOptions("slidingWindow", optionsOf(options), Object.keys(WINDOW));
    const {
      windowSize = 20,
      maxTokens = 4000,
      compressThreshold = 30,
      tokenThreshold = 3000,
      summarize,
      tokenCounter = quarterOfBytes,
      ...rest
    } = optionsOf(options);
    return new Context<M>(
      {
        ...rest,
        trigger: [{ messages: compressThreshold + 1 }, { tokens: tokenThreshold + 1 }],
        keep: { messages: windowSize, tokens: maxTokens },
        tokenCounter,
      },
      { frontCounts: true, drops: !flagOr(summarize, false, "summarize"), summaryMessage: historyMessage },
    );
  });
}

function quarterOfBytes(messages: readonly object[]): number {
  let tokens = 0;
  for (const message of messages) {
    const parts = readParts(message);
    if (!parts) continue;
    const { content } = parts;
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
    const bytes = blocks.reduce<number>((sum, block) => sum + bytesOf(textOf(block)), 0);
    tokens += Math.floor(bytes / 4) + 4;
  }
  return tokens;
}

function textOf(block: unknown): string {
  const text: unknown = typeof block === "object" ? (block as { text?: unknown } | null)?.text : block;
  return typeof text === "string" ? text : "";
}

/** The length of a text in UTF-8. */
const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** How LangChain's middleware summarizes: {@link langChainSummarization}. */
export interface LangChainSummarizationOptions extends Pick<ContextOptions, "trigger" | "maxInputTokens"> {
  /** How much of the newest messages stays: one measure. 20 messages, unless given. */
  readonly keep?: ContextLimit | undefined;
  /** Characters of a token: 4; LangChain takes 3.3 for Anthropic's models. */
  readonly charsPerToken?: number | undefined;
  /** The model's provider as LangChain names it (`ls_provider`): what its last answer took counts, too. */
  readonly provider?: string | undefined;
  /** The most tokens to summarize, from the end: 4,000; null for all. */
  readonly trimTokensToSummarize?: number | null | undefined;
}

const LANGCHAIN: NamesOf<LangChainSummarizationOptions> = {
  trigger: true,
  maxInputTokens: true,
  keep: true,
  charsPerToken: true,
  provider: true,
  trimTokensToSummarize: true,
};

/** The providers by which an answer of a provider's model may be named. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  amazon_bedrock: ["bedrock", "bedrock_converse"],
  "openai-mantle": ["openai"],
  "anthropic-mantle": ["anthropic"],
};

const TRIMMED = 4000;
/** How many messages are summarized where they cannot be trimmed. */
const FALLBACK = 15;

/**
 * Makes a context that decides as `SummarizationMiddleware` of Python's langchain (1.4) does, to the message: Python's
 * count, its cut, its words. `due.toUpdate(summary)` is the update that it returns.
 *
 * Its cut sometimes leaves a tool result without its call, and the system message is summarized with the rest. A
 * {@link Context} with the same `trigger` and `keep` does neither.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for what Python refuses.
 *
 * @example
 * ```ts
 * import { langChainSummarization } from "threadfold/context";
 *
 * const context = langChainSummarization({ trigger: { messages: 3 }, keep: { messages: 1 } });
 * const messages = [
 *   { type: "human", id: "h1", content: "6 × 7?" },
 *   { type: "ai", id: "a1", content: "42" },
 *   { type: "human", id: "h2", content: "Thanks." },
 * ];
 * const { due } = context.of(messages);
 * const [removal, summary, kept] = due!.toUpdate("They did sums.");
 * console.log(removal, kept === messages[2]); // { type: 'remove', id: '__remove_all__' } true
 * ```
 */
export function langChainSummarization<M extends object = object>(
  options: LangChainSummarizationOptions = {},
): Context<M> {
  return reading(() => {
    checkOptions("langChainSummarization", optionsOf(options), Object.keys(LANGCHAIN));
    const { provider, trimTokensToSummarize = TRIMMED, charsPerToken, ...rest } = optionsOf(options);
    return new Context<M>(
      {
        keep: { messages: 20 },
        ...defined(rest),
        tokenCounter: pythons<M>(charsPerToken),
        useUsageMetadataScaling: true,
      },
      { ...asLangchain(provider, charsPerToken, trimTokensToSummarize), keepsReasoning: true },
    );
  });
}

/** How deepagents summarizes: {@link deepAgentsSummarization}. */
export interface DeepAgentsSummarizationOptions
  extends LangChainSummarizationOptions, Pick<ContextOptions, "system" | "tools"> {
  /** The most tokens that the model writes, which have to fit, too. */
  readonly maxOutputTokens?: number | undefined;
  /** How long arguments of old tool calls are truncated at each call; null for not at all. */
  readonly truncateArgs?:
    | (Pick<TruncateToolArgsOptions, "maxLength" | "truncationText" | "trigger"> & {
        readonly keep?: ContextSize | undefined;
      })
    | null
    | undefined;
}

const DEEPAGENTS: NamesOf<DeepAgentsSummarizationOptions> = {
  ...LANGCHAIN,
  system: true,
  tools: true,
  maxOutputTokens: true,
  truncateArgs: true,
};

const SHARE_OF_INPUT = 0.95;

/**
 * Makes a context that decides as the summarization of Python's deepagents (0.7) does: the record is its event. By
 * default it is due at 85 % of the model's input and keeps 10 %, or at 170,000 tokens and keeps 6 messages.
 *
 * Its truncation changes with each call, which breaks a prompt cache: `truncateArgs` of a {@link Context} does not.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for what Python refuses.
 *
 * @example
 * ```ts
 * import { deepAgentsSummarization } from "threadfold/context";
 *
 * const context = deepAgentsSummarization({ trigger: { messages: 3 }, keep: { messages: 1 } });
 * const messages = ["a", "b", "c"].map((content) => ({ type: "human", content }));
 * const state = { messages, _summarization_event: context.of(messages).due!.toRecord("Letters.", "/history.md") };
 * console.log(context.of(state).messages.length, state._summarization_event.cutoff_index); // 2 2
 * ```
 */
export function deepAgentsSummarization<M extends object = object>(
  options: DeepAgentsSummarizationOptions = {},
): Context<M> {
  return reading(() => {
    checkOptions("deepAgentsSummarization", optionsOf(options), Object.keys(DEEPAGENTS));
    const {
      provider,
      trimTokensToSummarize = null,
      charsPerToken,
      maxOutputTokens,
      truncateArgs,
      ...rest
    } = optionsOf(options);
    const { maxInputTokens } = rest;
    const written = numberOr(maxOutputTokens, 0, "maxOutputTokens");
    const isKnown = maxInputTokens !== undefined;
    const usual: TruncateToolArgsOptions = isKnown
      ? { trigger: { fraction: 0.85 }, keep: { fraction: 0.1 } }
      : { trigger: { messages: 20 }, keep: { messages: 20 } };
    const settings = {
      ...(truncateArgs === undefined ? usual : truncateArgs),
      maxInputTokens,
      tokenCounter: pythons(charsPerToken),
    };
    return new Context<M>(
      {
        trigger: isKnown ? { fraction: 0.85 } : { tokens: 170_000 },
        keep: isKnown ? { fraction: 0.1 } : { messages: 6 },
        ...defined(rest),
        tokenCounter: pythons<M>(charsPerToken),
        useUsageMetadataScaling: true,
      },
      {
        ...asLangchain(provider, charsPerToken, trimTokensToSummarize),
        most: isKnown ? Math.max(0, Math.floor(maxInputTokens * SHARE_OF_INPUT) - written) : undefined,
        ...(truncateArgs !== null && {
          rewrite: (list: readonly object[], tokens: () => number) =>
            truncateToolArgs(list, settings as TruncateToolArgsOptions, tokens()),
        }),
      },
    );
  });
}

/** `asLangchain` of src/context/policy.rs, and the words of the middleware. */
function asLangchain(
  provider: string | undefined,
  charsPerToken: number | undefined,
  trimmed: number | null,
): ViewRules {
  if (provider !== undefined && provider !== null && typeof provider !== "string") throw wrong("provider", "a name");
  numberOr(trimmed, null, "trimTokensToSummarize");
  return {
    asLangchain: true,
    unrepaired: true,
    charsPerToken,
    providers: provider === undefined || provider === null ? [] : [provider, ...(ALIASES[provider] ?? [])],
    empty: "Previous conversation was too long to summarize.",
    toSummarize: (messages) => {
      if (trimmed === null) return messages;
      try {
        return trimMessages(messages, {
          maxTokens: trimmed,
          tokenCounter: (some) => countTokens(some as never, { charsPerToken, useUsageMetadataScaling: true }),
          startOn: "human",
          allowPartial: true,
          includeSystem: true,
          toolPairs: "as-langchain",
        });
      } catch {
        return messages.slice(-FALLBACK);
      }
    },
  };
}

/** Python's count of each message. */
function pythons<M>(charsPerToken: number | undefined): TokenCounter<M> {
  if (charsPerToken === undefined) return "approximate";
  return (messages) => countTokens(messages as never, { charsPerToken });
}
