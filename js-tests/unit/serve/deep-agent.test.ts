// @vitest-environment jsdom
// A deep agent that plans, writes files, delegates, asks and survives a restart. It runs as an AG-UI server for the
// client that CopilotKit uses, and as a LangGraph deployment for useStream.
import { HttpAgent, type Message } from "@ag-ui/client";
import { Client } from "@langchain/langgraph-sdk";
import { useStream, type UseStream } from "@langchain/langgraph-sdk/react";
import { act, createElement } from "react";
import { createDeepAgent, tool, type FunctionModel } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { beforeEach, expect, test } from "vitest";
import { mount, until } from "../react/mount";
import type { RunnableGraph } from "threadfold/ag-ui";

let made = 0;
const calls = (...list: [name: string, args: object][]) => ({
  content: "",
  tool_calls: list.map(([name, args]) => ({ id: `call-${++made}`, name, args })),
});

/** Returns the next step by the messages it gets: a new one, after a restart, continues. */
const model: FunctionModel = async (messages, { onToken }) => {
  const task = messages.find(({ type }) => type === "human")?.content as string;
  const results = messages.filter(({ type }) => type === "tool").map(({ content }) => String(content));
  const todos = (status: string) => ({ todos: [{ content: "Research", status }] });
  const isHelper = task !== "Write a trip to Rome.";
  if (isHelper && results.length === 0) return calls(["write_file", { file_path: `/${task}.md`, content: task }]);
  if (isHelper) return `I wrote about ${task}.`;
  switch (results.length) {
    case 0:
      return calls(["write_todos", todos("in_progress")], ["write_file", { file_path: "/plan.md", content: "Rome" }]);
    case 2:
      return calls(
        ["task", { subagent_type: "general-purpose", description: "sights" }],
        ["task", { subagent_type: "general-purpose", description: "food" }],
      );
    case 4:
      return calls(["book", { hotel: "Roma" }]);
    case 5:
      return calls(["write_todos", todos("completed")]);
    default: {
      for (const word of ["Your trip ", "is planned."]) onToken?.(word);
      return "Your trip is planned.";
    }
  }
};

let booked: string[];
let saver: MemorySaver;
beforeEach(() => {
  booked = [];
  saver = new MemorySaver();
});

/** The agent as a process has it: each is a new one, on the saver's checkpoints. */
const started = (): RunnableGraph =>
  createDeepAgent({
    model,
    tools: [
      tool({
        name: "book",
        run: ({ hotel }: { hotel: string }) => {
          booked.push(hotel);
          return `Booked ${hotel}.`;
        },
      }),
    ],
    interruptOn: { book: true },
    checkpointer: saver,
  });

/** A server that is restarted before each request. */
const restarting =
  (begin: (graph: RunnableGraph) => FetchHandler): ((url: string | URL, init?: RequestInit) => Promise<Response>) =>
  (url, init) =>
    begin(started())(new Request(url, init));

const APPROVED = { decisions: [{ type: "approve" }] };

test("for HttpAgent", async () => {
  const agent = new HttpAgent({
    url: "http://localhost/agent",
    fetch: restarting((graph) => serveAgUi(graph, { interrupts: "outcome" })) as typeof fetch,
  });
  agent.addMessage({ id: "q", role: "user", content: "Write a trip to Rome." });
  const steps: string[] = [];
  await agent.runAgent({}, { onStepStartedEvent: ({ event }) => void steps.push(event.stepName) });
  expect(steps.filter((name) => name === "tools")).toHaveLength(2);
  const [asked] = agent.pendingInterrupts;
  expect(asked).toMatchObject({ message: expect.stringContaining("book") as string });
  expect(booked).toEqual([]);
  expect(Object.keys((agent.state as { files: object }).files).sort()).toEqual(["/food.md", "/plan.md", "/sights.md"]);
  await agent.runAgent({ resume: [{ interruptId: asked?.id ?? "", status: "resolved", payload: APPROVED }] });
  expect(booked).toEqual(["Roma"]);
  expect(agent.state).toMatchObject({ todos: [{ content: "Research", status: "completed" }] });
  const said = agent.messages.map(({ role, content }: Message) => `${role} ${String(content)}`);
  expect(said).toContain("tool I wrote about sights.");
  // The sub-agents' own messages are not in the conversation.
  expect(said.filter((text) => text.startsWith("assistant I wrote"))).toEqual([]);
  expect(said.at(-1)).toBe("assistant Your trip is planned.");
});

test("for useStream", async () => {
  interface State extends Record<string, unknown> {
    messages: { id: string; type: string; content: string }[];
    todos?: object[];
    files?: object;
  }
  const fetch = restarting((graph) => serveLangGraph(graph)) as never;
  const client = new Client({ apiUrl: "http://localhost", apiKey: null as never, callerOptions: { fetch } });
  const shown = { now: undefined as unknown as UseStream<State> };
  function Chat() {
    const options = { client: client as never, assistantId: "agent", messagesKey: "messages" };
    shown.now = useStream<State>(options) as never;
    return null;
  }
  const { root } = await mount(createElement(Chat));
  const done = () => until(() => expect(shown.now.isLoading).toBe(false));
  await act(async () => shown.now.submit({ messages: [{ id: "q", type: "human", content: "Write a trip to Rome." }] }));
  await done();
  expect(shown.now.interrupt?.value).toMatchObject({ action_requests: [{ name: "book", args: { hotel: "Roma" } }] });
  expect(Object.keys(shown.now.values.files ?? {}).sort()).toEqual(["/food.md", "/plan.md", "/sights.md"]);
  await act(async () => shown.now.submit(null, { command: { resume: APPROVED } }));
  await done();
  expect(booked).toEqual(["Roma"]);
  expect(shown.now.values.todos).toEqual([{ content: "Research", status: "completed" }]);
  expect(shown.now.messages.at(-1)?.content).toBe("Your trip is planned.");
  await act(async () => root.unmount());
});
