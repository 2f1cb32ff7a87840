// The demo's agent server: AG-UI over SSE, from Node's own modules alone.
//
//   POST /agent              a RunAgentInput starts a run and is answered by its events. A run id that is known is the
//                            same run once more: from its start, or from behind Last-Event-ID.
//   GET  /agent/runs/ID      the same run, joined again, likewise
//   GET  /agent/threads/ID   what the server has: { messages, state }
//
// The query of a request sets what goes wrong: faults.mjs.
import { Conversation } from "./conversation.mjs";
import { readFaults } from "./faults.mjs";
import { Run } from "./run.mjs";

const BODY_LIMIT = 16 << 20;
/** Older runs and threads are forgotten: the server may stay up for days. */
const KEPT = 200;

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "content-type, accept, last-event-id",
  "access-control-allow-methods": "GET, POST, OPTIONS",
};

/**
 * Returns a handler of requests to `/agent…`; it says false to all others and leaves them alone.
 *
 * @returns {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => boolean}
 */
export function createAgent() {
  const threads = new Map();
  const runs = new Map();

  async function serve(request, response, { pathname, searchParams }) {
    const [, , kind, id] = pathname.split("/").map(decodeURIComponent);
    if (request.method === "OPTIONS") return response.writeHead(204, CORS).end();
    if (request.method === "POST" && kind === undefined) return start(request, response, searchParams);
    if (request.method === "GET" && kind === "runs" && runs.has(id)) {
      return stream(request, response, runs.get(id), readFaults(searchParams));
    }
    if (request.method === "GET" && kind === "threads" && threads.has(id)) {
      const { messages, state } = threads.get(id).conversation;
      return json(response, 200, { messages, state });
    }
    return json(response, 404, { error: `There is no ${request.method} ${pathname}` });
  }

  async function start(request, response, query) {
    const input = await readInput(request);
    const faults = readFaults(query);
    const thread = keep(threads, input.threadId, () => ({ conversation: new Conversation(), last: undefined }));
    if (!runs.has(input.runId) && thread.last && !thread.last.ended) {
      return json(response, 409, { error: `The thread ${input.threadId} has a run that goes on.` });
    }
    const run = keep(runs, input.runId, () => (thread.last = new Run(input, thread, faults)));
    return stream(request, response, run, faults);
  }

  return (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname !== "/agent" && !url.pathname.startsWith("/agent/")) return false;
    serve(request, response, url).catch((error) => {
      if (response.headersSent) response.destroy();
      else
        json(response, error instanceof RangeError || error instanceof SyntaxError ? 400 : 500, {
          error: error.message,
        });
    });
    return true;
  };
}

async function stream(request, response, run, { cut }) {
  response.writeHead(200, { ...CORS, "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  const seen = Number(request.headers["last-event-id"] ?? 0);
  let sent = 0;
  for await (const { text } of run.parts(Number.isInteger(seen) && seen > 0 ? seen + 1 : 1)) {
    if (response.destroyed) return;
    if (sent === cut) {
      // What is written must have left before the connection is torn down.
      await new Promise((resolve) => response.write(text.slice(0, text.length >> 1), resolve));
      return response.destroy();
    }
    response.write(text);
    sent++;
  }
  response.end();
}

async function readInput(request) {
  let text = "";
  request.setEncoding("utf8");
  for await (const part of request) {
    text += part;
    if (text.length > BODY_LIMIT) throw new RangeError("The body is too large.");
  }
  const input = JSON.parse(text);
  for (const key of ["threadId", "runId"]) {
    if (typeof input?.[key] !== "string" || !input[key]) throw new RangeError(`${key}: a string is needed`);
  }
  if (
    !Array.isArray(input.messages) ||
    !input.messages.every((message) => typeof message?.id === "string" && typeof message.role === "string")
  ) {
    throw new RangeError("messages: a list of messages with id and role is needed");
  }
  return input;
}

function json(response, status, body) {
  response.writeHead(status, { ...CORS, "content-type": "application/json" }).end(JSON.stringify(body));
}

/** The entry of a map, made if there is none; the oldest goes when there are too many. */
function keep(map, key, make) {
  const value = map.get(key) ?? make();
  map.delete(key);
  map.set(key, value);
  if (map.size > KEPT) map.delete(map.keys().next().value);
  return value;
}
