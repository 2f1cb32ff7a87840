import type { CutOff } from "./chunks.js";
import type { HeldMessage } from "./event-types.js";
import type { FoldingThread } from "./folding-thread.js";

/** Finds what chunks had opened when the stream was cut: the last message of that kind and lane that is not whole. */
export function cutOffIn(thread: FoldingThread): CutOff {
  return (kind, lane) => {
    const { streaming } = thread;
    for (let at = streaming.length - 1; at >= 0; at--) {
      const id = streaming[at] as string;
      const message = thread.message(id) as HeldMessage | undefined;
      if (!message || (message.subagentRunId ?? undefined) !== lane) continue;
      const call = message.toolCalls?.at(-1);
      if (kind === "tool") {
        if (call)
          return { kind, id: call.id, fields: { toolCallName: call.function.name, parentMessageId: message.id } };
      } else if (!call && (message.role === "reasoning") === (kind === "reasoning")) {
        return { kind, id, fields: kind === "text" ? { role: message.role } : {} };
      }
    }
    return undefined;
  };
}
