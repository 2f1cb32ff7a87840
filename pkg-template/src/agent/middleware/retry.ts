// Retries failed calls of models and tools.
import { wrong } from "../../context/options.js";
import { checkNumbers, checkOptions } from "../../shared/options.js";
import { newId } from "../../shared/new-id.js";
import { after } from "../../shared/timer.js";
import { type AiMessage, toolMessage } from "../message.js";
import { createMiddleware } from "./middleware.js";
import { mustPass } from "../tools/passing-errors.js";
import type { Runtime, ToolLike } from "../types.js";
import { toolFilter } from "./tool-error.js";

/** How often and when a call is tried again. */
export interface RetryOptions {
  /** How often it is tried again: 2. */
  readonly maxRetries?: number | undefined;
  /**
   * Whether an error is worth it: each, unless the error says `isRetryable: false`; or classes of errors. Any other error
   * goes to `onFailure` at once.
   */
  readonly retryOn?:
    | ((error: unknown) => boolean)
    // oxlint-disable-next-line typescript/no-explicit-any -- a class of errors
    | readonly (abstract new (...args: any[]) => unknown)[]
    | undefined;
  /** The handling of the last error. The model or the user gets it, in LangChain's words or yours, or the run fails. */
  readonly onFailure?: "continue" | "error" | ((error: unknown) => string) | undefined;
  /** The first wait, in milliseconds: 1,000. */
  readonly initialDelayMs?: number | undefined;
  /** The longest wait: 60,000. */
  readonly maxDelayMs?: number | undefined;
  /** How much longer each wait is: 2; 0 for waits of one length. */
  readonly backoffFactor?: number | undefined;
  /** Whether waits are up to a quarter longer or shorter: yes. */
  readonly jitter?: boolean | undefined;
}

/**
 * Returns the options with what they are if left out.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for options of the wrong kind, and for those that there are not.
 */
function settled(call: string, options: RetryOptions, more: readonly string[] = []) {
  const {
    maxRetries = 2,
    initialDelayMs = 1000,
    maxDelayMs = 60_000,
    backoffFactor = 2,
    retryOn = isRetryable,
    onFailure = "continue",
    jitter = true,
  } = options;
  checkOptions(call, options, [
    ...Object.keys({ maxRetries, initialDelayMs, maxDelayMs, backoffFactor, retryOn, onFailure, jitter }),
    ...more,
  ]);
  const numbers = { maxRetries, initialDelayMs, maxDelayMs, backoffFactor };
  checkNumbers(call, numbers);
  const isClasses = Array.isArray(retryOn) && retryOn.every((one) => typeof one === "function");
  if (!isClasses && typeof retryOn !== "function") throw wrong("retryOn", "a function, or a list of classes of errors");
  if (onFailure !== "continue" && onFailure !== "error" && typeof onFailure !== "function")
    throw wrong("onFailure", "'continue', 'error' or a function");
  if (typeof jitter !== "boolean") throw wrong("jitter", "true or false");
  return { ...numbers, retryOn, onFailure, jitter };
}
type Settled = ReturnType<typeof settled>;

const isRetryable = (error: unknown) => (error as { isRetryable?: boolean } | null)?.isRetryable !== false;

/** Calls until it succeeds. Otherwise returns the text for the last error, in LangChain's words. */
async function tried<T>(
  options: Settled,
  runtime: Runtime,
  run: () => Promise<T>,
  failed: (said: string) => T,
  sentence: (attempts: string, error: string) => string,
): Promise<T> {
  const { maxRetries, retryOn, onFailure } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (mustPass(error, runtime)) throw error;
      if (attempt < maxRetries && isWorthIt(error, retryOn)) {
        await wait(delayOf(attempt, options), runtime.signal);
        continue;
      }
      if (onFailure === "error") throw error;
      if (typeof onFailure === "function") return failed(onFailure(error));
      const { constructor, message } = Object(error) as Partial<Error>;
      const [name, text] = message === undefined ? ["Error", String(error)] : [constructor?.name, message];
      const attempts = `${attempt + 1} ${attempt === 0 ? "attempt" : "attempts"}`;
      return failed(sentence(attempts, `${name ?? "Error"}: ${text}`));
    }
  }
}

function isWorthIt(error: unknown, retryOn: Settled["retryOn"]): boolean {
  return typeof retryOn === "function" ? retryOn(error) : retryOn.some((kind) => error instanceof kind);
}

function delayOf(attempt: number, { initialDelayMs, maxDelayMs, backoffFactor, jitter }: Settled): number {
  const delay = Math.min(initialDelayMs * (backoffFactor === 0 ? 1 : backoffFactor ** attempt), maxDelayMs);
  return jitter ? delay * (0.75 + Math.random() / 2) : delay;
}

function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  if (milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = after(milliseconds, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/**
 * Calls a model again that failed, as LangChain's `modelRetryMiddleware` does.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for options of the wrong kind.
 *
 * @example
 * ```ts
 * import { createAgent, modelRetryMiddleware } from "threadfold/agent";
 *
 * let calls = 0;
 * const model = async () => {
 *   if (calls++ === 0) throw new Error("503");
 *   return "Here I am.";
 * };
 * const agent = createAgent({ model, middleware: [modelRetryMiddleware({ initialDelayMs: 1 })] });
 * console.log((await agent.invoke({ messages: "Hi" })).messages.at(-1)?.content); // Here I am.
 * ```
 */
export function modelRetryMiddleware(options: RetryOptions = {}) {
  const how = settled("modelRetryMiddleware", options);
  return createMiddleware({
    name: "ModelRetryMiddleware",
    wrapModelCall: (request, handler) =>
      tried<AiMessage>(
        how,
        request.runtime,
        () => handler(request),
        (content) => ({ type: "ai", id: newId(), content }),
        (attempts, error) => `Model call failed after ${attempts} with ${error}`,
      ),
  });
}

/** Options of {@link toolRetryMiddleware}. */
export interface ToolRetryOptions extends RetryOptions {
  /** The tools that it is for; all, if left out. */
  readonly tools?: readonly (string | ToolLike)[] | undefined;
}

/**
 * Calls a tool again that failed, as LangChain's `toolRetryMiddleware` does.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for options of the wrong kind.
 *
 * @example
 * ```ts
 * import { createAgent, tool, toolRetryMiddleware } from "threadfold/agent";
 *
 * const agent = createAgent({
 *   model: async (messages) =>
 *     messages.length > 1
 *       ? String(messages.at(-1)?.content)
 *       : { content: "", tool_calls: [{ id: "c1", name: "flaky", args: {} }] },
 *   tools: [tool({ name: "flaky", run: () => Promise.reject(new Error("timeout")) })],
 *   middleware: [toolRetryMiddleware({ maxRetries: 1, initialDelayMs: 1 })],
 * });
 * const { messages } = await agent.invoke({ messages: "Try." });
 * const said = messages.at(-1)?.content;
 * console.log(said); // Tool 'flaky' failed after 2 attempts with Error: timeout. Please try again.
 * ```
 */
export function toolRetryMiddleware(options: ToolRetryOptions = {}) {
  const { tools } = options;
  const how = settled("toolRetryMiddleware", options, ["tools"]);
  const isFor = toolFilter(tools);
  return createMiddleware({
    name: "ToolRetryMiddleware",
    wrapToolCall: (request, handler) => {
      const { toolCall, tool, runtime } = request;
      const name = tool?.name ?? toolCall.name;
      if (!isFor(name)) return handler(request);
      return tried(
        how,
        runtime,
        () => handler(request),
        (content) => toolMessage({ id: toolCall.id, name }, content, "error"),
        (attempts, error) => `Tool '${name}' failed after ${attempts} with ${error}. Please try again.`,
      );
    },
  });
}
