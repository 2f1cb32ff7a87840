// An interrupt of AG-UI in the form that folds and runners share.
import { fieldsOf, questionIn, text } from "../stream/interrupt-text.js";
import type { UnnamedInterrupt } from "../stream/run-result.js";

/** Reads an interrupt: of LangGraph over AG-UI, the argument of `interrupt()` is its value. */
export function interruptOf(raw: unknown): UnnamedInterrupt {
  const { id, message, toolCallId, responseSchema, expiresAt, metadata, ...rest } = fieldsOf(raw);
  const own = (metadata as { langgraph?: { raw?: unknown } } | undefined)?.langgraph;
  const value = "value" in rest ? rest["value"] : own && "raw" in own ? own.raw : metadata;
  return {
    id: text(id),
    value,
    message: text(message) ?? questionIn(value),
    toolCallId: text(toolCallId),
    responseSchema,
    expiresAt: text(expiresAt),
    ...(text(rest["subagentRunId"]) !== undefined && { subagentId: text(rest["subagentRunId"]) }),
    raw,
  };
}
