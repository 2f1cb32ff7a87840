// An interrupt of LangGraph, and in the form that folds and runners share.
import { subagentOf } from "./namespace.js";
import { fieldsOf, questionIn, text } from "../stream/interrupt-text.js";
import type { UnnamedInterrupt } from "../stream/run-result.js";

/** A question of the graph to the user. The run continues when you resume it with the answer. */
export interface RunInterrupt {
  readonly id?: string | undefined;
  readonly value?: unknown;
  /** The subgraph that asks. */
  readonly namespace: readonly string[];
}

/** Whether an interrupt is among these. One without an id is always another. */
export const isKnown = (interrupts: readonly RunInterrupt[], { id }: RunInterrupt): boolean =>
  id !== undefined && interrupts.some((known) => known.id === id);

/** Reads an interrupt: its value is the argument of `interrupt()`. */
export function interruptOf(raw: unknown): UnnamedInterrupt {
  const { id, value, namespace } = fieldsOf(raw) as unknown as RunInterrupt;
  const subagentId = subagentOf(Array.isArray(namespace) ? namespace : []);
  const { tool_call_id: toolCallId } = (value ?? {}) as { tool_call_id?: unknown };
  return {
    id,
    value,
    message: questionIn(value),
    toolCallId: text(toolCallId),
    ...(subagentId !== undefined && { subagentId }),
    raw,
  };
}
