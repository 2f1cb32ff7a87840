// A page that folds updates is as its server, whatever a node writes and whoever else uses the thread.
import { MemorySaver as TheirSaver, MessagesAnnotation, StateGraph as LangGraph } from "@langchain/langgraph";
import { Client } from "@langchain/langgraph-sdk";
import { defineSchema, field, Thread } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { clientTransport } from "threadfold/langgraph";
import { serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { expectAsServer, quietPage, type Between } from "../../support/quiet-page.js";

const schema = defineSchema({
  messages: field.messages(),
  log: field.append<string>(),
  spent: field.reducer((sum: number, more: number) => sum + more, { default: () => 0 }),
});

let made = 0;
const says = (text: string) => ({ messages: [{ type: "ai", id: `${text}${++made}`, content: text }] });

/** A server whose node asks beside another that is done. */
const asking = () =>
  serveLangGraph(
    new StateGraph(schema)
      .addNode("a", () => ({ log: ["a"], spent: 1 }))
      .addNode("ask", (_, ctx) => ({ log: [`answer ${String(ctx.interrupt("?"))}`] }))
      .addEdge(START, "a")
      .addEdge(START, "ask")
      .addEdge("a", END)
      .addEdge("ask", END)
      .compile({ checkpointer: new MemorySaver() }),
  );

const answering = () =>
  serveLangGraph(
    new StateGraph(schema)
      .addNode("a", () => ({ ...says("A"), log: ["a"], spent: 1 }))
      .addNode("b", () => ({ ...says("B"), log: ["b"], spent: 2 }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", END)
      .compile({ checkpointer: new MemorySaver() }),
  );

/** Another client's requests. */
const other = (handler: ReturnType<typeof serveLangGraph>) => async (method: string, path: string, body?: object) => {
  const init = { method, ...(body && { body: JSON.stringify(body) }) };
  const text = await (await handler(new Request(`http://localhost/threads/${path}`, init))).text();
  return (text === "" ? {} : JSON.parse(text)) as never;
};

const WIRES = [
  ["a server that marks its parts", false],
  ["another server", true],
] as const;

describe("an answer beside a node that was done", () => {
  test.each(WIRES)("on %s", async (_, isUnmarked) => {
    const handler = asking();
    const { thread, runner } = quietPage(handler, schema as never, { between: { isUnmarked } });
    const drift: unknown[] = [];
    thread.on("drift", ({ patch }) => drift.push(patch));
    await runner.sendMessage("Hi");
    await expectAsServer(thread, handler);
    await runner.resume({ value: 1 });
    expect(await expectAsServer(thread, handler)).toMatchObject({ log: ["a", "answer 1"], spent: 1 });
    await runner.sendMessage("Next");
    await expectAsServer(thread, handler);
    expect(drift).toEqual([]);
  });

  test("by the SDK's client", async () => {
    const handler = asking();
    const fetch = async (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
    const client = new Client({ apiUrl: "http://localhost", callerOptions: { fetch, maxRetries: 0 } });
    const { thread, runner } = quietPage(
      handler,
      schema as never,
      {
        apiUrl: undefined,
        assistantId: undefined,
        fetch: undefined,
        transport: clientTransport(client as never, { assistantId: "agent" }),
      } as never,
    );
    await runner.sendMessage("Hi");
    await expectAsServer(thread, handler);
    await runner.resume({ value: 1 });
    expect(await expectAsServer(thread, handler)).toMatchObject({ log: ["a", "answer 1"], spent: 1 });
  });
});

test.each([
  ["digest", 403],
  ["digest", 405],
  ["search", 403],
])("a %s that is refused by %d leaves the state to be asked for", async (name, status) => {
  const handler = answering();
  const { thread, runner, between } = quietPage(handler, schema as never, {
    between: {
      refuses: (path) => (path.endsWith(name) ? status : undefined),
      blocks: (blocks) => blocks.toSpliced(3, 1),
    },
  });
  await runner.sendMessage("Hi");
  await expectAsServer(thread, handler);
  delete between.blocks;
  await runner.sendMessage("again");
  await expectAsServer(thread, handler);
});

describe.each(WIRES)("somebody else changes the thread, on %s", (_, isUnmarked) => {
  type Saved = { metadata: { step: number }; checkpoint: object }[];

  test.each<[string, (ask: ReturnType<typeof other>, id: string) => Promise<unknown>]>([
    [
      "by a run from an older checkpoint",
      async (ask, id) => {
        const saved: Saved = await ask("GET", `${id}/history?limit=20`);
        const { checkpoint } = saved.find(({ metadata }) => metadata.step === 2) ?? {};
        const input = { messages: [{ type: "human", id: "edited", content: "two, edited" }] };
        await ask("POST", `${id}/runs/wait`, { assistant_id: "agent", input, checkpoint });
      },
    ],
    [
      "by an update of an older checkpoint",
      async (ask, id) => {
        const [, before]: Saved = await ask("GET", `${id}/history?limit=20`);
        const values = { log: ["by hand"] };
        await ask("POST", `${id}/state`, { values, as_node: "b", checkpoint: before?.checkpoint });
      },
    ],
    [
      "by making it anew",
      async (ask, id) => {
        await ask("DELETE", id);
        for (const text of ["one", "two"])
          await ask("POST", `${id}/runs/wait`, {
            assistant_id: "agent",
            input: { messages: [{ type: "human", id: `other ${text}`, content: text }] },
          });
      },
    ],
  ])("%s", async (_name, change) => {
    const handler = answering();
    const { thread, runner } = quietPage(handler, schema as never, { between: { isUnmarked } });
    await runner.sendMessage("one");
    await runner.sendMessage("two");
    await expectAsServer(thread, handler);
    await change(other(handler), thread.threadId as string);
    await runner.sendMessage("three");
    await expectAsServer(thread, handler);
  });

  test("before a page that does not load it", async () => {
    const handler = answering();
    const before = quietPage(handler, schema as never);
    await before.runner.sendMessage("one");
    const { threadId } = before.thread;
    const { thread, runner, asked } = quietPage(handler, schema as never, {
      threadId: threadId as string,
      between: { isUnmarked },
    });
    await runner.sendMessage("two");
    await expectAsServer(thread, handler);
    const until = asked.length;
    await runner.sendMessage("three");
    await runner.sendMessage("four");
    await expectAsServer(thread, handler);
    expect(asked.slice(until).filter((request) => request.endsWith("/state"))).toEqual([]);
  });
});

describe("values that JSON does not give back", () => {
  const weight = (value: unknown) =>
    value instanceof Map ? 5 : value === null ? 10 : typeof value === "string" ? 100 : 1;
  const counting = defineSchema({
    messages: field.messages(),
    current: field.replace<unknown>(),
    list: field.append<unknown>(),
    count: field.reducer((sum: number, more: unknown) => sum + weight(more), { default: () => 0 }),
  });

  test.each([
    ["undefined", undefined],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["a Date", new Date(5)],
    ["a Map", new Map([["a", 1]])],
  ])("%s", async (_, value) => {
    const graph = new StateGraph(counting)
      .addNode("set", () => ({ current: "busy" }))
      .addNode("clear", () => ({ current: value, list: [value], count: value }))
      .addEdge(START, "set")
      .addEdge("set", "clear")
      .addEdge("clear", END)
      .compile({ checkpointer: new MemorySaver() });
    const handler = serveLangGraph(graph);
    const { thread, runner } = quietPage(handler, counting as never);
    for (const text of ["one", "two", "three"]) {
      await runner.sendMessage(text);
      await expectAsServer(thread, handler);
    }
    if (value === undefined) expect("current" in thread.getConfirmedState()).toBe(false);
  });
});

test.each([
  ["an input that the graph does not take", { input: defineSchema({ messages: field.messages() }) }],
  ["fields outside its output", { output: defineSchema({ messages: field.messages() }) }],
])("%s", async (_, own) => {
  const graph = new StateGraph(schema, own)
    .addNode("a", () => ({ ...says("A"), spent: 1 }))
    .addEdge(START, "a")
    .addEdge("a", END)
    .compile({ checkpointer: new MemorySaver() });
  const handler = serveLangGraph(graph as never);
  const { thread, runner } = quietPage(handler, schema as never);
  // Three runs: the first two are compared anyway.
  for (const text of ["one", "two", "three"]) await runner.sendMessage(text, { input: { log: [text] } } as never);
  await expectAsServer(thread, handler);
});

test("a reducer of the page's that differs is found, and seldom asked for", async () => {
  const handler = answering();
  const wrong = defineSchema({
    ...schema.fields,
    spent: field.reducer((sum: number, more: number) => sum * 2 + more, { default: () => 0 }),
  });
  for (const [declared, requests] of [
    [schema, 4],
    [wrong, 8],
  ] as const) {
    const { thread, runner, asked } = quietPage(handler, declared as never);
    const doubts: object[] = [];
    thread.on("doubt", (doubt) => doubts.push(doubt));
    for (const text of ["1", "2"]) {
      await runner.sendMessage(text);
      await expectAsServer(thread, handler);
    }
    for (const text of ["3", "4", "5", "6", "7", "8", "9"]) await runner.sendMessage(text);
    expect(asked.filter((path) => /digest|search/.test(path))).toHaveLength(requests);
    expect(doubts).toEqual(
      declared === wrong ? Array.from({ length: 4 }, () => ({ field: "spent", reason: "unknown-reducer" })) : [],
    );
  }
});

test.each(WIRES)("a message by its role has LangChain's form, on %s", async (_, isUnmarked) => {
  const graph = new LangGraph(MessagesAnnotation)
    .addNode("a", () => ({ messages: [{ role: "assistant", id: "r", content: "Hello" }] }))
    .addEdge("__start__", "a")
    .compile({ checkpointer: new TheirSaver() });
  const handler = serveLangGraph(graph as never);
  const { thread, runner } = quietPage(handler, undefined, { between: { isUnmarked } });
  const shown: unknown[] = [];
  thread.subscribe(() =>
    shown.push(...(thread.getState().messages as readonly { type?: unknown }[]).map(({ type }) => type)),
  );
  await runner.sendMessage("Hi");
  await expectAsServer(thread, handler);
  expect(thread.getState().messages.at(-1)).toMatchObject({ type: "ai", content: "Hello" });
  expect(shown).not.toContain(undefined);
});

test("load() after a reload finds a run whose id was never heard", async () => {
  const handler = answering();
  const between: Between = { isUnnamed: true };
  const { thread, runner } = quietPage(handler, schema as never, { between });
  await runner.sendMessage("one");
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  const answer = async (request: Request) => {
    const response = await handler(request);
    if (!request.url.endsWith("/stream")) return response;
    await response.text();
    resolve();
    return new Promise<Response>(() => {});
  };
  const left = quietPage(answer, schema as never, { thread, between });
  void left.runner.sendMessage("two");
  await promise;
  const saved = JSON.parse(JSON.stringify(thread)) as object;
  const reloaded = quietPage(handler, schema as never, { thread: Thread.fromJSON(saved, { schema }) as never });
  expect(await reloaded.runner.load()).toMatchObject({ status: "finished", error: undefined });
  await expectAsServer(reloaded.thread, handler);
});

describe.each(WIRES)("while a run asks, on %s", (_, isUnmarked) => {
  test("a message that somebody else removed is in doubt until the answer", async () => {
    const handler = serveLangGraph(
      new StateGraph(schema)
        .addNode("ask", ({ messages }, ctx) =>
          messages.length > 3 ? { log: [`answer ${String(ctx.interrupt("?"))}`] } : says("fine"),
        )
        .addEdge(START, "ask")
        .addEdge("ask", END)
        .compile({ checkpointer: new MemorySaver() }),
    );
    const { thread, runner } = quietPage(handler, schema as never, { between: { isUnmarked } });
    await runner.sendMessage("secret");
    const [secret] = thread.messageIds;
    await runner.sendMessage("more");
    await other(handler)("POST", `${thread.threadId}/state`, {
      values: { messages: [{ type: "remove", id: secret }] },
      as_node: "ask",
    });
    expect(await runner.sendMessage("next")).toMatchObject({ status: "interrupted" });
    expect(thread.doubts.map(({ field }) => field)).toContain("messages");
    expect(await runner.resume({ value: 1 })).toMatchObject({ status: "finished" });
    await expectAsServer(thread, handler);
  });

  test("a draft that no node returned is in doubt until the answer", async () => {
    const handler = serveLangGraph(
      new StateGraph(schema)
        .addNode("think", (_, ctx) => {
          ctx.message({ type: "AIMessageChunk", id: "draft", content: "a draft" });
          return { log: ["thought"] };
        })
        .addNode("ask", (_, ctx) => ({ log: [`answer ${String(ctx.interrupt("?"))}`] }))
        .addEdge(START, "think")
        .addEdge("think", "ask")
        .compile({ checkpointer: new MemorySaver() }),
    );
    const { thread, runner } = quietPage(handler, schema as never, { between: { isUnmarked } });
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "interrupted" });
    await runner.load();
    if (thread.getConfirmedMessage("draft")) expect(thread.doubts.map(({ field }) => field)).toContain("messages");
    expect(await runner.resume({ value: 1 })).toMatchObject({ status: "finished" });
    await expectAsServer(thread, handler);
  });

  test("tasks that finish out of order are folded in order once the super-step is saved", async () => {
    const handler = serveLangGraph(
      new StateGraph(schema)
        .addNode("a", async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          return { ...says("A"), log: ["a"] };
        })
        .addNode("b", () => ({ ...says("B"), log: ["b"] }))
        .addNode("ask", (_, ctx) => ({ log: [`answer ${String(ctx.interrupt("?"))}`] }))
        .addEdge(START, "a")
        .addEdge(START, "b")
        .addEdge(["a", "b"], "ask")
        .compile({ checkpointer: new MemorySaver() }),
    );
    const { thread, runner } = quietPage(handler, schema as never, { between: { isUnmarked } });
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "interrupted" });
    await expectAsServer(thread, handler);
    expect(await runner.resume({ value: 1 })).toMatchObject({ status: "finished" });
    expect(await expectAsServer(thread, handler)).toMatchObject({ log: ["a", "b", "answer 1"] });
  });
});
