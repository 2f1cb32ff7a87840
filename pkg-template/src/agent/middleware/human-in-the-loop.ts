import { field } from "../../state/fields.js";
import { patchToolCalls } from "../../context/tool-calls.js";
import { checkOptions } from "../../shared/options.js";
import { ThreadfoldError } from "../../shared/errors.js";
import type { LangChainMessage, ToolCall } from "../../state/messages.js";
import { callsOf, lastTurn } from "../message.js";
import type { AgentState, Runtime, ToolOutcome } from "../types.js";
import { type Action, actionOf, answerTo, type ApprovalDecision, settled } from "./approval-decisions.js";
import {
  ApprovalGates,
  type ApprovalRequest,
  type GatedCall,
  type InterruptOnConfig,
  type ToolApprovalRequest,
} from "./approval-gates.js";
import { runEdited } from "./edited-call.js";
import { createMiddleware } from "./middleware.js";
import { withMessages } from "./request-changes.js";

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

const EDITED = "hitlEditedToolCalls";
/** {@link Action}, not exported: so declarations of a user's agents write it out, and need no name for it. */
type Edit = { readonly name: string; readonly args: Record<string, unknown> };
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
  const gates = new ApprovalGates(interruptOn, descriptionPrefix);

  return createMiddleware({
    name: "HumanInTheLoopMiddleware",
    stateSchema: { [EDITED]: field.replace<Readonly<Record<string, Edit>>>({ private: true }) },
    afterModel: async (state, runtime) => {
      const calls = callsOf(lastTurn(state.messages).ai);
      if (mode === "per_call" || calls.length === 0) return undefined;
      const waiting = await Promise.all(calls.map((toolCall) => gates.of({ toolCall, state, runtime })));
      if (waiting.some(Boolean)) return askForAll(gates, calls, waiting, state, runtime);
      return Object.keys((state[EDITED] as object | undefined) ?? {}).length > 0 ? { [EDITED]: {} } : undefined;
    },
    // Continuing without an answer leaves calls open, and models refuse open calls.
    wrapModelCall: (request, handler) => handler(withMessages(request, patchToolCalls(request.messages))),
    wrapToolCall: async (request, handler) => {
      const { toolCall, state, runtime } = request;
      const decided =
        mode === "per_call" ? await askForOne(gates, { toolCall, state, runtime }) : editOf(state, toolCall);
      if (!decided) return handler(request);
      return "type" in decided ? (decided as ToolOutcome) : runEdited(request, handler, decided, editNotice);
    },
  });
}

/** Asks for all calls of a turn at once. Returns the answers to those that do not run, and the edited calls. */
async function askForAll(
  gates: ApprovalGates,
  calls: readonly ToolCall[],
  waiting: readonly (InterruptOnConfig | undefined)[],
  state: AgentState,
  runtime: Runtime,
) {
  const asked = calls.flatMap((toolCall, at) => (waiting[at] ? [[toolCall, waiting[at]] as const] : []));
  const answer: { decisions?: readonly ApprovalDecision[] } | null | undefined = runtime.interrupt({
    action_requests: await Promise.all(
      asked.map(([toolCall, config]) => gates.shown({ toolCall, state, runtime }, config)),
    ),
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
}

/** Asks for one call, if it needs a yes. Returns what runs in its place, or the message that answers it. */
async function askForOne(gates: ApprovalGates, gated: GatedCall): Promise<Action | LangChainMessage | undefined> {
  const config = await gates.of(gated);
  if (!config) return undefined;
  const { toolCall, runtime } = gated;
  const decision = runtime.interrupt<ApprovalDecision>({
    type: "tool_approval",
    tool_call_id: toolCall.id as string,
    ...(await gates.shown(gated, config)),
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
}

/** Returns the call that runs in place of one, if the turn's answers edited it. */
function editOf(state: AgentState, { id = "" }: ToolCall): Action | undefined {
  const edits = (state[EDITED] ?? {}) as Readonly<Record<string, Action>>;
  return Object.hasOwn(edits, id) ? edits[id] : undefined;
}
