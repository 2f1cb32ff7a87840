// A page that folds updates is as its server, whatever a node writes and whoever else uses the thread.
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

describe.each(WIRES.slice(1))("somebody else changes the thread, on %s", (_, isUnmarked) => {
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
