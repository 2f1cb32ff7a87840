import { field } from "../../state/fields.js";
import { textOf } from "../../state/message-content.js";
import { Context, type ContextDue } from "../../context/context.js";
import type { ContextOptions } from "../../context/policy.js";
import type { ContextRecord } from "../../context/record.js";
import { trimMessages } from "../../context/trim.js";
import { checkOptions, type NamesOf } from "../../shared/options.js";
import type { FileData } from "../../state/files.js";
import type { LangChainMessage } from "../../state/messages.js";
import { writesFiles, writtenTexts } from "../stack-files.js";
import { typeOf } from "../message.js";
import { createMiddleware, withOwn } from "./middleware.js";
import { callModel } from "../model/models.js";
import type { Files } from "../tools/files.js";
import type { AgentModel, AgentState, Runtime } from "../types.js";
import { withMessages } from "./request-changes.js";

/** Options of {@link summarizationMiddleware}. */
export interface SummarizationOptions extends Omit<ContextOptions<LangChainMessage>, "system" | "tools" | "trigger"> {
  /**
   * When to summarize: when all measures of one of these are reached. Default: 170,000 tokens. Messages are those that
   * the model is sent; tokens are theirs, as in LangChain's: without the system prompt and the tools. To count those,
   * too, pass a `context` with `system` and `tools`.
   */
  readonly trigger?: ContextOptions["trigger"];
  /** The model that summarizes. */
  readonly model: AgentModel;
  /** The prompt for the summary. The messages replace `{messages}` in it, or are appended. */
  readonly summaryPrompt?: string | undefined;
  /** The text before a summary: `Here is a summary of the conversation to date:`. */
  readonly summaryPrefix?: string | undefined;
  /** How many tokens of the messages the model that summarizes reads, the newest: all, if left out. */
  readonly trimTokensToSummarize?: number | undefined;
  /** Decides in place of the options: one of the presets of `threadfold/context`. */
  readonly context?: Context<LangChainMessage> | undefined;
}

const NAMES: NamesOf<SummarizationOptions> = {
  model: true,
  trigger: true,
  keep: true,
  maxInputTokens: true,
  tokenCounter: true,
  clearToolUses: true,
  truncateArgs: true,
  offload: true,
  preserveSystem: true,
  useUsageMetadataScaling: true,
  summaryPrompt: true,
  summaryPrefix: true,
  trimTokensToSummarize: true,
  context: true,
};

const PROMPT = `Summarize the conversation below for the assistant that goes on with it and no longer sees it. Keep what the user wants, what was decided and why, facts, names, numbers and paths, what is done and what is still open. Leave out pleasantries. Answer with the summary only.`;

/** The defaults: over 170,000 tokens, all but six messages are due. As in deepagents. */
const USUAL: ContextOptions<LangChainMessage> = { trigger: { tokens: 170_000 }, keep: { messages: 6 } };

/**
 * Summarizes a conversation that grows too long for the model. The messages of the state stay complete. The model's
 * input is computed from them and a small record in the state: see `docs/context.md`.
 *
 * It has LangChain's name and options (`model`, `trigger`, `keep`, `summaryPrompt`). LangChain's replaces the messages
 * of the state.
 *
 * `offload` moves long content to the field `files`, or to the backend of `createFilesystemMiddleware`.
 *
 * @example
 * ```ts
 * import { createAgent, summarizationMiddleware } from "threadfold/agent";
 * import { contextMessages, fullMessages } from "threadfold/context";
 * import { MemorySaver } from "threadfold/graph";
 *
 * const agent = createAgent({
 *   model: async () => "Yes.",
 *   middleware: [
 *     summarizationMiddleware({ model: async () => "They agreed.", trigger: { messages: 5 }, keep: { messages: 2 } }),
 *   ],
 *   checkpointer: new MemorySaver(),
 * });
 * const thread = { threadId: "t" };
 * for (const messages of ["One?", "Two?", "Three?"]) await agent.invoke({ messages }, thread);
 * const { values } = await agent.getState(thread);
 * console.log(fullMessages(values).length, contextMessages(values).length); // 6 4
 * ```
 */
export function summarizationMiddleware(given: SummarizationOptions) {
  checkOptions("summarizationMiddleware", given, Object.keys(NAMES));
  const { model, summaryPrompt = PROMPT, summaryPrefix, trimTokensToSummarize: maxTokens, context, ...options } = given;
  // Where LangChain's models say how much they take.
  const { maxInputTokens } = (model as { profile?: ContextOptions } | undefined)?.profile ?? {};
  const by = context ?? new Context<LangChainMessage>({ ...USUAL, maxInputTokens, ...options });
  const read = (messages: readonly LangChainMessage[]) =>
    maxTokens === undefined ? messages : trimMessages(messages, { maxTokens, includeSystem: true, allowPartial: true });
  const summarized = async (due: ContextDue<LangChainMessage>, runtime: Runtime) => {
    const before = due.previousSummary ? [`Summary so far:\n${due.previousSummary}`] : [];
    const text = [...before, ...read(due.messages).map(lineOf)].join("\n");
    const placed = summaryPrompt.replace("{messages}", () => text);
    const content = placed === summaryPrompt ? `${summaryPrompt}\n\n<messages>\n${text}\n</messages>` : placed;
    const messages: LangChainMessage[] = [{ type: "human", content }];
    // A client that streams the agent's messages would mistake the summary for its answer. langchain.js names the
    // source so.
    const { tags = [], metadata } = runtime as { tags?: readonly string[]; metadata?: object };
    const own = { tags: [...tags, "nostream"], metadata: { ...metadata, lc_source: "summarization" } };
    const told = { toolChoice: undefined, settings: undefined, onChunk: undefined, runtime: withOwn(runtime, own) };
    const summary = textOf(await callModel(model, { messages, tools: [], ...told })).trim();
    return summaryPrefix === undefined ? summary : { type: "human", content: `${summaryPrefix}\n\n${summary}` };
  };
  const recordOf = (state: AgentState) => (state["_summarization_event"] as ContextRecord | undefined) ?? null;
  const ofFiles = (by.offloads ? { files: field.files<FileData>() } : {}) as Record<never, never>;
  return writesFiles((backend) =>
    createMiddleware({
      name: "SummarizationMiddleware",
      stateSchema: { _summarization_event: field.replace<ContextRecord>({ private: true }), ...ofFiles },
      beforeModel: async (state, runtime) => {
        const { due } = by.of(state.messages, recordOf(state));
        if (!due) return undefined;
        const files = await writtenTexts(due.files, (state["files"] ?? {}) as Files, backend);
        const summary = due.summarize ? await summarized(due, runtime) : null;
        const record = { _summarization_event: due.toRecord(summary) };
        return Object.keys(files).length > 0 ? { ...record, files } : record;
      },
      wrapModelCall: (request, handler) =>
        handler(withMessages(request, by.of(request.messages, recordOf(request.state)).messages)),
    }),
  );
}

/** A message as the model that summarizes reads it. */
function lineOf(message: LangChainMessage): string {
  const { tool_calls: calls = [] } = message as { tool_calls?: readonly { name: string; args: unknown }[] };
  const called = calls.map(({ name, args }) => `[calls ${name}(${JSON.stringify(args)})]`);
  return `${String(typeOf(message))}: ${[textOf(message), ...called].filter(Boolean).join(" ")}`;
}
