import { field } from "../../state/fields.js";
import { checkOptions } from "../../shared/options.js";
import { ThreadfoldError } from "../../shared/errors.js";
import { newId } from "../../shared/new-id.js";
import type { Fields } from "../message.js";
import { createMiddleware } from "./middleware.js";

/** How many calls there may be. */
export interface CallLimits {
  /** In a thread, over all its runs. */
  readonly threadLimit?: number | undefined;
  /** In a run. */
  readonly runLimit?: number | undefined;
}

/** Options of {@link modelCallLimitMiddleware}. */
export interface ModelCallLimitOptions extends CallLimits {
  /** The behaviour at the limit: the run ends with a message that says so, or fails. */
  readonly exitBehavior?: "end" | "error" | undefined;
}

/** How many calls there were, and may be. */
export interface CallCounts extends CallLimits {
  readonly threadCount: number;
  readonly runCount: number;
  readonly toolName?: string | undefined;
}

/** A limit of calls was reached, and its `exitBehavior` is `"error"`. */
export class CallLimitExceededError extends Error implements CallCounts {
  declare readonly threadCount: number;
  declare readonly runCount: number;
  declare readonly threadLimit: number | undefined;
  declare readonly runLimit: number | undefined;
  declare readonly toolName: string | undefined;

  /** @internal */
  constructor(message: string, what: "Model" | "Tool", counts: CallCounts) {
    super(message);
    this.name = `${what}CallLimitExceededError`;
    Object.assign(this, counts);
  }
}

/** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a limit that is not a number, missing limits, and an unknown behaviour. */
export function checkLimits(
  { threadLimit, runLimit, exitBehavior }: CallLimits & { readonly exitBehavior?: unknown },
  behaviors: readonly unknown[],
): void {
  if (exitBehavior !== undefined && !behaviors.includes(exitBehavior))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Expected one of ${behaviors.join(", ")} as exitBehavior, got '${String(exitBehavior)}'.`,
    );
  if (threadLimit === undefined && runLimit === undefined)
    throw new ThreadfoldError("INVALID_ARGUMENT", "At least one limit must be specified (threadLimit or runLimit).");
  for (const limit of [threadLimit, runLimit])
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0))
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `Expected a whole number as a limit of calls, got ${String(limit)}.`,
      );
}

/**
 * Ends a run that calls the model too often, as LangChain's `modelCallLimitMiddleware` does.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a limit that is not a number, and for missing limits.
 *
 * @example
 * ```ts
 * import { createAgent, modelCallLimitMiddleware, tool } from "threadfold/agent";
 *
 * const again = async () => ({ content: "", tool_calls: [{ id: crypto.randomUUID(), name: "wait", args: {} }] });
 * const agent = createAgent({
 *   model: again,
 *   tools: [tool({ name: "wait", run: () => "Not yet." })],
 *   middleware: [modelCallLimitMiddleware({ runLimit: 2 })],
 * });
 * const { messages } = await agent.invoke({ messages: "Is it done?" });
 * console.log(messages.at(-1)?.content); // Model call limits exceeded: run limit (2/2)
 * ```
 */
export function modelCallLimitMiddleware(options: ModelCallLimitOptions) {
  const { threadLimit, runLimit, exitBehavior = "end" } = options ?? {};
  checkOptions("modelCallLimitMiddleware", options ?? {}, ["threadLimit", "runLimit", "exitBehavior"]);
  checkLimits({ threadLimit, runLimit, exitBehavior }, ["end", "error"]);
  const counts = ({ threadModelCallCount: thread = 0, runModelCallCount: run = 0 }: Fields) =>
    [thread, run] as [number, number];
  return createMiddleware({
    name: "ModelCallLimitMiddleware",
    stateSchema: {
      threadModelCallCount: field.replace<number>({ private: true }),
      runModelCallCount: field.untracked<number>({ private: true }),
    },
    beforeModel: {
      canJumpTo: ["end"],
      hook: (state) => {
        const [thread, run] = counts(state);
        const reached = [
          ...(threadLimit !== undefined && thread >= threadLimit ? [`thread limit (${thread}/${threadLimit})`] : []),
          ...(runLimit !== undefined && run >= runLimit ? [`run limit (${run}/${runLimit})`] : []),
        ];
        if (reached.length === 0) return undefined;
        const content = `Model call limits exceeded: ${reached.join(", ")}`;
        if (exitBehavior === "error")
          throw new CallLimitExceededError(content, "Model", { ...options, threadCount: thread, runCount: run });
        return { jumpTo: "end", messages: [{ type: "ai", id: newId(), content }] };
      },
    },
    afterModel: (state) => {
      const [thread, run] = counts(state);
      return { threadModelCallCount: thread + 1, runModelCallCount: run + 1 };
    },
  });
}
