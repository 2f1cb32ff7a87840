import type { GraphEvent } from "../../ag-ui/graph/graph-event.js";
import { latestFirst } from "../latest-first.js";

/** The events that begin something, with those that end it and the field that names it. */
const PAIRS = [
  ["TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "messageId"],
  ["REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "messageId"],
  ["REASONING_START", "REASONING_END", "messageId"],
  ["TOOL_CALL_START", "TOOL_CALL_END", "toolCallId"],
  ["STEP_STARTED", "STEP_FINISHED", "stepName"],
  ["SUBAGENT_STARTED", "SUBAGENT_FINISHED", "subagentRunId"],
] as const;

/** The events that a run has sent so far: what of them is open. */
export class SentEvents {
  hasStarted = false;
  hasFinished = false;
  readonly #open = new Map<string, GraphEvent>();

  /** @param part - A part of the run's log. */
  add(part: string): void {
    if (!part.startsWith("data: ")) return;
    const event = JSON.parse(part.slice("data: ".length)) as GraphEvent;
    if (event.type === "RUN_STARTED") this.hasStarted = true;
    if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") this.hasFinished = true;
    if (event.type === "SUBAGENT_ERROR") this.#open.delete(`SUBAGENT_FINISHED ${String(event["subagentRunId"])}`);
    for (const [starts, ends, name] of PAIRS) {
      const key = `${ends} ${String(event[name])}`;
      if (event.type === starts) this.#open.set(key, { type: ends, [name]: event[name] });
      if (event.type === ends) this.#open.delete(key);
    }
  }

  /** The events that end what is open, the last to begin first. */
  closing(): GraphEvent[] {
    return latestFirst(this.#open.values());
  }
}
