import type { LangChainMessage } from "../state/messages.js";
import type { Fields as SchemaFields } from "../state/schema.js";
import { checkOptions } from "../shared/options.js";
import { type Agent, AGENT_OPTIONS, type AgentOptions, checkModel, createAgent, list } from "./create-agent.js";
import type { CompositeBackend } from "./backends/types.js";
import { replacing } from "./middleware/middleware.js";
import { createFilesystemMiddleware } from "./middleware/filesystem.js";
import { humanInTheLoopMiddleware, type HumanInTheLoopOptions } from "./middleware/human-in-the-loop.js";
import { createPatchToolCallsMiddleware } from "./middleware/patch-tool-calls.js";
import { type CompiledSubAgent, createSubAgentMiddleware, type SubAgent } from "./sub-agents.js";
import { summarizationMiddleware, type SummarizationOptions } from "./middleware/summarization.js";
import { todoListMiddleware } from "./middleware/todo-list.js";
import type { FieldsOf, Middleware, ResponseFormat, StateForm } from "./types.js";
import { systemMessage } from "./model/system-message.js";

/** The options of {@link createDeepAgent}. */
export interface DeepAgentOptions<
  S extends StateForm<SchemaFields> = Record<never, never>,
  M extends readonly Middleware[] = readonly Middleware[],
  R extends ResponseFormat = ResponseFormat,
> extends AgentOptions<S, M, R> {
  /** Whom it may give tasks to, besides one that can do all that it can: `general-purpose`, unless you name one so. */
  readonly subagents?: readonly (SubAgent | CompiledSubAgent)[] | undefined;
  /** Which tools need a yes, its own and its sub-agents'. */
  readonly interruptOn?: HumanInTheLoopOptions["interruptOn"] | undefined;
  /** Its files, and its sub-agents', that are elsewhere than in the state. */
  readonly backend?: CompositeBackend | undefined;
  /** When its conversation is summarized, and by which model. */
  readonly summarization?: Partial<SummarizationOptions> | undefined;
}

/** The middlewares that every deep agent has. */
export type DeepMiddleware = readonly [
  ReturnType<typeof todoListMiddleware>,
  ReturnType<typeof createFilesystemMiddleware>,
  ReturnType<typeof createSubAgentMiddleware>,
  ReturnType<typeof summarizationMiddleware>,
  ReturnType<typeof createPatchToolCallsMiddleware>,
];

const PROMPT =
  "You have tools to plan with, to keep files with, and to have tasks done by sub-agents. Use them for work of several steps.";

/**
 * Makes an agent that plans with a todo list, works on files, gives tasks to sub-agents and keeps its context short, as
 * deepagents' `createDeepAgent` does: {@link createAgent} with its middlewares in its order.
 *
 * @throws {@link ThreadfoldError} as {@link createAgent} does.
 *
 * @example
 * ```ts
 * import { createDeepAgent } from "threadfold/agent";
 *
 * const args = { file_path: "/notes.md", content: "Rome, Tuesday" };
 * const agent = createDeepAgent({
 *   model: async (messages) =>
 *     messages.at(-1)?.type === "tool" ? "Noted." : { content: "", tool_calls: [{ id: "c1", name: "write_file", args }] },
 * });
 * const { files, messages } = await agent.invoke({ messages: "Rome on Tuesday: note it." });
 * console.log(Object.keys(files ?? {}), messages.at(-1)?.content); // [ '/notes.md' ] Noted.
 * ```
 */
export function createDeepAgent<
  const S extends StateForm<SchemaFields> = Record<never, never>,
  const M extends readonly Middleware[] = readonly [],
  R extends ResponseFormat = ResponseFormat,
>(options: DeepAgentOptions<S, M, R>): Agent<FieldsOf<S>, readonly [...DeepMiddleware, ...M], R> {
  checkOptions("createDeepAgent", options, [...AGENT_OPTIONS, "subagents", "interruptOn", "summarization", "backend"]);
  const { subagents, interruptOn, summarization, backend, systemPrompt, middleware, ...rest } = options ?? {};
  const { model } = rest;
  checkModel(model);
  const summary = () =>
    summarizationMiddleware({ model, ...summarization } as SummarizationOptions & { model: typeof model });
  const builtIn = [
    todoListMiddleware(),
    createFilesystemMiddleware({ backend }),
    createSubAgentMiddleware({
      subagents,
      generalPurposeAgent: true,
      defaultModel: model,
      defaultTools: rest.tools,
      stateSchema: rest.schema ?? rest.stateSchema,
      defaultInterruptOn: interruptOn,
      defaultMiddleware: () => [
        todoListMiddleware(),
        createFilesystemMiddleware({ backend }),
        summary(),
        createPatchToolCallsMiddleware(),
      ],
    }),
    summary(),
    createPatchToolCallsMiddleware(),
  ] as readonly Middleware[];
  const stack = [
    ...replacing(builtIn, list(middleware as readonly Middleware[], "middleware")),
    ...(interruptOn ? [humanInTheLoopMiddleware({ interruptOn })] : []),
  ] as unknown as readonly [...DeepMiddleware, ...M];
  const prompt = systemPrompt ? systemMessage(systemPrompt).concat(`\n\n${PROMPT}`) : PROMPT;
  return createAgent<S, readonly [...DeepMiddleware, ...M], R>({
    ...rest,
    systemPrompt: prompt,
    middleware: stack,
  } as never);
}

export type { LangChainMessage };
