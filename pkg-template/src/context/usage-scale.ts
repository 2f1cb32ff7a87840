// Scales a count by what a provider said that the messages up to an answer took.
import type { MessageParts } from "./message-parts.js";
import { dictOr } from "./python-text.js";

/** What an AI message says about its making. */
export interface Usage {
  /** `response_metadata.model_provider`; null, if it doesn't say. */
  readonly provider: unknown;
  /** `usage_metadata.total_tokens`, if it is a whole number. */
  readonly totalTokens: number | undefined;
}

/** Reads what an AI message says about its making. */
export function usageOf({ fields }: Pick<MessageParts, "fields">): Usage {
  const total = dictOr(fields["usage_metadata"])["total_tokens"];
  return {
    provider: dictOr(fields["response_metadata"])["model_provider"] ?? null,
    totalTokens: typeof total === "number" && Number.isInteger(total) ? total : undefined,
  };
}

const MOST = 1.25;

/**
 * Finds the factor of a list of messages, in order: what the last answer that says so took, by what was counted up to
 * it. There is none if the answers are of two providers; those before the first that names its provider do not count
 * as another.
 */
export class UsageScale {
  #provider: unknown = null;
  #mixed = false;
  #factor: number | undefined;

  /** Adds an AI message, and the count up to it, itself and the tools included. */
  add({ provider, totalTokens }: Usage, counted: number): void {
    if (this.#provider === null) this.#provider = provider;
    else if (provider !== this.#provider) this.#mixed = true;
    if (totalTokens !== undefined) this.#factor = counted > 0 ? totalTokens / counted : undefined;
  }

  /** Returns the count of all, this number of messages, scaled. */
  scaled(counted: number, messages: number): number {
    const factor = this.#mixed || this.#provider === null || messages < 2 ? undefined : this.#factor;
    return factor === undefined ? counted : counted * Math.min(MOST, Math.max(1, factor));
  }
}
