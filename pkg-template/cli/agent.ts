// `threadfold agent`: a server for the first page. Its agent needs no key, because its model is a function.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { textOf } from "threadfold";
import { createAgent, tool, type FunctionModel, type ToolRuntime } from "threadfold/agent";
import { MemorySaver } from "threadfold/checkpoint";
import { serveAgUi, serveLangGraph, toNodeListener } from "threadfold/serve";
import { Unreadable } from "./read.js";

/** The agent's name over LangGraph's API. */
const ASSISTANT = "agent";
/** Between two words, in ms: slow enough to be seen. */
const PACE = 25;

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

const weather = tool({
  name: "get_weather",
  description: "The weather in a city.",
  schema: city,
  run: ({ city }: { city: string }) => `21 °C and sunny in ${city}`,
});

const book = tool({
  name: "book_table",
  description: "Books a table in a city. Asks first.",
  schema: city,
  run({ city }: { city: string }, { interrupt }: ToolRuntime) {
    const answer = interrupt({ message: `Book a table for two in ${city}?` }) as boolean | { approved?: boolean };
    const isApproved = answer === true || (typeof answer === "object" && answer?.approved === true);
    return isApproved ? `a table in ${city} is booked` : "nothing is booked";
  },
});

/** Calls a tool where the question is about one, else repeats the message. */
const model: FunctionModel = async (messages, { onToken, signal }) => {
  const last = messages.at(-1);
  const text = textOf(last);
  const [, name = "Rome"] = /\bin (\p{Lu}\p{L}+)/u.exec(text) ?? [];
  if (last?.type === "human") {
    const wanted = /\bbook/i.test(text) ? book : /\bweather/i.test(text) ? weather : undefined;
    if (wanted) return { content: "", tool_calls: [{ name: wanted.name, args: { city: name } }] };
  }
  const answer =
    last?.type === "tool" ? `Done: ${text}.` : `You said: ${text}. Ask me for the weather in Rome, or to book a table.`;
  for (const word of answer.match(/\s*\S+/g) ?? []) {
    if (signal?.aborted) break;
    onToken(word);
    await new Promise((resolve) => setTimeout(resolve, PACE));
  }
  return answer;
};

/**
 * Serves the agent on this computer until the process ends: over AG-UI at /agent, over LangGraph's API at /.
 *
 * @returns the lines that say where.
 * @throws Unreadable if the port is taken.
 */
export async function serveAgent(port: number): Promise<string[]> {
  const agent = createAgent({ model, tools: [weather, book], checkpointer: new MemorySaver() });
  const agUi = serveAgUi(agent, { cors: true, resumable: true });
  const langGraph = serveLangGraph({ [ASSISTANT]: agent }, { cors: true });
  const server = createServer(
    toNodeListener((request) => (new URL(request.url).pathname.startsWith("/agent") ? agUi : langGraph)(request)),
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "localhost", resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new Unreadable(`Port ${port} is taken: give another with --port.`);
  });
  const address = `http://localhost:${(server.address() as AddressInfo).port}`;
  return [
    "An agent without a model answers until you press Ctrl+C.",
    `AG-UI      openAgUi({ url: "${address}/agent" })`,
    `LangGraph  openLangGraph({ apiUrl: "${address}", assistantId: "${ASSISTANT}" })`,
  ];
}
