// The demo's agent server, from Node's own modules alone: one agent, over AG-UI at /agent (ag-ui.mjs) and as a LangGraph
// deployment at /langgraph (langgraph.mjs). The query of a request sets what goes wrong: faults.mjs; by `from=start` a run
// that is joined is told from its start.
import { agUi } from "./ag-ui.mjs";
import { readFaults } from "./faults.mjs";
import { CORS, json } from "./http.mjs";
import { langGraph } from "./langgraph.mjs";
import { createMemory } from "./memory.mjs";

/**
 * Returns a handler of requests to `/agent…` and `/langgraph…`; it says false to all others and leaves them alone.
 *
 * @returns {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => boolean}
 */
export function createAgent() {
  const protocols = new Map([
    ["agent", agUi(createMemory())],
    ["langgraph", langGraph(createMemory())],
  ]);

  async function serve(request, response, { pathname, searchParams: query }) {
    if (request.method === "OPTIONS") return response.writeHead(204, CORS).end();
    if (query.get("from") === "start") delete request.headers["last-event-id"];
    const [, protocol, ...path] = pathname.split("/").map(decodeURIComponent);
    return protocols.get(protocol)(request, response, path, { faults: readFaults(query) });
  }

  return (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (!protocols.has(url.pathname.split("/")[1])) return false;
    serve(request, response, url).catch((error) => {
      if (response.headersSent) return response.destroy();
      const isAsked = error instanceof RangeError || error instanceof SyntaxError;
      return json(response, isAsked ? 400 : 500, { error: error.message });
    });
    return true;
  };
}
