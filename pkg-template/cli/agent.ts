// `threadfold agent`: a server for the first page. Its agent needs no key, because its model is a function.
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { textOf } from "threadfold";
import type { FunctionModel, ToolRuntime } from "threadfold/agent";
import { Unreadable } from "./read.js";

/** The agent's name over LangGraph's API. */
const ASSISTANT = "agent";
/** Between two words, in ms: slow enough to be seen. */
const PACE = 25;

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

const weather = {
  name: "get_weather",
  description: "The weather in a city.",
  schema: city,
  run: ({ city }: { city: string }) => `21 °C and sunny in ${city}`,
};

const book = {
  name: "book_table",
  description: "Books a table in a city. Asks first.",
  schema: city,
  run({ city }: { city: string }, { interrupt }: ToolRuntime) {
    const answer = interrupt({ message: `Book a table for two in ${city}?` }) as true | { approved?: unknown } | null;
    const isApproved = answer === true || answer?.approved === true;
    return isApproved ? `a table in ${city} is booked` : "nothing is booked";
  },
};

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
    onToken(word);
    await sleep(PACE, undefined, { signal });
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
  // The other commands do not wait for these.
  const [{ createServer }, { createAgent, tool }, { MemorySaver }, { serveAgUi, serveLangGraph, toNodeListener }] =
    await Promise.all([
      import("node:http"),
      import("threadfold/agent"),
      import("threadfold/checkpoint"),
      import("threadfold/serve"),
    ]);
  const agent = createAgent({ model, tools: [tool(weather), tool(book)], checkpointer: new MemorySaver() });
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
