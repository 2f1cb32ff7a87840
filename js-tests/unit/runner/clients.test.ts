// The ways to a server other than a URL: the clients of the protocols themselves, and functions.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpAgent } from "@ag-ui/client";
import { Client } from "@langchain/langgraph-sdk";
import { Thread, type AgUiState } from "threadfold";
import { agentTransport, httpTransport, AgUiRunner } from "threadfold/ag-ui";
import { clientTransport, LangGraphRunner } from "threadfold/langgraph";
import { afterEach, expect, test } from "vitest";
import { StubServer, until } from "./stub-server.js";
import { agUiWire, langGraphWire, messagesOn } from "./stub-wires.js";
import { joinAt } from "./stub-transport.js";

const listening: Server[] = [];
afterEach(() => {
  for (const server of listening.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** Puts the stub on a real socket; the client receives events as they are sent. */
async function listen(stub: StubServer): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const part of request.setEncoding("utf8")) body += part as string;
      const gone = new AbortController();
      response.on("close", () => gone.abort());
      const answer = await stub
        .fetch(request.url ?? "/", {
          method: request.method ?? "GET",
          headers: request.headers as Record<string, string>,
          ...(body && { body }),
          signal: gone.signal,
        })
        .catch(() => undefined);
      if (!answer) return response.destroy();
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.flushHeaders();
      try {
        for await (const part of answer.body ?? []) response.write(part);
        response.end();
      } catch {
        response.destroy();
      }
    })();
  }).listen(0, "127.0.0.1");
  listening.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const texts = (thread: { getState(): { messages: readonly { content?: unknown }[] } }) =>
  thread.getState().messages.map(({ content }) => content);

test("an agent of @ag-ui/client: sends, is refused, asks, stops", async () => {
  const stub = new StubServer(agUiWire);
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, {
    transport: agentTransport(new HttpAgent({ url: `${await listen(stub)}/agent` })),
  });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
  stub.faults = { refuse: 500 };
  expect(await runner.sendMessage("Again")).toMatchObject({ status: "error", error: { status: 500 } });
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  await runner.sendMessage("Ask");
  expect(await runner.resume({ value: "left" })).toMatchObject({ status: "finished" });
  stub.holdAt = 4;
  const sent = runner.sendMessage("Hi");
  await until(() => thread.incompleteIds.length > 0);
  await runner.stop();
  expect(await sent).toMatchObject({ status: "stopped" });
  stub.release();
});

test("a client of the LangGraph SDK: sends, is refused, is cut off, asks, stops", async () => {
  const stub = new StubServer(langGraphWire);
  const thread = new Thread();
  const ids: string[] = [];
  const runner = new LangGraphRunner(thread, {
    transport: clientTransport(
      new Client({ apiUrl: await listen(stub), apiKey: null, callerOptions: { maxRetries: 0 } }),
      { assistantId: "agent" },
    ),
    onThreadId: (id) => ids.push(id),
    rejoinDelays: [0, 0, 0],
  });
  expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
  expect(ids).toEqual([thread.threadId]);
  expect(stub.requests[0]).toMatchObject({
    stream_resumable: true,
    on_disconnect: "continue",
    if_not_exists: "create",
  });
  stub.faults = { refuse: 422 };
  expect(await runner.sendMessage("Again")).toMatchObject({ status: "error", error: { status: 422 } });
  expect(await runner.retry()).toMatchObject({ status: "finished" });
  stub.faults = { cut: 3 };
  expect(await runner.sendMessage("Cut")).toMatchObject({ status: "finished" });
  await runner.sendMessage("Ask");
  expect(await runner.resume({ value: "left" })).toMatchObject({ status: "finished" });
  stub.holdAt = 4;
  const sent = runner.sendMessage("Hi");
  await until(() => thread.incompleteIds.length > 0);
  await runner.stop();
  expect(await sent).toMatchObject({ status: "stopped" });
  expect([...stub.runs.values()].at(-1)?.isCancelled).toBe(true);
  stub.release();
  await runner.sendMessage("Last");
  expect(thread.getConfirmedState().messages).toEqual(messagesOn(stub, langGraphWire, thread.threadId));
});

test("the SDK's client, stopped in the tick of the message", async () => {
  const stub = new StubServer(langGraphWire);
  const thread = new Thread();
  const client = new Client({ apiUrl: await listen(stub), apiKey: null });
  thread.threadId = (await client.threads.create()).thread_id;
  const runner = new LangGraphRunner(thread, { transport: clientTransport(client, { assistantId: "agent" }) });
  const sent = runner.sendMessage("One");
  await runner.stop();
  expect(await sent).toMatchObject({ status: "stopped" });
  expect(await runner.sendMessage("Two")).toMatchObject({ status: "finished" });
  expect(texts(thread)[0]).toBe("One");
  expect(thread.getConfirmedState().messages).toEqual(messagesOn(stub, langGraphWire, thread.threadId));
});

test("over a real socket tokens show as they come, and a cut is joined", async () => {
  const stub = new StubServer(agUiWire);
  const url = await listen(stub);
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, {
    transport: {
      ...httpTransport({ url: `${url}/agent`, headers: async () => ({ authorization: "Bearer 1" }) }),
      join: joinAt(fetch, ({ runId }) => `${url}/runs/${runId}`),
    },
    rejoinDelays: [0, 0],
  });
  stub.holdAt = 5;
  stub.faults = { cut: 6 };
  const sent = runner.sendMessage("Hi");
  await until(() => texts(thread)[1] === "You said ");
  expect(runner.status).toBe("streaming");
  stub.release();
  expect(await sent).toMatchObject({ status: "finished" });
  expect(stub.joins).toHaveLength(1);
  expect(thread.getConfirmedState().messages).toEqual(messagesOn(stub, agUiWire, thread.threadId));
});

test("a tool call that is left to the page is answered by a message", async () => {
  const thread = new Thread<AgUiState>();
  const inputs: { messages: object[] }[] = [];
  const runner = new AgUiRunner(thread, {
    tools: () => [{ name: "confirm" }],
    transport: {
      *run(input) {
        inputs.push(input);
        const { threadId, runId } = input;
        yield { type: "RUN_STARTED", threadId, runId };
        if (inputs.length === 1) {
          yield { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "confirm" };
          yield { type: "TOOL_CALL_END", toolCallId: "c1" };
        } else {
          yield { type: "TEXT_MESSAGE_START", messageId: "a2", role: "assistant" };
          yield { type: "TEXT_MESSAGE_CONTENT", messageId: "a2", delta: "Done." };
          yield { type: "TEXT_MESSAGE_END", messageId: "a2" };
        }
        yield { type: "RUN_FINISHED", threadId, runId };
      },
    },
  });
  expect(await runner.sendMessage("Go")).toMatchObject({ status: "finished", pendingToolCallIds: ["c1"] });
  expect(await runner.sendMessage({ role: "tool", toolCallId: "c1", content: "yes", id: "t1" })).toMatchObject({
    status: "finished",
  });
  expect(texts(thread)).toEqual(["Go", undefined, "yes", "Done."]);
  expect(inputs[1]?.messages).toHaveLength(3);
});

test("an interrupt that comes by the custom event on_interrupt is answered in ag-ui-langgraph's own way", async () => {
  const thread = new Thread<AgUiState>();
  const props: unknown[] = [];
  const runner = new AgUiRunner(thread, {
    forwardedProps: { user: "ada" },
    transport: {
      *run({ threadId, runId, forwardedProps }) {
        props.push(forwardedProps);
        yield { type: "RUN_STARTED", threadId, runId };
        if (props.length === 1) yield { type: "CUSTOM", name: "on_interrupt", value: `{"question":"Send it?"}` };
        yield { type: "RUN_FINISHED", threadId, runId };
      },
    },
  });
  expect(await runner.sendMessage("Go")).toMatchObject({
    status: "interrupted",
    interrupts: [{ value: { question: "Send it?" } }],
  });
  const again = Thread.fromJSON(JSON.parse(JSON.stringify(thread)) as object);
  expect(again.run.status).toBe("interrupted");
  expect(await runner.resume({ value: true })).toMatchObject({ status: "finished" });
  expect(props).toEqual([{ user: "ada" }, { user: "ada", command: { resume: true } }]);
});

test.each([[{}], [{ url: "/agent", transport: agentTransport(new HttpAgent({ url: "/agent" })) }]])(
  "an AgUiRunner takes one way to its agent: %j",
  (options) => {
    expect(() => new AgUiRunner(new Thread<AgUiState>(), options)).toThrow(/the option url, or a transport/);
  },
);

test.each([{ apiUrl: "http://x" }, { assistantId: "agent" }])("a LangGraphRunner needs both: %j", (options) => {
  expect(() => new LangGraphRunner(new Thread(), options as never)).toThrow(/assistantId/);
});
