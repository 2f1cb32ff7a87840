// Values of a graph as they are sent: messages in LangChain's dicts, whatever class they have.
import { isDict, type Dict } from "../langgraph/merge.js";
import { wireMessage } from "../langgraph/message-form.js";

/** Writes a value as JSON. Instances of @langchain/core's messages, wherever they are in it, become dicts. */
export function wireJson(value: unknown): string {
  return (
    JSON.stringify(value, function (this: Dict, key, after: unknown) {
      const own = this[key];
      return isDict(own) && typeof own["getType"] === "function" ? wireMessage(own) : after;
    }) ?? "null"
  );
}
