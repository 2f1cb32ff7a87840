// Scales a count by the token usage that a provider reported up to an answer.
import type { MessageParts } from "./message-parts.js";
import { dictOr } from "./python-text.js";

/** The usage that an AI message reports. */
export interface Usage {
  /** `response_metadata.model_provider`; null, if it doesn't say. */
  readonly provider: unknown;
  /** `usage_metadata.total_tokens`, if it is a whole number. */
  readonly totalTokens: number | undefined;
}

/** Reads the usage that an AI message reports. */
export function usageOf({ fields }: Pick<MessageParts, "fields">): Usage {
  const total = dictOr(fields["usage_metadata"])["total_tokens"];
  return {
    provider: dictOr(fields["response_metadata"])["model_provider"] ?? null,
    totalTokens: typeof total === "number" && Number.isInteger(total) ? total : undefined,
  };
}

/** The usage reported by answers, up to some message of a list. */
export interface Scale {
  readonly provider: unknown;
  /** Whether the answers are of two providers; those before the first that names its provider do not count as another. */
  readonly isMixed: boolean;
  /** The usage that the last answer reports, and the count up to it. */
  readonly took: number;
  readonly counted: number;
}

export const UNSCALED: Scale = { provider: null, isMixed: false, took: NaN, counted: 0 };

/** Returns a scale with one answer more, and the count up to it, itself included. */
export function scaledBy(scale: Scale, { provider, totalTokens }: Usage, counted: number): Scale {
  const isSame = scale.provider === provider;
  if (isSame && totalTokens === undefined) return scale;
  return {
    provider: scale.provider ?? provider,
    isMixed: scale.isMixed || !(isSame || scale.provider === null),
    took: totalTokens ?? scale.took,
    counted: totalTokens === undefined ? scale.counted : counted,
  };
}

const MOST = 1.25;

/** Returns the factor of so many messages, with this much counted before all. */
export function factorOf({ provider, isMixed, took, counted }: Scale, before: number, messages: number): number {
  const all = before + counted;
  const isKnown = provider !== null && !isMixed && messages > 1 && all > 0 && !Number.isNaN(took);
  return isKnown ? Math.min(MOST, Math.max(1, took / all)) : 1;
}
