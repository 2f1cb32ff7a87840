// When a failed node is run again.
import { ThreadfoldError } from "../../shared/errors.js";
import { checkNumbers, checkOptions, type NamesOf } from "../../shared/options.js";

/** Says whether and when a failed node is run again. */
export interface RetryPolicy {
  /** How often it is run, the first time included. Default 3. */
  maxAttempts?: number | undefined;
  /** The wait after the first failure, in milliseconds. Default 500. */
  initialInterval?: number | undefined;
  /** By what each wait is longer than the one before. Default 2. */
  backoffFactor?: number | undefined;
  /** The longest wait. Default 128,000. */
  maxInterval?: number | undefined;
  /** Whether up to a second is added at random. Default true. */
  jitter?: boolean | undefined;
  /**
   * Whether an error is worth another attempt. By default not an aborted call, a mistake in code, or the HTTP status 400
   * to 407 or 409.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- an error may be anything
  retryOn?: ((error: any) => boolean) | undefined;
}

const NAMES: NamesOf<RetryPolicy> = {
  maxAttempts: true,
  initialInterval: true,
  backoffFactor: true,
  maxInterval: true,
  jitter: true,
  retryOn: true,
};

/** @throws {@link ThreadfoldError} `UNKNOWN_OPTION`, and `INVALID_ARGUMENT` for what is no number, function or policy. */
export function checkRetry(taker: string, policies: RetryPolicy | readonly RetryPolicy[] | undefined): void {
  const call = `${taker}: retryPolicy`;
  for (const policy of [policies ?? []].flat() as readonly unknown[]) {
    if (typeof policy !== "object" || policy === null) throw wrong(call, "a policy or a list of policies", policy);
    // `logWarning` is langgraph.js's: nothing is logged here.
    checkOptions(call, policy, [...Object.keys(NAMES), "logWarning"]);
    const { maxAttempts, initialInterval, backoffFactor, maxInterval, retryOn }: RetryPolicy = policy;
    checkNumbers(call, { maxAttempts }, 1);
    checkNumbers(call, { initialInterval, backoffFactor, maxInterval });
    if (retryOn !== undefined && typeof retryOn !== "function") throw wrong(call, "retryOn to be a function", retryOn);
  }
}

const wrong = (call: string, expected: string, got: unknown) =>
  new ThreadfoldError("INVALID_ARGUMENT", `${call}: expected ${expected}, got ${String(got)}.`);

/** Returns how long to wait before the next attempt; undefined if there is none. `attempts` were made. */
export function retryDelay(
  policies: RetryPolicy | readonly RetryPolicy[] | undefined,
  error: unknown,
  attempts: number,
): number | undefined {
  if (!policies) return undefined;
  const list = Array.isArray(policies) ? (policies as readonly RetryPolicy[]) : [policies as RetryPolicy];
  const policy = list.find(({ retryOn }) => (retryOn ?? worthRetrying)(error));
  if (!policy || attempts >= (policy.maxAttempts ?? 3)) return undefined;
  const { initialInterval = 500, backoffFactor = 2, maxInterval = 128_000, jitter = true } = policy;
  const wait = Math.min(maxInterval, initialInterval * backoffFactor ** (attempts - 1));
  return jitter ? wait + Math.random() * 1000 : wait;
}

const REFUSED = new Set([400, 401, 402, 403, 404, 405, 406, 407, 409]);

/** How the messages of failed or broken connections begin. Those of mistakes in code may name a `connection`, later. */
const NETWORK = [
  // Node
  "fetch failed",
  // Chromium
  "Failed to fetch",
  "network error",
  // Firefox
  "NetworkError when attempting",
  "Error in input stream",
  "Error in body stream",
  // Safari
  "Load failed",
  "The network connection was lost",
  "The Internet connection appears to be offline",
  // Deno
  "error sending request",
  "connection closed",
  "connection reset",
  "connection refused",
  "connection error",
  "error reading a body from connection",
];

/** Whether it is a network's error: Node says of a response that broke off no more than "terminated". */
const isOfNetwork = (message: string): boolean =>
  message === "terminated" || NETWORK.some((beginning) => message.startsWith(beginning));

function worthRetrying(error: unknown): boolean {
  const { name, message, code, status, response, error: inner } = (error ?? {}) as Record<string, unknown>;
  if (name === "AbortError" || name === "GraphValueError" || code === "ECONNABORTED") return false;
  if (typeof message === "string" && /^(Cancel|AbortError)/.test(message)) return false;
  if ((inner as { code?: unknown } | undefined)?.code === "insufficient_quota") return false;
  if (error instanceof ReferenceError || error instanceof SyntaxError || error instanceof RangeError) return false;
  // A call that does not come through is a TypeError, too.
  if (error instanceof TypeError && !isOfNetwork(String(message))) return false;
  return !REFUSED.has(Number((response as { status?: unknown } | undefined)?.status ?? status));
}
