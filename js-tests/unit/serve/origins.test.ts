// Which pages may call both servers: by the headers that a browser sends, and a page cannot change.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpAgent } from "@ag-ui/client";
import { Client } from "@langchain/langgraph-sdk";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, toNodeListener, type FetchHandler } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import type { Cors } from "../../../pkg-template/src/serve/origins.js";

/** A graph that counts its runs. */
function counting() {
  const ran = { times: 0 };
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", () => ((ran.times += 1), { messages: [{ type: "ai" as const, content: "Hello" }] }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
  return { graph, ran };
}

const AG_UI = { threadId: "t", runId: "r", messages: [{ id: "q", role: "user", content: "Hi" }] };
const LANG_GRAPH = { assistant_id: "agent", input: { messages: [{ type: "human", content: "Hi" }] } };
const JSON_TYPE = "application/json";

/** Both servers, with a request of each that runs the graph. */
const SERVERS = [
  ["serve", (cors?: Cors) => started((graph) => serveAgUi(graph, { cors }), "/agent", AG_UI)],
  ["serveLangGraph", (cors?: Cors) => started((graph) => serveLangGraph(graph, { cors }), "/runs/wait", LANG_GRAPH)],
] as const;

function started(make: (graph: ReturnType<typeof counting>["graph"]) => FetchHandler, path: string, body: object) {
  const { graph, ran } = counting();
  const handler = make(graph);
  return {
    ran,
    /**
     * Posts a request that runs the graph, or one without a body. Resolves to the status, with the sentence of a
     * refusal.
     */
    async post(headers: Record<string, string>, sent: BodyInit | null = JSON.stringify(body)) {
      const init = { method: "POST", headers, body: sent };
      const response = await handler(new Request(`https://agent.example${path}`, init));
      const text = await response.text();
      return response.ok ? `${response.status}` : `${response.status} ${text}`;
    },
  };
}

describe.each(SERVERS)("%s", (_, server) => {
  const page = (origin: string, more?: object) => ({ origin, "content-type": JSON_TYPE, ...more });

  test.each<[name: string, headers: Record<string, string>, cors?: Cors]>([
    ["a program, which sends no Origin", {}],
    ["curl, whose content type is a form's", { "content-type": "application/x-www-form-urlencoded" }],
    ["a page of the server", page("https://agent.example")],
    ["one of no content type", { origin: "https://agent.example" }],
    ["one behind a proxy that changes the host", page("https://app.example", { "sec-fetch-site": "same-origin" })],
    ["one behind a proxy that says the host", page("https://app.example", { "x-forwarded-host": "app.example" })],
    ["a page of a named origin", page("https://app.example"), "https://app.example"],
    ["a page of one of them", page("https://b.example"), ["https://a.example", "https://b.example"]],
    ["a page of a named origin, with cookies", page("https://a.example", { cookie: "a=b" }), "https://a.example"],
    ["any page, if all may", page("https://evil.example"), true],
    ["a page without an origin, if all may", page("null"), true],
  ])("lets in %s", async (_name, headers, cors) => {
    const { post, ran } = server(cors);
    expect([await post(headers), ran.times]).toEqual(["200", 1]);
  });

  test.each<[name: string, status: number, headers: Record<string, string>, cors?: Cors]>([
    ["a page of another origin", 403, page("https://evil.example")],
    ["a body that a browser sends without asking", 403, page("https://evil.example", { "content-type": "text/plain" })],
    ["a page without an origin", 403, page("null")],
    ["a page of another port", 403, page("https://agent.example:8443")],
    ["a page of the same site", 403, page("https://agent.example", { "sec-fetch-site": "same-site" })],
    ["an origin that is not the named one", 403, page("https://a.example.evil"), "https://a.example"],
    ["an origin that is none of them", 403, page("https://c.example"), ["https://a.example", "https://b.example"]],
    ["cookies, if all pages may call", 403, page("https://evil.example", { cookie: "session=1" }), true],
    ["text, if all pages may call", 415, page("https://evil.example", { "content-type": "text/plain" }), true],
    ["a form", 415, page("https://evil.example", { "content-type": "multipart/form-data; boundary=x" }), true],
    ["what only looks like JSON", 415, page("https://a.example", { "content-type": "text/json" }), "https://a.example"],
  ])("refuses %s", async (_name, status, headers, cors) => {
    const { post, ran } = server(cors);
    expect(await post(headers)).toMatch(new RegExp(`^${status} {"(error|detail)":"[A-Z].*\\."}$`));
    expect(await post({ "sec-fetch-site": "cross-site", ...headers })).toMatch(new RegExp(`^${status} `));
    expect(ran.times).toBe(0);
  });

  test("refuses a body without a content type of another origin, but no request without a body", async () => {
    const { post, ran } = server(true);
    expect(await post({ origin: "https://evil.example" }, new Blob([JSON.stringify(AG_UI)]))).toMatch(/^415 /);
    expect(ran.times).toBe(0);
    // It comes as far as the fields that a run needs.
    expect(await post({ origin: "https://evil.example" }, null)).toMatch(/^(400 .*threadId|422 .*assistant_id)/);
  });

  test("refuses a page of another origin for any request", async () => {
    const { graph } = counting();
    const handler = serveLangGraph(graph);
    for (const [method, path] of [
      ["POST", "/threads"],
      ["POST", "/threads/t/runs/r/cancel"],
      ["DELETE", "/threads/t"],
      ["GET", "/threads/t"],
      ["PATCH", "/threads/t"],
    ] as const) {
      const init = { method, headers: { origin: "https://evil.example" } };
      expect((await handler(new Request(`https://agent.example${path}`, init))).status).toBe(403);
    }
  });
});

test("the answer lets the page read it: any, or the named one, which may send cookies", async () => {
  const { graph } = counting();
  const answered = async (cors: Cors, origin?: string) => {
    const init = { method: "POST", headers: { "content-type": JSON_TYPE, ...(origin && { origin }) } };
    const { headers } = await serveAgUi(graph, { cors })(
      new Request("https://agent.example/", { ...init, body: JSON.stringify(AG_UI) }),
    );
    return ["access-control-allow-origin", "access-control-allow-credentials", "vary"].map((name) => headers.get(name));
  };
  expect(await answered(true, "https://x.example")).toEqual(["*", null, null]);
  const two = ["https://a.example", "https://b.example"];
  expect(await answered(two, "https://b.example")).toEqual(["https://b.example", "true", "Origin"]);
  expect(await answered(two, "https://c.example")).toEqual(["https://a.example", "true", "Origin"]);
});

test.each(["*", "app.example", "https://app.example/", "null", 1, [["https://a.example"]]])(
  "cors: %j is refused: no browser sends that as an origin",
  (cors) => {
    expect(() => serveAgUi(counting().graph, { cors: cors as never })).toThrow(
      /^cors should be true or origins such as /,
    );
  },
);

test("existing clients still work, over Node", async () => {
  const { graph, ran } = counting();
  const [agUi, langGraph] = [serveAgUi(graph), serveLangGraph(graph)];
  const both: FetchHandler = (request) => (request.url.includes("/agent") ? agUi : langGraph)(request);
  const server = createServer((request, response) => void toNodeListener(both)(request, response));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  const apiUrl = `http://localhost:${port}`;
  const agent = new HttpAgent({ url: `${apiUrl}/agent` });
  agent.messages = [{ id: "q", role: "user", content: "Hi" }];
  await agent.runAgent();
  expect(agent.messages.at(-1)?.content).toBe("Hello");
  const client = new Client({ apiUrl });
  const { thread_id } = await client.threads.create();
  await client.runs.wait(thread_id, "agent", { input: LANG_GRAPH.input });
  const { run_id } = await client.runs.create(thread_id, "agent", { input: LANG_GRAPH.input });
  await client.runs.join(thread_id, run_id);
  // Without a body.
  await client.runs.cancel(thread_id, run_id);
  await client.threads.delete(thread_id);
  const page = { method: "POST", headers: { origin: apiUrl } };
  expect((await fetch(`${apiUrl}/threads/search`, page)).status).toBe(200);
  expect((await fetch(`${apiUrl}/threads/search`, { ...page, headers: { origin: "http://evil" } })).status).toBe(403);
  expect(ran.times).toBe(3);
  server.closeAllConnections();
  server.close();
});
