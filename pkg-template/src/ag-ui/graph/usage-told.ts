// The tokens that a run's models have reported, as AG-UI's TokenUsage.
import { isDict, type Dict } from "../../shared/dict.js";
import { messagesIn } from "./messages-told.js";
import type { TokenUsage } from "../../stream/run-result.js";

/** Where LangChain's `usage_metadata` has each count. */
const COUNTS: { readonly [Count in keyof TokenUsage]: readonly [key: string, detail?: string] } = {
  inputTokens: ["input_tokens"],
  outputTokens: ["output_tokens"],
  totalTokens: ["total_tokens"],
  reasoningTokens: ["output_token_details", "reasoning"],
  cachedInputTokens: ["input_token_details", "cache_read"],
  cacheWriteInputTokens: ["input_token_details", "cache_creation"],
};

/** One model call, by its message or the chunks of it. */
interface Call {
  provider?: string;
  model?: string;
  readonly counts: Map<string, number>;
}

/** Adds up the usage of a run. Parts of one message are one call, whose counts add up, as LangChain merges chunks. */
export class UsageTold {
  readonly #calls = new Map<unknown, Call>();
  /** Ids of the messages that were streamed. */
  readonly #streamed = new Set<unknown>();

  /** Takes a part of the stream mode `messages`: a message or a chunk of one. */
  part(payload: unknown): void {
    const message: unknown = Array.isArray(payload) ? payload[0] : undefined;
    if (!isDict(message)) return;
    this.#streamed.add(message["id"]);
    this.#add(message);
  }

  /** Takes what a task wrote: a message may have its usage there alone, after chunks without any. */
  task(payload: unknown): void {
    const { result } = isDict(payload) ? payload : {};
    for (const message of messagesIn(result)) {
      if (!isDict(message) || !this.#streamed.has(message["id"])) continue;
      if (!this.#calls.get(message["id"])?.counts.size) this.#add(message);
    }
  }

  #add({ id, usage_metadata: usage, response_metadata: about }: Dict): void {
    if (!isDict(usage) && !this.#calls.has(id)) return;
    let call = this.#calls.get(id);
    if (!call) this.#calls.set(id, (call = { counts: new Map() }));
    if (isDict(about)) {
      const [model, provider] = [about["model_name"] ?? about["model"], about["model_provider"]];
      if (typeof model === "string") call.model = model;
      if (typeof provider === "string") call.provider = provider;
    }
    if (!isDict(usage)) return;
    for (const [name, [key, detail]] of Object.entries(COUNTS)) {
      const value = detail === undefined ? usage[key] : (usage[key] as Record<string, unknown> | undefined)?.[detail];
      if (typeof value === "number" && Number.isFinite(value))
        call.counts.set(name, (call.counts.get(name) ?? 0) + value);
    }
  }

  /** Returns an entry for each model; undefined if none reported any. */
  get usage(): TokenUsage[] | undefined {
    const entries = new Map<string, { -readonly [Field in keyof TokenUsage]: TokenUsage[Field] }>();
    for (const { provider, model, counts } of this.#calls.values()) {
      if (counts.size === 0) continue;
      const key = JSON.stringify([provider, model]);
      const entry = entries.get(key) ?? { ...(provider && { provider }), ...(model && { model }) };
      for (const [name, value] of counts) entry[name as "inputTokens"] = (entry[name as "inputTokens"] ?? 0) + value;
      entries.set(key, entry);
    }
    return entries.size > 0 ? [...entries.values()] : undefined;
  }
}
