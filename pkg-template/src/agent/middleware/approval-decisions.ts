// The decisions of a person about tool calls, checked, and their effect on each call.
import { ThreadfoldError } from "../../shared/errors.js";
import type { LangChainMessage, ToolCall } from "../../state/messages.js";
import { type DecisionType, gateOf, settle, type Settled } from "../decide.js";
import { type Fields, toolMessage } from "../message.js";

/** A decision about a call. */
export type ApprovalDecision =
  | { readonly type: "approve" }
  | { readonly type: "edit"; readonly edited_action: { readonly name: string; readonly args: object } }
  | { readonly type: "edit"; readonly editedAction: { readonly name: string; readonly args: object } }
  | { readonly type: "reject"; readonly message?: string | undefined }
  | { readonly type: "respond"; readonly message: string };

/** A call that runs in place of an edited one. */
export type Action = { readonly name: string; readonly args: Record<string, unknown> };

/** LangChain's words for a decision that does not fit. */
const invalid = (message: string) => new ThreadfoldError("INVALID_ARGUMENT", message);

/** The action that replaces an edited call: the original call must not run. */
export function actionOf(call: ToolCall, decision: ApprovalDecision): Action {
  const { edited_action: action, editedAction = action } = decision as Fields;
  const { name, args } = (editedAction ?? {}) as Partial<Action>;
  const needs = typeof name === "string" ? "args must be an object" : "name must be a string";
  if (typeof name !== "string" || typeof args !== "object" || args === null)
    throw invalid(`Invalid edited action for tool "${call.name}": ${needs}`);
  return editedAction as Action;
}

/** Returns the outcome of each call. If the decisions do not fit, throws LangChain's error. */
export function settled(
  calls: readonly ToolCall[],
  configs: readonly ({ readonly allowedDecisions: readonly DecisionType[] } | undefined)[],
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
  const given = `Unexpected human decision: ${JSON.stringify(decision)}.`;
  if (typeof decision?.type !== "string")
    throw invalid(`${given} Expected one decision for a call, { type }, with a type of ${allowed}.`);
  throw invalid(
    `${given} Decision type '${decision.type}' is not allowed for tool '${calls[why.call]?.name}'. ` +
      `Expected one of ${allowed} based on the tool's configuration.`,
  );
}

/** The message to the model in place of a result. */
export function answerTo(call: ToolCall, decision: ApprovalDecision): LangChainMessage {
  const { message } = decision as { message?: string };
  if (typeof message !== "string" && (message != null || decision.type === "respond"))
    throw invalid(`Tool call response for "${call.name}" must be a string, got ${typeof message}`);
  if (decision.type === "respond") return toolMessage(call, message as string);
  const rejected = `User rejected the tool call for \`${call.name}\` with`;
  const usual = `${rejected} id ${call.id}. The tool was not executed. Do not retry this tool call unless the user explicitly requests it.`;
  return toolMessage(call, message ? `${rejected} reason: ${message}` : usual, "error");
}
