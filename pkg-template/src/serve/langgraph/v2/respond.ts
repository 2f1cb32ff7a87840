// Answers to the questions of a thread: `input.respond`.
import { isDict, type Dict } from "../../../shared/dict.js";
import type { RunEvent } from "./protocol-event.js";

/** Reads the answers of the command by the ids of their interrupts. Returns a sentence if there are none. */
export function answersOfCommand({
  responses,
  interrupt_id: id,
  response,
}: Dict): Readonly<Record<string, unknown>> | string {
  if (!Array.isArray(responses))
    return typeof id === "string" ? { [id]: response } : "input.respond requires an interrupt_id.";
  const answers: (readonly [string, unknown])[] = [];
  for (const entry of responses as unknown[]) {
    if (!isDict(entry) || typeof entry["interrupt_id"] !== "string")
      return "input.respond responses entries require an interrupt_id.";
    answers.push([entry["interrupt_id"], entry["response"]]);
  }
  return answers.length > 0 ? Object.fromEntries(answers) : "input.respond requires at least one response.";
}

/** The events of an answer that names interrupts that are not open: the SDK makes an `UnknownInterruptError` of them. */
export function refusal(graph: string, interruptIds: readonly string[], pendingIds: readonly string[]): RunEvent[] {
  const error = `No open interrupt has the id ${interruptIds.join(", ")}. Open are: ${pendingIds.join(", ")}.`;
  const ids = { interrupt_ids: interruptIds, pending_ids: pendingIds };
  const data = { event: "failed", graph_name: graph, error, reason: "unknown_interrupt", ...ids };
  return [{ method: "lifecycle", namespace: [], data }];
}

/** The event of a run that answers questions: other clients of the thread stop asking them. */
export const answered = (ids: readonly string[]): RunEvent => ({
  method: "input.answered",
  namespace: [],
  data: { interrupt_ids: ids },
});
