import { field } from "../../state/fields.js";
import { patchToolCalls } from "../../context/tool-calls.js";
import { checkOptions } from "../../shared/options.js";
import { ThreadfoldError } from "../../shared/errors.js";
import type { LangChainMessage, ToolCall } from "../../state/messages.js";
import { DECISIONS, type DecisionType, gateOf, settle, type Settled } from "../decide.js";
import { callsOf, contentOf, type Fields, lastTurn, toolMessage, typeOf } from "../message.js";
import { createMiddleware } from "./middleware.js";
import { withMessages } from "./request-changes.js";
import { isCommand, withUpdate } from "../tools/tools.js";
import type { AgentState, Runtime, ToolOutcome } from "../types.js";

/** The decisions that a tool allows, and the text shown to the person who decides. */
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
  /**
   * Whether one interrupt asks for all calls of a turn, before any of them runs. Otherwise each call asks for itself as
   * it starts, while the others run. Its question is then a {@link ToolApprovalRequest}, and its answer a single
   * decision.
   */
  readonly interruptMode?: "batched" | "per_call" | undefined;
  /** The beginning of a description. */
  readonly descriptionPrefix?: string | undefined;
  /** The note to the model about an edited call; null for none. */
  readonly editNotice?: string | null | undefined;
}

/** The value of the interrupt, in the form of LangChain's servers. Clients of both languages read it. */
export interface ApprovalRequest {
  readonly action_requests: readonly { readonly name: string; readonly args: object; readonly description: string }[];
  readonly review_configs: readonly {
    readonly action_name: string;
    readonly allowed_decisions: readonly DecisionType[];
    readonly args_schema?: object;
  }[];
}

/** The value of an interrupt with `interruptMode: "per_call"`. */
export interface ToolApprovalRequest {
  readonly type: "tool_approval";
  readonly tool_call_id: string;
  readonly name: string;
  readonly args: object;
  readonly description: string;
}

/** A decision about a call. */
export type ApprovalDecision =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly edited_action: { readonly name: string; readonly args: object } }
  | { readonly type: "edit"; readonly editedAction: { readonly name: string; readonly args: object } }
  | { readonly type: "reject"; readonly message?: string | undefined }
  | { readonly type: "respond"; readonly message: string };

type Action = { readonly name: string; readonly args: Record<string, unknown> };

const EDITED = "hitlEditedToolCalls";
const NOTICE =
  "Note: a human reviewer replaced this tool call before it ran. The call recorded in your message is the one you produced, not the one that executed. This was intentional and authorized. Do not re-issue your original call.";

/**
 * Asks for a yes before tools run, as LangChain's `humanInTheLoopMiddleware` does: one interrupt for all calls of a
 * turn that need one. Answer it with `new Command({ resume: { decisions } })`, a decision for each call in order:
 * approve, edit, reject or respond. Calls that need no approval still run, whatever is decided about the others.
 *
 * With `interruptMode: "per_call"` each call asks by an interrupt of its own: answer by the interrupts' ids,
 * `new Command({ resume: { [id]: decision } })`. An edit then changes the arguments, not the tool.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a tool without decisions, and an unknown mode.
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
    interruptMode: mode = "batched",
    descriptionPrefix = "Tool execution requires approval",
    editNotice = NOTICE,
  } = options ?? {};
  checkOptions("humanInTheLoopMiddleware", options ?? {}, [
    "interruptOn",
    "interruptMode",
    "descriptionPrefix",
    "editNotice",
  ]);
  if (mode !== "batched" && mode !== "per_call")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `humanInTheLoopMiddleware: expected interruptMode 'batched' or 'per_call', got '${String(mode)}'.`,
    );
  const configs = new Map<string, InterruptOnConfig>();
  for (const [name, given] of Object.entries(interruptOn)) {
    if (given === false) continue;
    const config = given === true ? { allowedDecisions: DECISIONS } : given;
    const { allowedDecisions: allowed } = config;
    if (!Array.isArray(allowed) || allowed.length === 0 || !allowed.every((one) => DECISIONS.includes(one as never)))
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `humanInTheLoopMiddleware: interruptOn.${name} needs allowedDecisions, a list of ${DECISIONS.join(", ")}.`,
      );
    configs.set(name, config);
  }

  /** The config of a call that has to be asked for. */
  const configOf = async (toolCall: ToolCall, state: AgentState, runtime: Runtime) => {
    const config = configs.get(toolCall.name);
    return config && ((await config.when?.({ toolCall, state, runtime })) ?? true) ? config : undefined;
  };
  const requestOf = async (
    toolCall: ToolCall,
    { description }: InterruptOnConfig,
    state: AgentState,
    runtime: Runtime,
  ) => {
    const { name, args } = toolCall;
    const usual = `${descriptionPrefix}\n\nTool: ${name}\nArgs: ${JSON.stringify(args, null, 2)}`;
    const own = typeof description === "function" ? await description(toolCall, state, runtime) : description;
    return { name, args, description: own ?? usual };
  };

  /** Asks for one call: returns what runs in its place, or the message that answers it. */
  const ask = async (
    toolCall: ToolCall,
    config: InterruptOnConfig,
    { state, runtime }: { readonly state: AgentState; readonly runtime: Runtime },
  ): Promise<Action | LangChainMessage | undefined> => {
    const decision = runtime.interrupt<ApprovalDecision>({
      type: "tool_approval",
      tool_call_id: toolCall.id as string,
      ...(await requestOf(toolCall, config, state, runtime)),
    } satisfies ToolApprovalRequest);
    const [one] = settled([toolCall], [config], [decision]);
    if (one === "run") return undefined;
    if (!one || "answer" in one) return answerTo(toolCall, decision);
    const action = actionOf(toolCall, decision);
    if (action.name !== toolCall.name)
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `An edit of one call keeps its tool: expected { name: '${toolCall.name}', args }, got '${action.name}'.`,
      );
    return action;
  };

  return createMiddleware({
    name: "HumanInTheLoopMiddleware",
    stateSchema: { [EDITED]: field.replace<Readonly<Record<string, Action>>>({ private: true }) },
    afterModel: async (state, runtime) => {
      const calls = callsOf(lastTurn(state.messages).ai);
      if (mode === "per_call" || calls.length === 0) return undefined;
      const waiting = await Promise.all(calls.map((toolCall) => configOf(toolCall, state, runtime)));
      const edited = state[EDITED] as object | undefined;
      if (!waiting.some(Boolean)) return edited && Object.keys(edited).length > 0 ? { [EDITED]: {} } : undefined;

      const asked = calls.flatMap((toolCall, at) => (waiting[at] ? [[toolCall, waiting[at]] as const] : []));
      const answer: { decisions?: readonly ApprovalDecision[] } | null | undefined = runtime.interrupt({
        action_requests: await Promise.all(asked.map(([call, config]) => requestOf(call, config, state, runtime))),
        review_configs: asked.map(([{ name: action_name }, { allowedDecisions: allowed_decisions, argsSchema }]) => ({
          action_name,
          allowed_decisions,
          ...(argsSchema && { args_schema: argsSchema }),
        })),
      } satisfies ApprovalRequest);
      const decisions = answer?.decisions;
      if (!Array.isArray(decisions))
        throw new ThreadfoldError(
          "INVALID_ARGUMENT",
          "Invalid answer to an approval: expected { decisions: [{ type: 'approve' }, …] }, one decision for each call.",
        );
      const edits: Record<string, Action> = {};
      const messages: LangChainMessage[] = [];
      settled(calls, waiting, decisions).forEach((one, at) => {
        const call = calls[at] as ToolCall;
        if (one === "run") return;
        if ("edited" in one) edits[call.id as string] = actionOf(call, decisions[one.edited] as ApprovalDecision);
        else messages.push(answerTo(call, decisions[one.answer] as ApprovalDecision));
      });
      return { messages, [EDITED]: edits };
    },
    // Continuing without an answer leaves calls open, and models refuse open calls.
    wrapModelCall: (request, handler) => handler(withMessages(request, patchToolCalls(request.messages))),
    wrapToolCall: async (request, handler) => {
      const { toolCall, runtime, state } = request;
      let action: Action | undefined;
      if (mode === "per_call") {
        const config = await configOf(toolCall, state, runtime);
        const came = config && (await ask(toolCall, config, request));
        if (came && "type" in came) return came as ToolOutcome;
        action = came as Action | undefined;
      } else {
        const edits = (state[EDITED] ?? {}) as Readonly<Record<string, Action>>;
        if (Object.hasOwn(edits, toolCall.id ?? "")) action = edits[toolCall.id as string];
      }
      if (!action) return handler(request);
      const { name, args } = action;
      const tool = runtime.tools.find((one) => one.name === name);
      const outcome = await handler({ ...request, tool, toolCall: { ...toolCall, name, args } });
      // If the tool does not exist, say only that: nothing ran.
      return !editNotice || !tool ? outcome : noted(outcome, toolCall, editNotice, action);
    },
  });
}

/** LangChain's words for a decision that does not fit. */
const invalid = (message: string) => new ThreadfoldError("INVALID_ARGUMENT", message);

/** The action that replaces an edited call: the original call must not run. */
function actionOf(call: ToolCall, decision: ApprovalDecision): Action {
  const { edited_action: action, editedAction = action } = decision as Fields;
  const { name, args } = (editedAction ?? {}) as Partial<Action>;
  const needs = typeof name === "string" ? "args must be an object" : "name must be a string";
  if (typeof name !== "string" || typeof args !== "object" || args === null)
    throw invalid(`Invalid edited action for tool "${call.name}": ${needs}`);
  return editedAction as Action;
}

/** Returns the outcome of each call. If the decisions do not fit, throws LangChain's error. */
function settled(
  calls: readonly ToolCall[],
  configs: readonly (InterruptOnConfig | undefined)[],
  decisions: readonly ApprovalDecision[],
): Settled[] {
  const gates = configs.map((config) => (config ? gateOf(config.allowedDecisions) : 0));
  const why = settle(gates, decisions);
  if (Array.isArray(why)) return why;
  if ("given" in why)
    throw invalid(
      `Number of human decisions (${why.given}) does not match number of hanging tool calls (${why.waiting}).`,
    );
  const decision = decisions[why.decision];
  const allowed = JSON.stringify(configs[why.call]?.allowedDecisions);
  throw invalid(
    `Unexpected human decision: ${JSON.stringify(decision)}. Decision type '${decision?.type}' is not allowed for tool '${calls[why.call]?.name}'. ` +
      `Expected one of ${allowed} based on the tool's configuration.`,
  );
}

/** The message to the model in place of a result. */
function answerTo(call: ToolCall, decision: ApprovalDecision): LangChainMessage {
  const { message } = decision as { message?: string };
  if (typeof message !== "string" && (message != null || decision.type === "respond"))
    throw invalid(`Tool call response for "${call.name}" must be a string, got ${typeof message}`);
  if (decision.type === "respond") return toolMessage(call, message as string);
  const rejected = `User rejected the tool call for \`${call.name}\` with`;
  const usual = `${rejected} id ${call.id}. The tool was not executed. Do not retry this tool call unless the user explicitly requests it.`;
  return toolMessage(call, message ? `${rejected} reason: ${message}` : usual, "error");
}

/** JSON as Python writes it: with spaces, in ASCII. */
const pythonJson = (value: object) =>
  JSON.stringify(value, null, 1)
    .replace(/(?<=[{[])\n +|\n *(?=[}\]])/g, "")
    .replace(/\n +/g, " ")
    .replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Tells the model that another call ran. */
function noted(outcome: ToolOutcome, { id }: ToolCall, notice: string, { name, args }: Action): ToolOutcome {
  const sentence = `${notice} Executed instead: ${name} with arguments ${pythonJson(args)}.`;
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
