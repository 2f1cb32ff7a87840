// An agent that runs in the page: a model without a server, and its tool.
import { createAgent, tool } from "threadfold/agent";

const weather = tool({
  name: "get_weather",
  description: "Says what the weather in a city is.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  run: () => "21 °C, sunny",
});

const FORECAST =
  "It is 21 °C and sunny in Rome, with a light wind from the sea. The evening stays warm, and no rain is expected before Thursday.";

export const graph = createAgent({
  tools: [weather],
  // A script in a model's place. A model of @langchain/core or of the AI SDK does as well.
  model: async (messages, { onToken }) => {
    const last = messages.at(-1);
    if (last?.type !== "tool" && /weather/i.test(String(last?.content)))
      return { content: "", tool_calls: [{ id: crypto.randomUUID(), name: "get_weather", args: { city: "Rome" } }] };
    const answer = last?.type === "tool" ? FORECAST : `You said: ${String(last?.content)}`;
    for (const word of answer.match(/\s*\S+/g) ?? []) {
      onToken?.(word);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return answer;
  },
});
