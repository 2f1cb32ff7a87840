// Values of a graph as they are sent: messages in LangChain's dicts, whatever class they have.
import { isDict, type Dict } from "../shared/dict.js";
import { tooDeep } from "../shared/too-deep.js";
import { wireMessage } from "../langgraph/message-form.js";

/**
 * Writes a value as JSON. Instances of @langchain/core's messages, wherever they are in it, become dicts.
 *
 * @throws {@link ThreadfoldError} `UNREADABLE_VALUE` for a value that is nested too deep for the engine.
 */
export function wireJson(value: unknown): string {
  try {
    return JSON.stringify(value, dictOfMessage) ?? "null";
  } catch (cause) {
    throw cause instanceof RangeError ? tooDeep(cause) : cause;
  }
}

function dictOfMessage(this: Dict, key: string, after: unknown): unknown {
  const own = this[key];
  return isDict(own) && typeof own["getType"] === "function" ? wireMessage(own) : after;
}
