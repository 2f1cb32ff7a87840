import { field } from "../../state/fields.js";
import { checkOptions } from "../../shared/options.js";
import { ThreadfoldError } from "../../shared/errors.js";
import { limit } from "../decide.js";
import { newId } from "../../shared/new-id.js";
import { callsOf, type Fields, lastTurn, toolMessage } from "../message.js";
import { createMiddleware } from "./middleware.js";
import { CallLimitExceededError, type CallLimits, checkLimits } from "./model-call-limit.js";

/** Options of {@link toolCallLimitMiddleware}. */
export interface ToolCallLimitOptions extends CallLimits {
  /** The tool that counts; all, if left out. */
  readonly toolName?: string | undefined;
  /**
   * The behaviour at the limit. The call gets an error and the model continues, the run ends with a message that says
   * so, or it fails.
   */
  readonly exitBehavior?: "continue" | "end" | "error" | undefined;
}

type Counts = Readonly<Record<string, number>>;

/**
 * Keeps tools from being called too often, as LangChain's `toolCallLimitMiddleware` does.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a limit that is not a number, and for missing limits.
 *
 * @example
 * ```ts
 * import { createAgent, tool, toolCallLimitMiddleware } from "threadfold/agent";
 *
 * const twice = [1, 2].map((n) => ({ id: `c${n}`, name: "search", args: {} }));
 * const agent = createAgent({
 *   model: async (messages) => (messages.length > 1 ? "Enough." : { content: "", tool_calls: twice }),
 *   tools: [tool({ name: "search", run: () => "Found." })],
 *   middleware: [toolCallLimitMiddleware({ toolName: "search", runLimit: 1 })],
 * });
 * const { messages } = await agent.invoke({ messages: "Search." });
 * const said = messages.filter(({ type }) => type === "tool").map(({ content }) => content);
 * console.log(said.join(" ")); // Tool call limit exceeded. Do not call 'search' again. Found.
 * ```
 */
export function toolCallLimitMiddleware(options: ToolCallLimitOptions) {
  const { toolName, threadLimit, runLimit, exitBehavior = "continue" } = options ?? {};
  checkOptions("toolCallLimitMiddleware", options ?? {}, ["toolName", "threadLimit", "runLimit", "exitBehavior"]);
  checkLimits({ threadLimit, runLimit, exitBehavior }, ["continue", "end", "error"]);
  if (threadLimit !== undefined && runLimit !== undefined && runLimit > threadLimit)
    throw new ThreadfoldError("INVALID_ARGUMENT", `runLimit (${runLimit}) cannot exceed threadLimit (${threadLimit}).`);
  const key = toolName ?? "__all__";
  return createMiddleware({
    name: toolName === undefined ? "ToolCallLimitMiddleware" : `ToolCallLimitMiddleware[${toolName}]`,
    stateSchema: {
      threadToolCallCount: field.replace<Counts>({ private: true }),
      runToolCallCount: field.untracked<Counts>({ private: true }),
    },
    afterModel: {
      canJumpTo: ["end"],
      hook: (state) => {
        const calls = callsOf(lastTurn(state.messages).ai);
        if (calls.length === 0) return undefined;
        const { threadToolCallCount = {}, runToolCallCount = {} } = state as Fields as Record<string, Counts>;
        const before = { thread: threadToolCallCount[key] ?? 0, run: runToolCallCount[key] ?? 0 };
        const counts = calls.map(({ name }) => toolName === undefined || name === toolName);
        const { thread, run, blocked } = limit(before, { threadLimit, runLimit }, counts);
        if (blocked.length === 0 && thread === before.thread && run === before.run) return undefined;
        const tried = run + blocked.length;
        const counted = (most: number) => ({
          threadToolCallCount: { ...threadToolCallCount, [key]: most },
          runToolCallCount: { ...runToolCallCount, [key]: tried },
        });
        if (blocked.length === 0) return counted(thread);

        const over = (what: string, count: number, most: number | undefined) =>
          most !== undefined && count > most ? [`${what} limit exceeded (${count}/${most} calls)`] : [];
        const threadCount = thread + blocked.length;
        const why = [...over("thread", threadCount, threadLimit), ...over("run", tried, runLimit)];
        const who = toolName === undefined ? "Tool" : `'${toolName}' tool`;
        const sentence = `${who} call limit reached: ${why.join(" and ")}.`;
        if (exitBehavior === "error")
          throw new CallLimitExceededError(sentence, "Tool", { ...options, threadCount, runCount: tried });
        const more = toolName === undefined ? "make additional tool calls" : `call '${toolName}' again`;
        const said = `Tool call limit exceeded. Do not ${more}.`;
        const refusals = blocked.map((at) => toolMessage(calls[at] as never, said, "error"));
        if (exitBehavior === "continue") return { ...counted(thread), messages: refusals };
        const stopped =
          "Execution stopped before this tool call could run because another tool call in the same batch exceeded the limit.";
        const rest = calls.filter((_, at) => !blocked.includes(at)).map((call) => toolMessage(call, stopped, "error"));
        const last = { type: "ai", id: newId(), content: sentence };
        // None of them runs, so none counts for the thread.
        return { ...counted(before.thread), jumpTo: "end", messages: [...refusals, ...rest, last] };
      },
    },
  });
}
