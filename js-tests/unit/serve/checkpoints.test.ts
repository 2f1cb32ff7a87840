// `serveAgUi` and a client that folds: neither sends the other what both have at a checkpoint.
import { HttpAgent } from "@ag-ui/client";
import { AgentCapabilitiesSchema } from "@ag-ui/core/schemas";
import { defineSchema, field, removeMessage, Thread, type AgUiState } from "threadfold";
import { AgUiRunner, type AgUiRunnerOptions } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph, type NodeContext } from "threadfold/graph";
import { serveAgUi, type ServeAgUiOptions } from "threadfold/serve";
import { expect, test } from "vitest";
import { askingTransport } from "../../support/asking-transport";

interface Message {
  readonly id: string;
  readonly type?: string;
  readonly content: unknown;
}

const TEXT = "A sentence of the conversation. ".repeat(12);

/** Answers in parts; "drop" removes the first message, "rewrite" changes it, "ask" asks. */
function graph() {
  return new StateGraph(
    defineSchema({ messages: field.messages(), log: field.append<string>(), mood: field.replace<string>() }),
  )
    .addNode("answer", ({ messages }, ctx: NodeContext) => {
      const list = messages as readonly Message[];
      const asked = list.filter(({ type }) => type === "human").at(-1)?.content;
      const [{ id: first } = { id: "" }] = list;
      const id = `a-${String(list.length).padStart(6, "0")}`;
      for (const content of ["You ", "said ", String(asked)]) ctx.message({ type: "AIMessageChunk", id, content });
      const own =
        asked === "drop"
          ? [removeMessage(first)]
          : asked === "rewrite"
            ? [{ type: "ai", id: first, content: "New" }]
            : [];
      return { messages: [...own, { type: "ai", id, content: `You said ${String(asked)}` }] as never, log: ["said"] };
    })
    .addNode("ask", ({ messages }, { interrupt }) => {
      if (!(messages as readonly Message[]).some(({ content }) => content === "ask")) return {};
      return { messages: [{ type: "ai", id: "asked", content: String(interrupt("Sure?")) }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", "ask")
    .addEdge("ask", END)
    .compile({ checkpointer: new MemorySaver() });
}

interface Sent {
  readonly messages: readonly Message[];
  readonly forwardedProps: { readonly threadfold?: { readonly at?: string; readonly leavesOut?: boolean } };
}

interface Event {
  readonly type: string;
  readonly messages?: readonly Message[];
  readonly metadata?: { readonly threadfold: object };
}

/** A served graph, its pages, and what they send and receive. */
function served(options: ServeAgUiOptions = {}) {
  let own = graph();
  let handler = serveAgUi(own, options);
  const requests: Sent[] = [];
  const received: Event[][] = [];
  const bytes = { sent: 0, received: 0 };
  const statuses: string[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    const response = await handler(new Request(url, init));
    statuses.push(`${init?.method ?? "GET"} ${response.status}`);
    if (typeof init?.body !== "string") return response;
    const text = await response.clone().text();
    bytes.sent += init.body.length;
    bytes.received += text.length;
    requests.push(JSON.parse(init.body) as Sent);
    received.push(eventsOf(text));
    return response;
  };
  const page = (more: Partial<AgUiRunnerOptions> = {}, thread = new Thread<AgUiState>({ threadId: "t" })) =>
    new AgUiRunner(thread, {
      ...(more.resumable
        ? { url: "http://page/agent", fetch }
        : { transport: askingTransport("http://page/agent", fetch) }),
      ...more,
    });
  /** A page that knows what the server can do, and where it is. */
  const warm = async (more?: Partial<AgUiRunnerOptions>) => {
    const runner = page(more);
    for (const text of ["one", "two"]) expect((await runner.sendMessage(text)).status).toBe("finished");
    return runner;
  };
  const kept = async () => {
    const answer = await handler(new Request("http://page/agent/threads/t"));
    return (await answer.json()) as { messages: Message[]; state: object; checkpoint?: string };
  };
  const inStep = async ({ thread }: { readonly thread: Thread<AgUiState> }) => {
    const { messages, state } = await kept();
    expect(thread.getState()).toEqual({ ...state, messages });
    expect(thread.pending).toEqual([]);
  };
  const lose = () => {
    own = graph();
    handler = serveAgUi(own, options);
  };
  const fill = (messages: object[]) => own.updateState({ threadId: "t" }, { messages: messages as never }, "ask");
  return { fetch, requests, received, bytes, statuses, page, warm, kept, inStep, lose, fill, handler: () => handler };
}

const eventsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as Event);

const contents = ({ messages }: { readonly messages: readonly Message[] }) => messages.map(({ content }) => content);
const snapshots = (events: readonly Event[] | undefined) =>
  events?.filter(({ type }) => type.endsWith("_SNAPSHOT")).map(({ type, messages }) => [type, messages?.length]);

test("the server declares what it can do, in AG-UI's form", async () => {
  const asked = async (handler: ReturnType<typeof serveAgUi>) =>
    (await handler(new Request("http://page/agent/capabilities"))).json();
  const told = await asked(serveAgUi(graph(), { resumable: true }));
  expect(AgentCapabilitiesSchema.parse(told)).toEqual({
    transport: { streaming: true, resumable: true },
    state: { snapshots: true, deltas: true, persistentState: true },
    humanInTheLoop: { supported: true, interrupts: true },
    custom: { threadfold: { folds: true, steers: true } },
  });
  const forgets = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("a", () => ({}))
    .addEdge(START, "a")
    .addEdge("a", END)
    .compile();
  expect(await asked(serveAgUi(forgets))).toMatchObject({
    transport: { resumable: false },
    state: { persistentState: false },
  });
  expect(await asked(serveAgUi(forgets))).not.toHaveProperty("custom");
  // The server does not know how an application changes the events.
  expect(await asked(serveAgUi(graph(), { onEvents: (events) => events }))).not.toHaveProperty("custom");
});

test("the bytes of a turn do not grow with the messages", async () => {
  const perTurn = async (length: number) => {
    const { fill, page, bytes, inStep, requests, received } = served({ resumable: true });
    await fill(
      Array.from({ length }, (_, at) => ({ type: at % 2 ? "ai" : "human", id: `m${at}`, content: `${TEXT}${at}` })),
    );
    const runner = page({ resumable: true });
    await runner.load();
    await new Promise((resolve) => setTimeout(resolve, 0));
    const turns = [];
    for (const text of ["first", "later"]) {
      bytes.sent = bytes.received = 0;
      expect((await runner.sendMessage(text)).status).toBe("finished");
      turns.push({ ...bytes });
      await inStep(runner);
    }
    expect(requests.map(contents)).toEqual([["first"], ["later"]]);
    expect(received.map(snapshots)).toEqual([[], []]);
    return turns;
  };
  const few = await perTurn(100);
  expect(few[0]?.received).toBeLessThan(2_500);
  expect(await perTurn(1_000)).toEqual(few);
});

test("beside it, an HttpAgent of the same graph sends and receives all, as ever", async () => {
  const { warm, fetch, requests, received, inStep } = served();
  const runner = await warm();
  const agent = new HttpAgent({ url: "http://page/agent", threadId: "t", fetch: fetch as never });
  agent.setMessages(structuredClone(runner.thread.getState().messages) as never);
  agent.addMessage({ id: "q", role: "user", content: "three" });
  await agent.runAgent();
  expect(requests.at(-1)?.messages).toHaveLength(5);
  expect(snapshots(received.at(-1))).toEqual([
    ["STATE_SNAPSHOT", undefined],
    ["MESSAGES_SNAPSHOT", 6],
  ]);
  expect(JSON.stringify(received.at(-1))).not.toContain("threadfold");
  // The page is at an earlier checkpoint: the server answers 412, and the page sends all.
  expect((await runner.sendMessage("four")).status).toBe("finished");
  expect(requests.slice(-2).map(({ messages }) => messages.length)).toEqual([1, 5]);
  await inStep(runner);
  expect(contents(runner.thread.getState() as never)).toEqual(
    ["one", "two", "three", "four"].flatMap((text) => [text, `You said ${text}`]),
  );
});

test("a snapshot that says more than the events begins where the client's messages differ", async () => {
  const { warm, received, requests, inStep } = served();
  const runner = await warm();
  await runner.sendMessage("three");
  expect(snapshots(received.at(-1))).toEqual([]);
  await runner.sendMessage("rewrite");
  expect(snapshots(received.at(-1))).toEqual([["MESSAGES_SNAPSHOT", 8]]);
  await inStep(runner);
  await runner.sendMessage("drop");
  expect(snapshots(received.at(-1))?.at(-1)).toEqual(["MESSAGES_SNAPSHOT", 9]);
  await inStep(runner);
  await runner.regenerate({ messageId: runner.thread.getState().messages[5]?.id as string });
  expect(requests.at(-1)?.messages).toHaveLength(1);
  await inStep(runner);
  await runner.sendMessage("edited", { messageId: runner.thread.getState().messages[5]?.id as string });
  expect(requests.at(-1)?.messages.map(({ content }) => content)).toEqual(["edited"]);
  expect(snapshots(received.at(-1))).toEqual([["MESSAGES_SNAPSHOT", 1]]);
  await inStep(runner);
});

test("answers to interrupts leave out all that was said", async () => {
  const { warm, requests, received, inStep } = served();
  const runner = await warm();
  expect((await runner.sendMessage("ask")).status).toBe("interrupted");
  expect((await runner.resume({ value: "Yes" })).status).toBe("finished");
  expect(requests.at(-1)?.messages).toEqual([]);
  // The graph's answer came without parts: only a snapshot has it.
  expect(snapshots(received.at(-1))).toEqual([]);
  await inStep(runner);
});

test("fields that the page sends come back with the whole state", async () => {
  const { warm, received, inStep } = served();
  const runner = await warm();
  await runner.sendMessage("three", { input: { mood: "calm", log: ["mine"] } as never });
  expect(snapshots(received.at(-1))).toEqual([["STATE_SNAPSHOT", undefined]]);
  expect(runner.thread.getState()).toMatchObject({ mood: "calm", log: ["said", "said", "mine", "said"] });
  await inStep(runner);
});

test("a server that lost its threads gets the whole conversation", async () => {
  const { warm, lose, statuses, requests, inStep, kept } = served();
  const runner = await warm();
  lose();
  statuses.length = 0;
  expect((await runner.sendMessage("three")).status).toBe("finished");
  expect(statuses).toEqual(["POST 412", "POST 200"]);
  expect(requests.at(-1)?.forwardedProps).toEqual({ threadfold: { at: expect.any(String) as string } });
  expect(contents(await kept())).toEqual(["one", "You said one", "two", "You said two", "three", "You said three"]);
  await inStep(runner);
});

test("a page that joins a run gets its events whole", async () => {
  const { warm, page, handler, requests, inStep, received } = served({ resumable: true });
  const runner = await warm({ resumable: true });
  await runner.sendMessage("three");
  expect(snapshots(received.at(-1))).toEqual([]);
  const { runId } = requests.at(-1) as unknown as { runId: string };
  const joined = eventsOf(await (await handler()(new Request(`http://page/agent/threads/t/runs/${runId}`))).text());
  // The messages after the input, and those at the end.
  expect(snapshots(joined)).toEqual([
    ["STATE_SNAPSHOT", undefined],
    ["MESSAGES_SNAPSHOT", 5],
    ["MESSAGES_SNAPSHOT", 6],
  ]);
  const other = page({ resumable: true });
  await other.load();
  await inStep(other);
});

test("the option `messages` wins", async () => {
  for (const [messages, length] of [
    ["whole", 5],
    ["new", 1],
    [(list: readonly object[]) => list.slice(-3), 3],
  ] as const) {
    const { warm, requests, inStep, lose, statuses } = served();
    const runner = await warm({ messages });
    await runner.sendMessage("three");
    expect(requests.at(-1)?.messages).toHaveLength(length);
    expect(requests.at(-1)?.forwardedProps.threadfold).toEqual({ at: expect.any(String) as string });
    await inStep(runner);
    lose();
    await runner.sendMessage("four");
    expect(statuses).not.toContain("POST 412");
  }
});

test("the application does not see what the client says of its folding", async () => {
  const seen: unknown[] = [];
  const { warm, requests } = served({ config: ({ forwardedProps }) => void seen.push(forwardedProps) });
  const runner = await warm({ forwardedProps: { mine: 1 } });
  await runner.sendMessage("three");
  expect(requests.at(-1)?.forwardedProps).toMatchObject({ mine: 1, threadfold: { leavesOut: true } });
  expect(seen).toEqual([{ mine: 1 }, { mine: 1 }, { mine: 1 }, ...seen.slice(3)]);
});

test("messages that the page changed since are sent, and with them all others", async () => {
  const { warm, requests, inStep } = served();
  const runner = await warm();
  const { thread } = runner;
  thread.update({ messages: [{ id: "own", role: "user", content: "Own" }] });
  await runner.sendMessage("three");
  expect(requests.at(-1)?.messages).toHaveLength(6);
  await inStep(runner);
});
