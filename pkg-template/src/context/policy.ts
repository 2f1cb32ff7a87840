// The options of a context, read, and in the numbers that src/context/policy.rs decides by.
import { type ClearToolUsesOptions } from "./clear.js";
import { toolTokens } from "./count.js";
import { scanTokens } from "./estimate.js";
import { isDict } from "../shared/dict.js";
import { jsonText } from "./python-text.js";
import { flagOr, wrong } from "./options.js";
import type { TokenCounter } from "./token-counter.js";
import { type TruncateToolArgsOptions } from "./truncate-args.js";

/** So much of a context: each measure that is given. A fraction is of the model's input tokens. */
export interface ContextLimit {
  readonly tokens?: number | undefined;
  readonly messages?: number | undefined;
  readonly fraction?: number | undefined;
}

/** When a {@link Context} is compacted, to what, and how it is counted. */
export interface ContextOptions<M = object> {
  /**
   * When something is due: when all measures of one of these are reached. Never, if left out. Messages are those that
   * the model is sent; tokens count the system prompt and the tools, too.
   */
  readonly trigger?: ContextLimit | readonly ContextLimit[] | null | undefined;
  /** How much of the newest messages stays after a summary, at most: half of the trigger, unless given. */
  readonly keep?: ContextLimit | undefined;
  /** The most tokens that the model takes. */
  readonly maxInputTokens?: number | undefined;
  /** How tokens are counted: `"estimate"`, unless given. A function is asked for each message, as a list of one. */
  readonly tokenCounter?: TokenCounter<M> | undefined;
  /** The system prompt, if it is not in the list of messages. Counted once. */
  readonly system?: string | undefined;
  /** The tools that the model is sent. Counted once. */
  readonly tools?: readonly object[] | undefined;
  /** Clears old results of tools before anything is summarized; the last 3 stay, unless `keep` says otherwise. */
  readonly clearToolUses?:
    Pick<ClearToolUsesOptions, "keep" | "excludeTools" | "clearToolInputs" | "placeholder"> | undefined;
  /** Truncates long arguments of old tool calls before anything is summarized; those of the last 20 messages stay. */
  readonly truncateArgs?:
    | (Pick<TruncateToolArgsOptions, "tools" | "maxLength" | "truncationText"> & {
        readonly keep?: { readonly messages: number } | undefined;
      })
    | undefined;
  /**
   * Moves what is too long to files before anything is summarized: what `offloading` of `threadfold/context/offload`
   * makes. `due.files` has the files to write.
   */
  readonly offload?: Offload | undefined;
  /** Whether system messages of the list stay in front of the summary: true. */
  readonly preserveSystem?: boolean | undefined;
  /** Whether to scale counts by the real usage of the last answer with `usage_metadata`: false. */
  readonly useUsageMetadataScaling?: boolean | undefined;
}

/** Replaces long content of messages by the path of a file, and returns the files. */
export type Offload = <M extends object>(
  messages: readonly M[],
) => { readonly files: Readonly<Record<string, string>>; readonly messages: readonly M[] };

/** The additional settings of the presets. */
export interface Rules {
  readonly asLangchain?: boolean;
  /** Whether what stays in front counts for the tokens to keep. */
  readonly frontCounts?: boolean;
  /** Compacts, too, when there are more tokens than this. */
  readonly most?: number | undefined;
  /** The providers whose own count of an answer counts for a trigger. */
  readonly providers?: readonly string[];
  readonly charsPerToken?: number | undefined;
}

/** The part that does not change from one list to the next. */
export interface Overhead {
  readonly system: number;
  readonly tools: number;
}

/** Counts the system prompt and the tools. */
export function overheadOf(
  { system, tools, tokenCounter }: ContextOptions<never>,
  { asLangchain, charsPerToken }: Rules,
  count: (message: object) => number,
): Overhead {
  if (system !== undefined && typeof system !== "string") throw wrong("system", "a text");
  if (tools !== undefined && !Array.isArray(tools)) throw wrong("tools", "a list");
  const estimated = () =>
    (tools ?? []).reduce((sum: number, tool) => sum + Math.ceil(scanTokens(jsonText(tool)).sum / 100), 0);
  return {
    system: system ? count({ type: "system", content: system }) : 0,
    tools:
      !tools || tools.length === 0
        ? 0
        : asLangchain || tokenCounter === "approximate"
          ? toolTokens(tools, { charsPerToken })
          : estimated(),
  };
}

/** Returns the triggers as a list. */
export const triggersOf = ({ trigger }: ContextOptions<never>): readonly ContextLimit[] =>
  trigger === undefined || trigger === null ? [] : Array.isArray(trigger) ? [...trigger] : [trigger as ContextLimit];

/**
 * Returns the policy in numbers, in the order in which crates/agent-wasm/src/context.rs reads them. Omitted values are NaN.
 * Derived values (a fraction's tokens, the default of `keep`) are decided there.
 */
export function policyOf(options: ContextOptions<never>, rules: Rules, { system, tools }: Overhead): readonly number[] {
  const { keep, maxInputTokens, clearToolUses: clear, truncateArgs: truncate, useUsageMetadataScaling } = options;
  if (maxInputTokens !== undefined) count(maxInputTokens, "maxInputTokens");
  const triggers = triggersOf(options).flatMap((one, at) => limitOf(one, `trigger[${at}]`, options));
  return [
    rules.most ?? Infinity,
    system + tools,
    // The messages that are counted beside the list.
    options.system ? 1 : 0,
    Number(flagOr(useUsageMetadataScaling, false, "useUsageMetadataScaling")),
    Number(rules.asLangchain ?? false),
    Number(rules.frontCounts ?? false),
    clear ? count(clear.keep ?? 3, "clearToolUses.keep") : 0,
    truncate ? count(truncate.keep?.messages ?? 20, "truncateArgs.keep.messages") : 0,
    maxInputTokens ?? NaN,
    ...(keep === undefined || keep === null ? [NaN, NaN, NaN] : limitOf(keep, "keep", options)),
    ...triggers,
  ];
}

/** The tokens, messages and fraction of a limit. */
function limitOf(limit: unknown, what: string, { maxInputTokens }: ContextOptions<never>): readonly number[] {
  const expected = "some of { tokens, messages, fraction }";
  if (!isDict(limit) || Object.keys(limit).length === 0) throw wrong(what, expected);
  for (const key of Object.keys(limit))
    if (key !== "tokens" && key !== "messages" && key !== "fraction") throw wrong(what, expected);
  const { tokens, messages, fraction } = limit as Record<string, number | undefined>;
  const measure = (value: number | undefined, key: string) =>
    value === undefined ? NaN : positive(value, `${what}.${key}`);
  const most = measure(tokens, "tokens");
  if (fraction !== undefined) {
    if (!(fraction > 0 && fraction <= 1)) throw wrong(`${what}.fraction`, "above 0 and at most 1");
    if (maxInputTokens === undefined) throw wrong("maxInputTokens", "given, for a fraction is of it");
  }
  return [most, measure(messages, "messages"), fraction ?? NaN];
}

function positive(value: unknown, what: string): number {
  if (!Number.isInteger(value) || !((value as number) > 0)) throw wrong(what, "a whole number above 0");
  return value as number;
}

function count(value: unknown, what: string): number {
  if (!Number.isInteger(value) || !((value as number) >= 0)) throw wrong(what, "a whole number");
  return value as number;
}
