// The data that is measured with, as LangChain's own objects.
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

const CLASSES = { human: HumanMessage, ai: AIMessage, tool: ToolMessage };

/** Dicts as instances of LangChain's classes. */
export function instances(messages) {
  return messages.map(({ type, ...fields }) => new CLASSES[type](fields));
}
