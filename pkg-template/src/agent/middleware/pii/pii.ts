import { checkOptions, type NamesOf } from "../../../shared/options.js";
import { ThreadfoldError } from "../../../shared/errors.js";
import type { LangChainMessage } from "../../../state/messages.js";
import { type Fields, typeOf } from "../../message.js";
import type { AgentState, Middleware } from "../../types.js";
import { DETECTORS, matching, type PiiDetector, type PiiMatch } from "./detectors.js";

/** Options of {@link piiMiddleware}. */
export interface PiiOptions {
  /**
   * `"redact"`, the default, writes `[REDACTED_EMAIL]`. `"mask"` keeps the last characters. `"hash"` writes
   * `<email_hash:…>`, the same for the same text. `"block"` throws a {@link PIIDetectionError}.
   */
  readonly strategy?: "redact" | "mask" | "hash" | "block" | undefined;
  /** Finds the texts: a function, or a pattern. For a type of your own. */
  readonly detector?: PiiDetector | RegExp | string | undefined;
  /** Whether user messages are checked before each call of the model: those that it has not answered yet. True. */
  readonly applyToInput?: boolean | undefined;
  /** Whether the model's answer is checked. Its tokens have been streamed by then. */
  readonly applyToOutput?: boolean | undefined;
  /** Whether the results of tools are checked before the model sees them. */
  readonly applyToToolResults?: boolean | undefined;
}

const NAMES: NamesOf<PiiOptions> = {
  strategy: true,
  detector: true,
  applyToInput: true,
  applyToOutput: true,
  applyToToolResults: true,
};

/** Personal data was found, and the strategy is `"block"`. */
export class PIIDetectionError extends Error {
  override readonly name = "PIIDetectionError";
  readonly piiType: string;
  readonly matches: readonly PiiMatch[];

  constructor(piiType: string, matches: readonly PiiMatch[]) {
    super(`Detected ${matches.length} instance(s) of ${piiType} in text content`);
    this.piiType = piiType;
    this.matches = matches;
  }
}

/**
 * Removes personal data from messages, by the rules of Python's `PIIMiddleware`. The state has the changed message.
 *
 * @param piiType - `"email"`, `"credit_card"`, `"ip"`, `"mac_address"`, `"url"`, or a name of your own with a `detector`.
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, `UNKNOWN_OPTION`.
 *
 * @example
 * ```ts
 * import { createAgent } from "threadfold/agent";
 * import { piiMiddleware } from "threadfold/agent/pii";
 *
 * const agent = createAgent({ model: () => "Noted.", middleware: [piiMiddleware("email", { strategy: "mask" })] });
 * const { messages } = await agent.invoke({ messages: "I am ada@example.com." });
 * console.log(messages[0]?.content); // I am ada@****.com.
 * ```
 */
export function piiMiddleware(piiType: string, options: PiiOptions = {}): Middleware {
  checkOptions("piiMiddleware", options, Object.keys(NAMES));
  const { strategy = "redact", applyToInput = true, applyToOutput = false, applyToToolResults = false } = options;
  const detect = detectorOf(piiType, options.detector);
  const write = Object.hasOwn(STRATEGIES, strategy) ? STRATEGIES[strategy] : undefined;
  if (!write && strategy !== "block")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `piiMiddleware: expected redact, mask, hash or block as strategy, got ${String(strategy)}.`,
    );
  const rewrite = async (text: string): Promise<string> => {
    const matches = [...detect(text)].sort((a, b) => a.start - b.start);
    if (matches.length === 0) return text;
    if (!write) throw new PIIDetectionError(piiType, matches);
    const pieces: string[] = [];
    let from = 0;
    for (const { value, start, end } of matches) {
      // Part of the match before it.
      if (start < from) continue;
      pieces.push(text.slice(from, start), await write(value, piiType));
      from = end;
    }
    return pieces.join("") + text.slice(from);
  };
  const update = async (messages: readonly (LangChainMessage | undefined)[]) => {
    const changed = await Promise.all(messages.map((message) => message && rewritten(message, rewrite)));
    const written = changed.filter((message, at) => message !== messages[at]);
    return written.length > 0 ? { messages: written } : undefined;
  };
  return {
    name: `PIIMiddleware[${piiType}]`,
    ...((applyToInput || applyToToolResults) && {
      beforeModel: ({ messages }: AgentState) => {
        const results = applyToToolResults ? resultsOf(messages) : [];
        return update(applyToInput ? [...inputOf(messages), ...results] : results);
      },
    }),
    ...(applyToOutput && { afterModel: ({ messages }: AgentState) => update([lastOf("ai", messages)]) }),
  };
}

function detectorOf(piiType: string, given: PiiOptions["detector"]): PiiDetector {
  if (typeof given === "function") return given;
  if (given !== undefined) return matching(given instanceof RegExp ? given : new RegExp(given, "u"));
  const own = Object.hasOwn(DETECTORS, piiType) ? DETECTORS[piiType] : undefined;
  if (own) return own;
  const names = Object.keys(DETECTORS).join(", ");
  throw new ThreadfoldError(
    "INVALID_ARGUMENT",
    `piiMiddleware: unknown type '${piiType}'. Expected one of ${names}, or a \`detector\`.`,
  );
}

function lastOf(type: string, messages: readonly LangChainMessage[]): LangChainMessage | undefined {
  for (let at = messages.length - 1; at >= 0; at--) if (typeOf(messages[at]) === type) return messages[at];
  return undefined;
}

/** Where the messages after the model's last message begin: 0 if it has none. */
function unansweredFrom(messages: readonly LangChainMessage[]): number {
  let at = messages.length;
  while (at > 0 && typeOf(messages[at - 1]) !== "ai") at--;
  return at;
}

/**
 * The user messages after the model's last message, or else the last one, as in Python. Several come at once when they
 * steer a run.
 */
function inputOf(messages: readonly LangChainMessage[]): (LangChainMessage | undefined)[] {
  const fresh = messages.slice(unansweredFrom(messages)).filter((message) => typeOf(message) === "human");
  return fresh.length > 0 ? fresh : [lastOf("human", messages)];
}

/** The results after the model's last message. */
function resultsOf(messages: readonly LangChainMessage[]): LangChainMessage[] {
  const from = unansweredFrom(messages);
  return from === 0 ? [] : messages.slice(from).filter((message) => typeOf(message) === "tool");
}

/** The message with its text rewritten; itself if nothing is. Blocks without a text stay. */
async function rewritten(
  message: LangChainMessage,
  rewrite: (text: string) => Promise<string>,
): Promise<LangChainMessage> {
  const { content } = message as { content: unknown };
  const ofBlock = async (block: unknown) => {
    if (typeof block === "string") return rewrite(block);
    const { text } = Object(block) as Fields;
    const next = typeof text === "string" ? await rewrite(text) : text;
    return next === text ? block : { ...(block as object), text: next };
  };
  if (typeof content === "string") return withContent(message, content, await rewrite(content));
  if (!Array.isArray(content)) return message;
  const blocks = await Promise.all(content.map(ofBlock));
  return blocks.every((block, at) => block === content[at]) ? message : withContent(message, content, blocks);
}

/** A copy with another content, of the same class. */
function withContent(message: LangChainMessage, was: unknown, content: unknown): LangChainMessage {
  if (content === was) return message;
  const copy = { __proto__: Object.getPrototypeOf(message) as object, ...message, content };
  const { lc_kwargs } = message as Fields;
  return Object.assign(copy, lc_kwargs && { lc_kwargs: { ...lc_kwargs, content } }) as unknown as LangChainMessage;
}

type Write = (value: string, piiType: string) => string | Promise<string>;

const STRATEGIES: Readonly<Record<string, Write>> = {
  redact: (_, piiType) => `[REDACTED_${piiType.toUpperCase()}]`,
  mask: (value, piiType) => (MASKS[piiType] ?? lastFour)(value),
  hash: async (value, piiType) => {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(value)));
    const hex = Array.from(digest.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0"));
    return `<${piiType}_hash:${hex.join("")}>`;
  },
};

const lastFour = (value: string) => {
  const letters = [...value];
  return letters.length > 4 ? `****${letters.slice(-4).join("")}` : "****";
};

const MASKS: Readonly<Record<string, (value: string) => string>> = {
  email: (value) => {
    const [name, domain, ...more] = value.split("@");
    if (domain === undefined || more.length > 0) return "****";
    const dot = domain.lastIndexOf(".");
    return `${name}@****${dot < 0 ? "" : domain.slice(dot)}`;
  },
  credit_card: (value) => {
    const between = value.includes("-") ? "-" : value.includes(" ") ? " " : "";
    return `${`****${between}`.repeat(3)}${value.replace(/\D/g, "").slice(-4)}`;
  },
  ip: (value) => {
    const parts = value.split(".");
    return parts.length === 4 ? `*.*.*.${parts[3]}` : "****";
  },
  mac_address: (value) => `${`**${value.includes(":") ? ":" : "-"}`.repeat(5)}${value.slice(-2)}`,
  url: () => "[MASKED_URL]",
};
