// An agent that runs inside a node asks: the message whose call waits stays in the conversation.
import { defineSchema, field, Thread, type AgUiState } from "threadfold";
import { AgUiRunner, graphTransport } from "threadfold/ag-ui";
import { createAgent, humanInTheLoopMiddleware, tool } from "threadfold/agent";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";

const agent = createAgent({
  model: (messages) =>
    messages.at(-1)?.type === "tool"
      ? { type: "ai", id: "a2", content: "It is sent." }
      : { type: "ai", id: "a1", content: "I will.", tool_calls: [{ id: "c1", name: "send", args: { to: "Ann" } }] },
  tools: [tool({ name: "send", run: () => "Done." })],
  middleware: [humanInTheLoopMiddleware({ interruptOn: { send: true } })],
});

const graphOf = () =>
  new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("agent", agent)
    .addNode("beside", () => ({ messages: [{ type: "ai" as const, id: "b", content: "Beside." }] }))
    .addEdge(START, "agent")
    .addEdge(START, "beside")
    .compile({ checkpointer: new MemorySaver() });

const TRANSPORTS = {
  "in one program": () => ({ transport: graphTransport(graphOf()) }),
  "a server": () => {
    const serve = serveAgUi(graphOf());
    return {
      url: "http://localhost/agent",
      fetch: async (url: RequestInfo | URL, init?: RequestInit) => serve(new Request(url, init)),
    };
  },
  "a server whose runs are resumable": () => {
    const serve = serveAgUi(graphOf(), { resumable: true });
    const fetch = async (url: RequestInfo | URL, init?: RequestInit) => serve(new Request(url, init));
    return { url: "http://localhost/agent", fetch, resumable: true };
  },
};

test.each(Object.entries(TRANSPORTS))("%s: the message whose call waits is shown", async (_, options) => {
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const runner = new AgUiRunner(thread, options() as never);
  await runner.sendMessage("Send it");
  const shown = () =>
    thread
      .getState()
      .messages.map(({ role, content }) => `${role} ${String(content)}`)
      .sort();
  const asked = ["assistant Beside.", "assistant I will.", "user Send it"];
  expect([runner.status, shown()]).toEqual(["interrupted", asked]);
  const id = runner.interrupts[0]?.id;
  await runner.resume([{ id, value: { decisions: [{ type: "approve" }] } }] as never);
  expect([runner.status, shown()]).toEqual(["ready", [...asked, "assistant It is sent.", "tool Done."].sort()]);
});
