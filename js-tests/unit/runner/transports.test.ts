// The ways to an agent, by themselves and with one part replaced.
import { HttpAgent } from "@ag-ui/client";
import { Client } from "@langchain/langgraph-sdk";
import { Thread, type AgUiState } from "threadfold";
import { agentTransport, AgUiRunner, graphTransport, httpTransport, type AgUiTransport } from "threadfold/ag-ui";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { apiTransport, clientTransport, LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";
import { StubServer, until } from "./stub-server.js";
import { agUiWire, langGraphWire, messagesOn } from "./stub-wires.js";

const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", ({ messages }) => ({
    messages: [{ role: "assistant", content: `${String(messages.at(-1)?.content)}!` }],
  }))
  .addEdge(START, "agent")
  .addEdge("agent", END)
  .compile({ checkpointer: new MemorySaver() });

const texts = (thread: { getState(): { messages: readonly { content?: unknown }[] } }) =>
  thread.getState().messages.map(({ content }) => content);

test("a graph in the page", async () => {
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, { transport: graphTransport(graph as never) });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
  expect(texts(thread)).toEqual(["Hi", "Hi!"]);
});

test("an agent of @ag-ui/client", async () => {
  const server = new StubServer(agUiWire);
  const agent = new HttpAgent({ url: "http://stub/agent", fetch: (url, init) => server.fetch(url, init) });
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, { transport: agentTransport(agent) });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
  expect(thread.getConfirmedState().messages).toEqual(messagesOn(server, agUiWire, thread.threadId));
});

test("a resumable server of serve: a new page loads its thread, and a run that it left is joined and stopped", async () => {
  const handler = serveAgUi(graph as never, { resumable: true });
  const requests: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    requests.push(`${init?.method ?? "GET"} ${new URL(url as string).pathname}`);
    return handler(new Request(url as string, init));
  };
  const transport = httpTransport({ url: "http://page/agent", resumable: true, fetch });
  const first = new Thread<AgUiState>();
  await new AgUiRunner(first, { transport }).sendMessage("Hi");
  const thread = new Thread<AgUiState>({ threadId: first.threadId });
  const runner = new AgUiRunner(thread, { url: "http://page/agent", resumable: true, fetch });
  expect([await runner.load(), texts(thread), thread.pending]).toMatchObject([
    { status: "finished" },
    ["Hi", "Hi!"],
    [],
  ]);
  const unknown = new AgUiRunner(new Thread<AgUiState>({ threadId: "unknown" }), { transport });
  expect(await unknown.load()).toMatchObject({ status: "finished" });
  const run = { threadId: first.threadId as string, runId: first.run.id as string };
  const call = { signal: new AbortController().signal };
  expect(await transport.join?.(run, call)).toBeInstanceOf(Response);
  await Promise.resolve(transport.cancel?.(run, call)).catch(() => {});
  const path = `/agent/threads/${run.threadId}/runs/${run.runId}`;
  expect(requests.slice(-2)).toEqual([`GET ${path}`, `DELETE ${path}`]);
});

test("one part of a transport is replaced", async () => {
  const server = new StubServer(agUiWire);
  const told: string[] = [];
  const transport: AgUiTransport = {
    ...httpTransport({ url: "http://stub/agent", fetch: server.fetch }),
    cancel: ({ runId }) => void told.push(runId),
  };
  const runner = new AgUiRunner(new Thread<AgUiState>(), { transport });
  server.holdAt = 4;
  const sent = runner.sendMessage("Hi");
  await until(() => runner.status === "streaming");
  const { id } = runner.thread.run;
  expect(await runner.stop()).toMatchObject({ status: "stopped" });
  expect([await sent, told]).toMatchObject([{ status: "stopped" }, [id]]);
  server.release();
});

test.each(["apiTransport", "clientTransport"])("a LangGraph server by %s", async (way) => {
  const server = new StubServer(langGraphWire);
  const transport =
    way === "apiTransport"
      ? apiTransport({ apiUrl: "http://stub", assistantId: "agent", fetch: server.fetch })
      : clientTransport(
          new Client({ apiUrl: "http://stub", apiKey: null, callerOptions: { fetch: server.fetch, maxRetries: 0 } }),
          { assistantId: "agent" },
        );
  const thread = new Thread();
  const runner = new LangGraphRunner(thread, { transport });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
  const again = new Thread({ threadId: thread.threadId });
  expect(await new LangGraphRunner(again, { transport }).load()).toMatchObject({ status: "finished" });
  expect(again.getConfirmedState().messages).toEqual(messagesOn(server, langGraphWire, thread.threadId));
});

test("a transport without join cannot join, and one beside another way is refused", async () => {
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, {
    transport: {
      async *run({ threadId, runId }) {
        yield { type: "RUN_STARTED", threadId, runId };
        throw new TypeError("terminated");
      },
    },
  });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
  const transport = agentTransport(new HttpAgent({ url: "/agent" }));
  expect(() => new AgUiRunner(thread, { url: "/agent", transport })).toThrow(/takes the option url, or a transport/);
  expect(() => new LangGraphRunner(new Thread(), { transport: {} as never })).toThrow(/transport/);
});
