import { textOf } from "threadfold";
import { createAgent, tool } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { model } from "./model.js"; // or a chat model of LangChain, or one of the AI SDK

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const run = ({ city }: { city: string }) => `21 °C and sunny in ${city}`;
const weather = tool({ name: "get_weather", description: "The weather in a city.", schema, run });
const agent = createAgent({ model, tools: [weather], systemPrompt: "Be brief.", checkpointer: new MemorySaver() });

for (const question of process.argv.slice(2)) {
  const stream = agent.stream({ messages: question }, { threadId: "chat", streamMode: "messages" });
  for await (const [message, { langgraph_node: node }] of stream)
    if (node === "model") process.stdout.write(textOf(message));
  process.stdout.write("\n");
}
