// As much of a LangGraph deployment as the page asks for: it answers every run with a recorded one.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const recorded = readFileSync(new URL("../../../www/public/runs/langgraph-tool-call.sse", import.meta.url), "utf8");

export interface LangGraphStandIn {
  readonly address: string;
  /** The bodies of the runs that were asked for. */
  readonly asked: unknown[];
  close(): Promise<void>;
}

export async function serveLangGraph(): Promise<LangGraphStandIn> {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    const cors = {
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "*",
      "access-control-expose-headers": "*",
    };
    let text = "";
    request
      .setEncoding("utf8")
      .on("data", (part: string) => (text += part))
      .on("end", () => {
        const path = request.url ?? "";
        if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
        const body = JSON.parse(text) as Record<string, unknown>;
        if (path === "/threads")
          return response
            .writeHead(200, { ...cors, "content-type": "application/json" })
            .end(JSON.stringify({ thread_id: randomUUID(), ...body }));
        if (!/^\/threads\/[^/]+\/runs\/stream$/.test(path)) return response.writeHead(404, cors).end();
        asked.push(body);
        const [message] = (body["input"] as { messages: { id: string; content: string }[] }).messages;
        response.writeHead(200, {
          ...cors,
          "content-type": "text/event-stream",
          "content-location": `${path.replace("stream", "")}recorded`,
        });
        // The recorded question had an id of its own.
        response.end(recorded.replaceAll('"id":"u1"', `"id":${JSON.stringify(message?.id)}`));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
