// The snapshot that closes a run: it begins before whatever the run's events changed on a page that folds them.
import {
  MessagesAnnotation,
  END as LG_END,
  MemorySaver as LgSaver,
  START as LG_START,
  StateGraph as LgGraph,
} from "@langchain/langgraph";
import { HttpAgent } from "@ag-ui/client";
import { AIMessage, RemoveMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { removeMessage, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { serveAgUi } from "threadfold/serve";
import { expect, test } from "vitest";

type Node = (messages: readonly BaseMessage[], turn: number) => BaseMessage[];

/** A page that folds and its server, whose graph runs the nodes in turn. */
function served(...nodes: Node[]) {
  return servedWith(() => {}, ...nodes);
}

function servedWith(onEvent: (thread: Thread<AgUiState>, type: string) => void, ...nodes: Node[]) {
  const graph = new LgGraph(MessagesAnnotation) as unknown as {
    addNode(name: string, node: (state: { messages: BaseMessage[] }) => object): void;
    addEdge(from: string, to: string): void;
    compile(options: object): never;
  };
  const names = nodes.map((_, at) => `n${at}`);
  const turnOf = (messages: readonly BaseMessage[]) =>
    messages.filter((message) => message.getType() === "human").length;
  nodes.forEach((node, at) =>
    graph.addNode(`n${at}`, ({ messages }) => ({ messages: node(messages, turnOf(messages)) })),
  );
  [LG_START, ...names].forEach((name, at) => graph.addEdge(name, names[at] ?? LG_END));
  const handler = serveAgUi(graph.compile({ checkpointer: new LgSaver() }), { resumable: true });
  const snapshots: { messages: { id: string }[]; metadata?: { threadfold: object } }[] = [];
  const leftOut: boolean[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    if (typeof init?.body === "string") leftOut.push(init.body.includes('"leavesOut":true'));
    const response = await handler(new Request(url, init));
    if (init?.method !== "POST") return response;
    for (const line of (await response.clone().text()).split("\n"))
      if (line.includes('"MESSAGES_SNAPSHOT"')) snapshots.push(JSON.parse(line.slice("data: ".length)) as never);
    return response;
  };
  const thread = new Thread<AgUiState>({ threadId: "t" });
  const reported: string[] = [];
  thread.on("error", (error) => reported.push(error.message));
  const runner = new AgUiRunner(thread, {
    url: "http://page/agent",
    resumable: true,
    fetch,
    onEvent: ({ type }) => void onEvent(thread, type),
  });
  const kept = async () => {
    const answer = await handler(new Request("http://page/agent/threads/t"));
    return ((await answer.json()) as { messages: AgUiState["messages"] }).messages;
  };
  /** Runs a turn; returns the page's ids, which are the server's. */
  const turn = async (id: string) => {
    expect((await runner.sendMessage({ role: "user", id, content: "q" })).status).toBe("finished");
    const { messages } = thread.getState();
    expect(messages).toEqual(await kept());
    expect(reported).toEqual([]);
    return messages.map((message) => message.id).join(" ");
  };
  return { turn, kept, fetch, snapshots, leftOut, runner, thread };
}

const says = (id: string) => new AIMessage({ id, content: "ok", response_metadata: { model: "m" } });
const calls = (id: string, call: string, args: object) =>
  new AIMessage({
    id,
    content: "",
    response_metadata: { model: "m" },
    tool_calls: [{ id: call, name: "f", args: args as never }],
  });

test("a late result of an earlier turn's call is in its place, and no message is lost", async () => {
  const { turn, snapshots, leftOut } = served((_, n) =>
    n === 1
      ? [calls("A1", "c1", { x: 1 })]
      : n === 3
        ? [new ToolMessage({ id: "T1", content: "late", tool_call_id: "c1" })]
        : [says(`A${n}`)],
  );
  await turn("u1");
  await turn("u2");
  expect(await turn("u3")).toBe("u1 A1 u2 A2 u3 T1");
  // The page had put the result directly after its call.
  expect(snapshots.at(-1)).toMatchObject({ metadata: { threadfold: { after: "A1", keeps: 2 } } });
  expect(await turn("u4")).toBe("u1 A1 u2 A2 u3 T1 u4 A4");
  expect(await turn("u5")).toBe("u1 A1 u2 A2 u3 T1 u4 A4 u5 A5");
  expect(snapshots.at(-1)?.messages).toHaveLength(2);
  // The first run asks for the server's capabilities, and the second may begin before the answer is there.
  expect(leftOut.slice(2)).toEqual([true, true, true]);
});

test("a call's id that is used again changes no message of an earlier turn", async () => {
  const { turn } = served(
    (_, n) => [calls(`A${n}`, "call_0", { turn: n })],
    (_, n) => [new ToolMessage({ id: `T${n}`, content: `result ${n}`, tool_call_id: "call_0" })],
    (_, n) => [says(`E${n}`)],
  );
  for (const id of ["u1", "u2", "u3"]) await turn(id);
  expect(await turn("u4")).toBe("u1 A1 T1 E1 u2 A2 T2 E2 u3 A3 T3 E3 u4 A4 T4 E4");
});

test("a second result of the same call leaves the first one as it is", async () => {
  const { turn } = served((_, n) =>
    n === 1
      ? [calls("A1", "c1", {}), new ToolMessage({ id: "T1", content: "one", tool_call_id: "c1" })]
      : [new ToolMessage({ id: `T${n}`, content: `more ${n}`, tool_call_id: "c1" })],
  );
  await turn("u1");
  expect(await turn("u2")).toBe("u1 A1 T1 u2 T2");
  expect(await turn("u3")).toBe("u1 A1 T1 u2 T2 u3 T3");
});

test("a message that its own node takes back leaves an empty list empty", async () => {
  const { turn, fetch } = served(
    () => [new RemoveMessage({ id: "__remove_all__" })],
    () => [new AIMessage({ id: "S", content: "private scratch" }), new RemoveMessage({ id: "S" })],
  );
  for (const id of ["u1", "u2", "u3"]) expect(await turn(id)).toBe("");
  const agent = new HttpAgent({ url: "http://page/agent", fetch, threadId: "peer" });
  agent.addMessage({ id: "u1", role: "user", content: "q" });
  await agent.runAgent();
  expect(agent.messages).toEqual([]);
});

test("a page that does not have what a snapshot leaves out keeps its messages, and gets all of them with the next run", async () => {
  let isDisturbed = false;
  // Another source takes a message of the server's away while the run goes on.
  const disturb = (thread: Thread<AgUiState>, type: string) => {
    if (isDisturbed && type === "STEP_FINISHED")
      thread.receive({ type: "update", update: { messages: [removeMessage("A1")] } } as never);
  };
  const { kept, leftOut, runner, thread, turn, snapshots } = servedWith(disturb, (_, n) =>
    n === 3 ? [new RemoveMessage({ id: "A2" }), says("A3")] : [says(`A${n}`)],
  );
  await turn("u1");
  await turn("u2");
  const reported: string[] = [];
  thread.on("error", (error) => reported.push(error.message));
  isDisturbed = true;
  await runner.sendMessage({ role: "user", id: "u3", content: "q" });
  isDisturbed = false;
  expect(thread.getState().messages.map(({ id }) => id)).toContain("A2");
  expect(reported).toEqual([
    "MESSAGES_SNAPSHOT: the server's messages up to 'u2' are others. The next run asks for all.",
  ]);
  expect(snapshots.at(-1)).toMatchObject({ metadata: { threadfold: { after: "u2" } } });
  await runner.sendMessage({ role: "user", id: "u4", content: "q" });
  // The page still showed what the server had removed: the server sent it to load the thread.
  expect(leftOut.slice(-2)).toEqual([false, true]);
  const { messages } = thread.getState();
  expect(messages).toEqual(await kept());
  expect(messages.map(({ id }) => id)).toEqual(["u1", "A1", "u2", "u3", "A3", "u4", "A4"]);
});
