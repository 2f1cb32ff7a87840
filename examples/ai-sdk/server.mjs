// A route as the AI SDK has it, with a made-up model: `node server.mjs`, then POST http://localhost:8001.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createUIMessageStream, pipeUIMessageStreamToResponse } from "ai";

const ANSWER =
  "It is 21 °C and sunny in Rome, with a light wind from the sea. The evening stays warm, and no rain is expected before Thursday.";
const CORS = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };

createServer((request, response) => {
  if (request.method !== "POST") return response.writeHead(204, CORS).end();
  const stream = createUIMessageStream({
    generateId: () => crypto.randomUUID(),
    async execute({ writer }) {
      const tool = { toolCallId: crypto.randomUUID(), toolName: "get_weather" };
      writer.write({ type: "tool-input-available", ...tool, input: { city: "Rome" } });
      writer.write({ type: "tool-output-available", toolCallId: tool.toolCallId, output: "21 °C, sunny" });
      writer.write({ type: "text-start", id: "text" });
      for (const delta of ANSWER.split(/(?<= )/)) {
        writer.write({ type: "text-delta", id: "text", delta });
        await sleep(30);
      }
      writer.write({ type: "text-end", id: "text" });
    },
  });
  pipeUIMessageStreamToResponse({ response, stream, headers: CORS });
}).listen(Number(process.env.PORT ?? 8001));
