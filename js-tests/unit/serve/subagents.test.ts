// What a deep agent's sub-agents do is one tree, whatever the wire: the runs API and AG-UI of servers, and the page.
import { HttpAgent } from "@ag-ui/client";
import { type AgUiState, textOf, Thread, type Subagent } from "threadfold";
import { AgUiRunner, graphTransport } from "threadfold/ag-ui";
import { createDeepAgent, tool, type FunctionModel } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { foldGraph, foldLangGraph, LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

const task = (id: string, description: string) => ({
  id,
  name: "task",
  args: { subagent_type: "general-purpose", description },
});

const model: FunctionModel = async (messages, { onToken }) => {
  const asked = messages.findLast(({ type }) => type === "human")?.content as string;
  const isNew = messages.at(-1)?.type !== "tool";
  if (asked === "Go" && isNew) return { content: "", tool_calls: [task("c1", "sights")] };
  if (asked === "Trip" && isNew) return { content: "", tool_calls: [task("c1", "sights"), task("c2", "hotel")] };
  if (asked === "hotel" && isNew)
    return { content: "", tool_calls: [{ id: "c3", name: "book", args: { hotel: "Roma" } }] };
  const text = asked === "Trip" || asked === "Go" ? "Done." : `I wrote about ${asked}.`;
  for (const word of text.split(/(?<= )/)) onToken?.(word);
  return text;
};

const agent = () =>
  createDeepAgent({
    model,
    tools: [tool({ name: "book", run: ({ hotel }: { hotel: string }) => `Booked ${hotel}.` })],
    interruptOn: { book: true },
    checkpointer: new MemorySaver(),
  });

const tree = ({ subagents }: { subagents: readonly Subagent[] }) =>
  subagents.map(({ id, name, toolCallId, parentId, thread }) => {
    expect(id).toMatch(/^tools:[\w-]+$/);
    const { messages } = thread.getState();
    return { name, toolCallId, parentId, status: thread.run.status, texts: messages.map(textOf) };
  });

const SIGHTS = {
  name: "general-purpose",
  toolCallId: "c1",
  parentId: undefined,
  status: "ready",
  texts: ["I wrote about sights."],
};
const ASKED = [SIGHTS, { ...SIGHTS, toolCallId: "c2", status: "interrupted", texts: [""] }];
const ANSWERED = [SIGHTS, { ...SIGHTS, toolCallId: "c2", texts: ["", "Booked Roma.", "I wrote about hotel."] }];
const APPROVED = { decisions: [{ type: "approve" }] };

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
const through =
  (handler: (request: Request) => Promise<Response>): Fetch =>
  (url, init) =>
    handler(new Request(url, init));

const ways: Record<string, () => { thread: Thread<never>; sendMessage: unknown; resume: unknown }> = {
  "serveLangGraph's runs API": () =>
    new LangGraphRunner(new Thread(), {
      apiUrl: "http://server",
      assistantId: "agent",
      subgraphs: true,
      fetch: through(serveLangGraph(agent())),
    } as never) as never,
  "serveLangGraph's runs API with states": () =>
    new LangGraphRunner(new Thread(), {
      apiUrl: "http://server",
      assistantId: "agent",
      subgraphs: true,
      wire: "values",
      fetch: through(serveLangGraph(agent())),
    } as never) as never,
  serveAgUi: () =>
    new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
      url: "http://server/",
      fetch: through(serveAgUi(agent(), { subagents: true })),
    } as never) as never,
  graphTransport: () =>
    new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), { transport: graphTransport(agent()) }) as never,
};

test.each(Object.entries(ways))("%s: an interrupt in a sub-agent is answered through the parent", async (way, make) => {
  const runner = make() as unknown as LangGraphRunner;
  const { thread } = runner;
  const errors: unknown[] = [];
  thread.on("error", (error) => errors.push(error.message));
  const asked = await runner.sendMessage("Trip");
  expect(asked.interrupts.map(({ subagentId }) => subagentId)).toEqual([thread.subagents[1]?.id]);
  const inputs = (list: readonly { readonly texts: string[] }[], texts: string[]) =>
    way.endsWith("states") ? list.map((one, at) => ({ ...one, texts: [texts[at], ...one.texts] })) : list;
  expect(tree(thread)).toEqual(inputs(ASKED, ["sights", "hotel"]));
  const again = Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
  expect(tree(again)).toEqual(tree(thread));
  await runner.resume([{ id: asked.interrupts[0]?.id as string, value: APPROVED }]);
  expect(tree(thread)).toEqual(inputs(ANSWERED, ["sights", "hotel"]));
  expect(thread.getState().messages.map(textOf)).toEqual([
    "Trip",
    "",
    "I wrote about sights.",
    "I wrote about hotel.",
    "Done.",
  ]);
  expect(errors).toEqual([]);
});

test("a graph in the page", async () => {
  const graph = agent();
  const thread = new Thread();
  const config = { threadId: "t", streamMode: ["updates", "messages"], subgraphs: true };
  await foldGraph(thread, graph.stream({ messages: "Trip" } as never, config as never) as never);
  expect(tree(thread)).toEqual(ASKED);
});

test("serveLangGraph's protocol v2", async () => {
  const fetch = through(serveLangGraph(agent()));
  const post = (path: string, body: object) =>
    fetch(`http://server/threads${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const { thread_id: id } = (await (await post("", {})).json()) as { thread_id: string };
  const thread = new Thread({ threadId: id });
  const channels = ["values", "updates", "messages", "tools", "lifecycle", "input"];
  const turn = async (method: string, params: object) => {
    const command = await post(`/${id}/commands`, { id: 1, method, params: { assistant_id: "agent", ...params } });
    expect(await command.json()).toMatchObject({ type: "success" });
    return foldLangGraph(thread, await post(`/${id}/stream/events`, { channels }), { until: "run" });
  };
  const asked = await turn("run.start", { input: { messages: [{ type: "human", id: "q", content: "Trip" }] } });
  expect(asked.interrupts).toHaveLength(1);
  const withInput = (list: readonly { readonly texts: string[] }[]) =>
    list.map((one, at) => ({ ...one, texts: [["sights", "hotel"][at], ...one.texts] }));
  expect(tree(thread)).toEqual(withInput(ASKED));
  await turn("input.respond", { namespace: [], interrupt_id: asked.interrupts[0]?.id, response: APPROVED });
  expect(tree(thread)).toEqual(withInput(ANSWERED));
});

test("@ag-ui/client keeps a run's messages of sub-agents, and what it sends back of them is not the conversation's", async () => {
  const graph = agent();
  const handler = through(serveAgUi(graph, { subagents: true }));
  const client = new HttpAgent({ url: "http://server/", threadId: "t", fetch: handler as never });
  const had = (isOwn: boolean) =>
    client.messages
      .filter((message) => "subagentRunId" in message === isOwn)
      .map((message) => `${message.role}: ${textOf(message)}`);
  const conversation = ["user: Go", "assistant: ", "tool: I wrote about sights.", "assistant: Done."];
  const said = async () =>
    ((await graph.getState({ threadId: "t" })).values as { messages: object[] }).messages.map(textOf);
  client.addMessage({ id: "u1", role: "user", content: "Go" });
  await client.runAgent();
  expect(had(false)).toEqual(conversation);
  expect(had(true)).toEqual(["assistant: I wrote about sights."]);
  client.addMessage({ id: "u2", role: "user", content: "Hi" });
  await client.runAgent();
  expect(had(false)).toEqual([...conversation, "user: Hi", "assistant: I wrote about Hi."]);
  expect(await said()).toEqual(["Go", "", "I wrote about sights.", "Done.", "Hi", "I wrote about Hi."]);
});
