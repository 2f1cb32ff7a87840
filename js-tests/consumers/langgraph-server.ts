// As much of a LangGraph deployment as the example asks for: threads, runs that are streamed and joined again, interrupts.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { listening, type Served } from "./serve.js";

type Message = Record<string, unknown> & { id: string; type: string; content: string };

interface RunRequest {
  input?: { messages: Message[] } | null;
  command?: { resume: unknown };
}

interface Thread {
  messages: Message[];
}

interface Run {
  /** What was said, in order: part n has the id n. */
  parts: string[];
  hasEnded: boolean;
  heard: Set<() => void>;
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-expose-headers": "content-location",
};
const PAUSE = 30;

export function serveLangGraph(): Promise<Served> {
  const threads = new Map<string, Thread>();
  const runs = new Map<string, Run>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const [, , threadId = "", , runId = ""] = pathname.split("/");
    const route = pathname.replace(/(?<=^\/threads\/)[^/]+/, "T").replace(/(?<=\/runs\/)[^/]+(?=\/)/, "R");
    switch (`${request.method} ${route}`) {
      case "POST /threads": {
        const thread_id = crypto.randomUUID();
        threads.set(thread_id, { messages: [] });
        return response
          .writeHead(200, { ...CORS, "content-type": "application/json" })
          .end(JSON.stringify({ thread_id }));
      }
      case "POST /threads/T/runs/stream": {
        const id = crypto.randomUUID();
        const run: Run = { parts: [], hasEnded: false, heard: new Set() };
        runs.set(id, run);
        const thread = threads.get(threadId) ?? { messages: [] };
        void work(id, run, thread, (await json(request)) as RunRequest);
        return stream(response, run, 0, `/threads/${threadId}/runs/${id}`);
      }
      case "GET /threads/T/runs/R/stream": {
        const run = runs.get(runId);
        if (!run) return response.writeHead(404, CORS).end();
        return stream(response, run, Number(request.headers["last-event-id"] ?? -1) + 1);
      }
      default:
        return response.writeHead(request.method === "OPTIONS" ? 204 : 404, CORS).end();
    }
  }

  return listening(
    createServer((request, response) => {
      answer(request, response).catch((error) => response.destroy(error as Error));
    }),
  );
}

async function stream(response: ServerResponse, run: Run, from: number, location?: string): Promise<void> {
  response.writeHead(200, {
    ...CORS,
    "content-type": "text/event-stream",
    ...(location && { "content-location": location }),
  });
  for (let at = from; !response.destroyed; at++) {
    while (at >= run.parts.length && !run.hasEnded) await new Promise<void>((resolve) => run.heard.add(resolve));
    const part = run.parts[at];
    if (part === undefined) break;
    response.write(part);
  }
  response.end();
}

/** The graph: goes on whether or not anybody listens. */
async function work(runId: string, run: Run, thread: Thread, { input, command }: RunRequest): Promise<void> {
  const hear = () => {
    for (const resolve of run.heard) resolve();
    run.heard.clear();
  };
  const tell = (event: string, data: unknown) => {
    run.parts.push(`id: ${run.parts.length}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    hear();
  };
  const values = (more?: object) => tell("values", { messages: thread.messages, ...more });
  const say = async (message: Message, pieces: object[]) => {
    for (const piece of pieces) {
      tell("messages", [
        { content: "", ...piece, type: "AIMessageChunk", id: message.id },
        { langgraph_node: "model" },
      ]);
      await sleep(PAUSE);
    }
    thread.messages = [...thread.messages, message];
    values();
  };
  const text = (content: string) =>
    say(
      { type: "ai", id: `${runId}-answer`, content },
      content.split(/(?<= )/).map((content) => ({ content })),
    );

  tell("metadata", { run_id: runId, attempt: 1 });
  thread.messages = [...thread.messages, ...(input?.messages ?? [])];
  values();
  const question = thread.messages.findLast(({ type }) => type === "human")?.content ?? "";
  if (command) await text(command.resume === true ? "Your table is booked." : "I booked nothing.");
  else if (/book/i.test(question))
    values({ __interrupt__: [{ id: `${runId}-ask`, value: "Book the table for two?" }] });
  else if (/weather/i.test(question)) {
    const id = `${runId}-call`;
    const chunk = (name: string | null, args: string) => ({
      tool_call_chunks: [{ name, args, id: name && id, index: 0, type: "tool_call_chunk" }],
    });
    const call = { name: "get_weather", args: { city: "Rome" }, id, type: "tool_call" };
    await say({ type: "ai", id: `${runId}-tools`, content: "", tool_calls: [call] }, [
      chunk("get_weather", ""),
      chunk(null, '{"city":'),
      chunk(null, '"Rome"}'),
    ]);
    thread.messages = [
      ...thread.messages,
      { type: "tool", id: `${runId}-result`, content: "21 °C, sunny", tool_call_id: id },
    ];
    values();
    await text("It is 21 °C and sunny in Rome.");
  } else await text(`You said: ${question}`);
  run.hasEnded = true;
  hear();
}
