import { field } from "threadfold";
import { ThreadfoldError } from "../../errors.js";
import type { LangChainMessage, ToolCall } from "../../messages.js";
import { DECISIONS, type DecisionType, gateOf, settle } from "../decide.js";
import { callsOf, contentOf, type Fields, lastTurn, toolMessage, typeOf } from "../message.js";
import { createMiddleware } from "../middleware.js";
import { isCommand, withUpdate } from "../tools.js";
import type { AgentState, Runtime, ToolOutcome } from "../types.js";

/** Which decisions a tool allows, and what the one who decides is shown. */
export interface InterruptOnConfig {
  readonly allowedDecisions: readonly DecisionType[];
  readonly description?:
    string | ((toolCall: ToolCall, state: AgentState, runtime: Runtime) => string | Promise<string>) | undefined;
  /** Whether this call needs a yes. It has to say the same when the run is resumed. */
  readonly when?:
    | ((request: {
        readonly toolCall: ToolCall;
        readonly state: AgentState;
        readonly runtime: Runtime;
      }) => boolean | Promise<boolean>)
    | undefined;
  /** The schema of the arguments, for who edits them: it is in the review config. */
  readonly argsSchema?: object | undefined;
}

/** Options of {@link humanInTheLoopMiddleware}. */
export interface HumanInTheLoopOptions {
  /** By the name of a tool: true for all four decisions, false for none needed. */
  readonly interruptOn: Readonly<Record<string, boolean | InterruptOnConfig>>;
  /** What a description begins with. */
  readonly descriptionPrefix?: string | undefined;
  /** What the model is told about a call that was edited; null for nothing. */
  readonly editNotice?: string | null | undefined;
}

/** What the interrupt asks: in the form of LangChain's servers, which clients of both languages read. */
export interface ApprovalRequest {
  readonly action_requests: readonly { readonly name: string; readonly args: object; readonly description: string }[];
  readonly review_configs: readonly {
    readonly action_name: string;
    readonly allowed_decisions: readonly DecisionType[];
    readonly args_schema?: object;
  }[];
}

/** A decision about a call. */
export type ApprovalDecision =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly edited_action: { readonly name: string; readonly args: object } }
  | { readonly type: "edit"; readonly editedAction: { readonly name: string; readonly args: object } }
  | { readonly type: "reject"; readonly message?: string | undefined }
  | { readonly type: "respond"; readonly message: string };

interface Action {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

const EDITED = "hitlEditedToolCalls";
const NOTICE =
  "Note: a human reviewer replaced this tool call before it ran. Treat the result as that of the call below, not of the one that you made.";

/**
 * Asks for a yes before tools run, as LangChain's `humanInTheLoopMiddleware` does: one interrupt for all calls of a turn
 * that need one. Answer it with `new Command({ resume: { decisions } })`, a decision for each call in order: approve,
 * edit, reject or respond. Calls that need no approval still run, whatever is decided about the others.
 *
 * @throws {@link ThreadfoldError} `INVALID_VALUE` for a tool without decisions.
 *
 * @example
 * ```ts
 * import { createAgent, humanInTheLoopMiddleware, tool } from "threadfold/agent";
 * import { Command, INTERRUPT, isInterrupted, MemorySaver } from "threadfold/graph";
 *
 * const agent = createAgent({
 *   model: async (messages) =>
 *     messages.at(-1)?.type === "tool"
 *       ? "Sent."
 *       : { content: "", tool_calls: [{ id: "c1", name: "send", args: { to: "Ada" } }] },
 *   tools: [tool({ name: "send", run: ({ to }: { to: string }) => `To ${to}.` })],
 *   middleware: [humanInTheLoopMiddleware({ interruptOn: { send: true } })],
 *   checkpointer: new MemorySaver(),
 * });
 * const thread = { threadId: "t" };
 * const asked = await agent.invoke({ messages: "Send it." }, thread);
 * console.log(isInterrupted(asked) && asked[INTERRUPT].length); // 1
 * const decisions = [{ type: "approve" }];
 * const { messages } = await agent.invoke(new Command({ resume: { decisions } }), thread);
 * console.log(messages.map(({ content }) => content).join(" | ")); // Send it. |  | To Ada. | Sent.
 * ```
 */
export function humanInTheLoopMiddleware(options: HumanInTheLoopOptions) {
  const {
    interruptOn = {},
    descriptionPrefix = "Tool execution requires approval",
    editNotice = NOTICE,
  } = options ?? {};
  const configs = new Map<string, InterruptOnConfig>();
  for (const [name, given] of Object.entries(interruptOn)) {
    if (given === false) continue;
    const config = given === true ? { allowedDecisions: DECISIONS } : given;
    const { allowedDecisions: allowed } = config;
    if (!Array.isArray(allowed) || allowed.length === 0 || !allowed.every((one) => DECISIONS.includes(one as never)))
      throw new ThreadfoldError(
        "INVALID_VALUE",
        `interruptOn.${name} should have allowedDecisions: a list of ${DECISIONS.join(", ")}.`,
      );
    configs.set(name, config);
  }

  return createMiddleware({
    name: "HumanInTheLoopMiddleware",
    stateSchema: { [EDITED]: field.replace<Readonly<Record<string, Action>>>({ private: true }) },
    afterModel: async (state, runtime) => {
      const calls = callsOf(lastTurn(state.messages).ai);
      const waiting: (InterruptOnConfig | undefined)[] = [];
      for (const toolCall of calls) {
        const config = configs.get(toolCall.name);
        waiting.push(config && ((await config.when?.({ toolCall, state, runtime })) ?? true) ? config : undefined);
      }
      const edited = state[EDITED] as object | undefined;
      if (!waiting.some(Boolean)) return edited && Object.keys(edited).length > 0 ? { [EDITED]: {} } : undefined;

      const asked = { action_requests: [] as Fields[], review_configs: [] as Fields[] };
      for (const [at, toolCall] of calls.entries()) {
        const config = waiting[at];
        if (!config) continue;
        const { name, args } = toolCall;
        const { description: given, allowedDecisions: allowed_decisions, argsSchema: args_schema } = config;
        const usual = `${descriptionPrefix}\n\nTool: ${name}\nArgs: ${JSON.stringify(args)}`;
        const description = typeof given === "function" ? await given(toolCall, state, runtime) : (given ?? usual);
        asked.action_requests.push({ name, args, description });
        asked.review_configs.push({ action_name: name, allowed_decisions, ...(args_schema && { args_schema }) });
      }
      const answer: { decisions?: readonly ApprovalDecision[] } | null | undefined = runtime.interrupt(asked);
      const decisions = answer?.decisions;
      if (!Array.isArray(decisions))
        throw new ThreadfoldError(
          "INVALID_VALUE",
          "The answer to an approval should be { decisions: [{ type: 'approve' }, …] }, a decision for each call.",
        );
      const gates = waiting.map((config) => (config ? gateOf(config.allowedDecisions) : 0));
      const settled = settle(gates, decisions);
      if (!Array.isArray(settled)) throw misfit(settled, decisions, calls, waiting);

      const edits: Record<string, Action> = {};
      const messages: LangChainMessage[] = [];
      settled.forEach((one, at) => {
        const call = calls[at] as ToolCall;
        if (one === "run") return;
        if ("edited" in one) {
          const { edited_action: action, editedAction = action } = decisions[one.edited] as Fields;
          const { name, args } = (editedAction ?? {}) as Partial<Action>;
          const needs = typeof name === "string" ? "args must be an object" : "name must be a string";
          // What was edited must not run as it was.
          if (typeof name !== "string" || typeof args !== "object" || args === null)
            throw new Error(`Invalid edited action for tool "${call.name}": ${needs}`);
          edits[call.id as string] = editedAction as Action;
        } else messages.push(answerTo(call, decisions[one.answer] as ApprovalDecision));
      });
      return { messages, [EDITED]: edits };
    },
    wrapToolCall: async (request, handler) => {
      const { toolCall, runtime, state } = request;
      const edits = (state[EDITED] ?? {}) as Readonly<Record<string, Action>>;
      const action = Object.hasOwn(edits, toolCall.id ?? "") ? edits[toolCall.id as string] : undefined;
      if (!action) return handler(request);
      const { name, args } = action;
      const tool = runtime.tools.find((one) => one.name === name);
      if (!tool) {
        const names = runtime.tools.map((one) => one.name).sort();
        throw new Error(
          `Reviewer edited tool call '${toolCall.id}' to '${name}', which is not an available tool. Available tools: ${names.join(", ")}.`,
        );
      }
      const outcome = await handler({ ...request, tool, toolCall: { ...toolCall, name, args } });
      return editNotice === null ? outcome : noted(outcome, toolCall, editNotice, action);
    },
  });
}

/** Says why the decisions do not fit the calls, in LangChain's words. */
function misfit(
  why: Exclude<ReturnType<typeof settle>, unknown[]>,
  decisions: readonly ApprovalDecision[],
  calls: readonly ToolCall[],
  waiting: readonly (InterruptOnConfig | undefined)[],
): Error {
  if ("given" in why)
    return new Error(
      `Number of human decisions (${why.given}) does not match number of hanging tool calls (${why.waiting}).`,
    );
  const decision = decisions[why.decision];
  const allowed = JSON.stringify(waiting[why.call]?.allowedDecisions);
  return new Error(
    `Unexpected human decision: ${JSON.stringify(decision)}. Decision type '${decision?.type}' is not allowed for tool '${calls[why.call]?.name}'. ` +
      `Expected one of ${allowed} based on the tool's configuration.`,
  );
}

/** What the model is told in place of a result. */
function answerTo(call: ToolCall, decision: ApprovalDecision): LangChainMessage {
  const { message } = decision as { message?: string };
  if (message != null && typeof message !== "string")
    throw new Error(`Tool call response for "${call.name}" must be a string, got ${typeof message}`);
  if (decision.type === "respond") return toolMessage(call, message ?? "");
  const rejected = `User rejected the tool call for \`${call.name}\` with`;
  const usual = `${rejected} id ${call.id}. The tool was not executed. Do not retry this tool call unless the user explicitly requests it.`;
  return toolMessage(call, message ? `${rejected} reason: ${message}` : usual, "error");
}

/** Tells the model that another call ran. */
function noted(outcome: ToolOutcome, { id }: ToolCall, notice: string, { name, args }: Action): ToolOutcome {
  const sentence = `${notice} Executed instead: ${name} with arguments ${JSON.stringify(args)}.`;
  const withNote = (message: Fields) => {
    const { content } = message;
    const note = contentOf(content).length > 0 ? `${sentence}\n\nTool response:` : sentence;
    const more = Array.isArray(content)
      ? [{ type: "text", text: note }, ...(content as unknown[])]
      : content
        ? `${note}\n${String(content)}`
        : note;
    return { ...message, type: "tool", content: more };
  };
  if (!isCommand(outcome)) return withNote(outcome as Fields) as unknown as ToolOutcome;
  return withUpdate(outcome, (update) => {
    const messages = (update["messages"] ?? []) as Fields[];
    const told = messages.map((one) => (typeOf(one) === "tool" && one["tool_call_id"] === id ? withNote(one) : one));
    return { ...update, messages: told };
  });
}
