import { textOf } from "threadfold";
import { graphTransport, openAgUi } from "threadfold/ag-ui";
import { createAgent, type FunctionModel } from "threadfold/agent";
import { IndexedDBSaver } from "threadfold/checkpoint";

// Needs no key, because it only repeats your message. A chat model of LangChain or of the AI SDK goes here.
const model: FunctionModel = async (messages, { onToken, signal }) => {
  const answer = `You said: ${textOf(messages.at(-1))}`;
  for (const word of answer.match(/\s*\S+/g) ?? []) {
    signal.throwIfAborted();
    onToken(word);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return answer;
};

const graph = createAgent({ model, tools: [], checkpointer: new IndexedDBSaver() });
export const agent = openAgUi({ key: "agent", transport: graphTransport(graph) });
