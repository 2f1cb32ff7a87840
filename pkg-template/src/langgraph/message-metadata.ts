// The metadata of a streamed message: the second part of the mode `messages`.
import { isDict } from "../shared/dict.js";

/** Whether a middleware's model is summarizing the conversation: its output is not part of it. */
export const isSummarizing = (metadata: unknown): boolean =>
  isDict(metadata) && metadata["lc_source"] === "summarization";

/** Returns the task that streams the message: the namespace of its checkpoints; "" if it does not say. */
export function taskOf(metadata: unknown): string {
  if (!isDict(metadata)) return "";
  const { langgraph_checkpoint_ns: ns, checkpoint_ns: older } = metadata;
  const task = typeof ns === "string" && ns !== "" ? ns : older;
  return typeof task === "string" ? task : "";
}
