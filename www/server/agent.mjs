// The demo's agent server: one graph (graph.mjs), served over AG-UI at /agent and as a LangGraph deployment at
// /langgraph. The query of a request sets the faults (faults.mjs); with `from=start` a joined run is replayed from its
// start.
import { setTimeout as sleep } from "node:timers/promises";
import { serveAgUi, serveLangGraph, toNodeListener } from "threadfold/serve";
import { agUiFailure, asServersDo, faulty, langGraphFailure } from "./faulty.mjs";
import { readFaults } from "./faults.mjs";
import { createGraph } from "./graph.mjs";

/** Runs that are over can be joined so many runs later: the server may stay up for days. */
const KEPT = 200;

/**
 * Returns a handler of requests to `/agent…` and `/langgraph…`; it says false to all others and leaves them alone.
 *
 * @returns {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => boolean}
 */
export function createAgent() {
  const handlers = new Map([
    ["agent", agUi(createGraph())],
    ["langgraph", langGraph(createGraph())],
  ]);
  return (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const handler = handlers.get(url.pathname.split("/")[1]);
    if (!handler) return false;
    if (url.searchParams.get("from") === "start") delete request.headers["last-event-id"];
    const cut = Number(url.searchParams.get("cut") ?? Number.NaN);
    void toNodeListener(async (asked) => broken(await handler(asked), cut))(request, response);
    return true;
  };
}

function agUi(graph) {
  const handler = serveAgUi(graph, {
    cors: true,
    resumable: true,
    subagents: true,
    keep: KEPT,
    config: (_, request) => ({ context: asked(request) }),
    onEvents: (events, { threadId }, request) =>
      faulty(asServersDo(events, asked(request), { graph, threadId }), asked(request), {
        graph,
        threadId,
        failure: agUiFailure,
      }),
  });
  // A handler answers wherever it is put; this one is put at /agent alone.
  const isOurs = (request) =>
    /^\/agent(\/capabilities|\/threads\/[^/]+(\/runs\/[^/]+)?)?$/.test(new URL(request.url).pathname);
  return async (request) =>
    isOurs(request) ? handler(request) : Response.json({ error: `There is no ${request.url}` }, NOT_FOUND);
}

const NOT_FOUND = { status: 404, headers: { "access-control-allow-origin": "*" } };

function langGraph(graph) {
  return serveLangGraph(graph, {
    basePath: "/langgraph",
    cors: true,
    keep: KEPT,
    config: (request) => ({ context: asked(request) }),
    onParts: (parts, { threadId }, request) =>
      faulty(parts, asked(request), { graph, threadId, failure: langGraphFailure }),
  });
}

/** The faults that a request asks for. An unknown fault is refused with a sentence. */
function asked(request) {
  try {
    return readFaults(new URL(request.url).searchParams);
  } catch (error) {
    throw Response.json({ error: error.message, detail: error.message }, { status: 400 });
  }
}

/** A connection that breaks after so many parts, in the middle of the next one. The run continues. */
function broken(response, cut) {
  if (!Number.isInteger(cut) || !response.body || response.headers.get("content-type") !== "text/event-stream")
    return response;
  const reader = response.body.getReader();
  let sent = -1; // the first is the heartbeat
  const body = new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      if (sent++ < cut) return controller.enqueue(value);
      controller.enqueue(value.slice(0, value.length >> 1));
      await reader.cancel();
      await sleep(5); // what is written must have left before the connection is torn down
      controller.error(new Error("The connection breaks, as it was asked to."));
    },
    cancel: () => reader.cancel(),
  });
  return new Response(body, response);
}
