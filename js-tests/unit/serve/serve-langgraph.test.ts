// serveLangGraph(graph): the LangGraph SDK's client, a LangGraphRunner, and the API's requests.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@langchain/langgraph-sdk";
import { Thread } from "threadfold";
import { foldLangGraph, LangGraphRunner } from "threadfold/langgraph";
import { serveLangGraph, toNodeListener, type FetchHandler } from "threadfold/serve";
import { afterEach, describe, expect, test } from "vitest";
import { LIBRARIES } from "./libraries";

interface Message {
  readonly type: string;
  readonly id: string;
  readonly content: string;
}

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listening(handler: FetchHandler): Promise<string> {
  const server = createServer(toNodeListener(handler));
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client that reaches the handler without a network. */
const clientOf = (handler: FetchHandler) =>
  new Client({
    apiUrl: "http://localhost",
    apiKey: null as never,
    callerOptions: {
      maxRetries: 0,
      fetch: ((url: string, init: RequestInit) => handler(new Request(url, init))) as never,
    },
  });

const asking = (content: string) => ({ messages: [{ type: "human", id: `q-${content}`, content }] });

async function collected<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const part of parts) list.push(part);
  return list;
}

const contents = (values: unknown) => (values as { messages: Message[] }).messages.map(({ content }) => content);
const WEATHER = ["How is the weather?", "Let me look.", "sunny in Rome", "sunny in Lima", "It is sunny in Lima there."];

describe.each(LIBRARIES)("$library", ({ chatGraph, nestedGraph }) => {
  describe("the SDK's client", () => {
    test("streams a run in the modes that it asks for", async () => {
      const client = clientOf(serveLangGraph(chatGraph()));
      const { thread_id } = await client.threads.create({ metadata: { user: "ada" } });
      let created: { run_id: string; thread_id?: string } | undefined;
      const parts = await collected(
        client.runs.stream(thread_id, "agent", {
          input: asking("How is the weather?"),
          streamMode: ["values", "updates", "messages-tuple", "custom"],
          onRunCreated: (run) => void (created = run),
        }),
      );
      expect(parts[0]).toMatchObject({ event: "metadata", data: { run_id: created?.run_id } });
      expect(created?.thread_id).toBe(thread_id);
      const kinds = new Set(parts.map(({ event }) => String(event)));
      expect([...kinds].sort()).toEqual(["custom", "messages", "metadata", "updates", "values"]);
      const chunk = parts.find(({ event }) => String(event) === "messages")?.data as unknown as object[] | undefined;
      expect(chunk?.[0]).toMatchObject({ type: "AIMessageChunk", content: "Let" });
      expect(contents(parts.findLast(({ event }) => event === "values")?.data)).toEqual(WEATHER);
      expect(await client.threads.get(thread_id)).toMatchObject({ status: "idle", metadata: { user: "ada" } });
      expect(await client.runs.list(thread_id)).toMatchObject([{ run_id: created?.run_id, status: "success" }]);
    });

    test("streams whole messages so far in the older mode", async () => {
      const client = clientOf(serveLangGraph(chatGraph()));
      const parts = await collected(
        client.runs.stream(null, "agent", { input: asking("How is the weather?"), streamMode: "messages" }),
      );
      const last = parts.findLast(({ event }) => String(event) === "messages/partial")?.data as unknown as [object];
      expect(last).toEqual([expect.objectContaining({ type: "ai", content: "It is sunny in Lima there." })]);
      const first = parts.filter(({ event }) => String(event) === "messages/partial")[6]?.data as unknown as [object];
      expect(first).toMatchObject([{ tool_calls: [{ args: { city: "Rome" } }, { args: { city: "Lima" } }] }]);
      // As from the JavaScript server, each message of the state comes whole once.
      const complete = parts.filter(({ event }) => String(event) === "messages/complete");
      expect(complete.flatMap(({ data }) => contents({ messages: data }))).toEqual(WEATHER);
      expect(parts.at(-1)).toBe(complete.at(-1));
    });

    test("ends a run at a breakpoint with its interrupts alone, as the JavaScript server does", async () => {
      const client = clientOf(serveLangGraph(chatGraph()));
      const parts = await collected(
        client.runs.stream(null, "agent", { input: asking("Hi"), interruptBefore: ["model"] }),
      );
      expect(parts.slice(-2)).toMatchObject([{ event: "values", data: asking("Hi") }, { event: "values" }]);
      expect(parts.at(-1)?.data).toEqual({ __interrupt__: [] });
    });

    test("waits for a run, reads states and history, and updates a state", async () => {
      const client = clientOf(serveLangGraph(chatGraph()));
      const { thread_id } = await client.threads.create();
      expect(await client.threads.getState(thread_id)).toMatchObject({ values: {}, next: [], checkpoint: null });
      expect(contents(await client.runs.wait(thread_id, "agent", { input: asking("Hi") }))).toEqual([
        "Hi",
        "You said: Hi",
      ]);
      const history = await client.threads.getHistory(thread_id);
      expect(history.map(({ next }) => next)).toEqual([[], ["close"], ["model"], ["plan"], ["__start__"]]);
      expect(history.map(({ parent_checkpoint }) => parent_checkpoint?.checkpoint_id)).toEqual([
        ...history.slice(1).map(({ checkpoint }) => checkpoint.checkpoint_id),
        undefined,
      ]);
      const [, , before] = history;
      const then = await client.threads.getState(thread_id, before?.checkpoint);
      expect(contents(then.values)).toEqual(["Hi"]);
      expect(await client.threads.getState(thread_id, before?.checkpoint.checkpoint_id as string)).toEqual(then);
      expect(
        await client.threads.getHistory(thread_id, { limit: 1, before: { configurable: before?.checkpoint } as never }),
      ).toMatchObject([{ next: ["plan"] }]);
      const made = await client.threads.updateState(thread_id, { values: asking("By hand"), asNode: "close" });
      expect(made.configurable).toMatchObject({ thread_id });
      expect(contents((await client.threads.getState(thread_id)).values)).toEqual(["Hi", "You said: Hi", "By hand"]);
    });

    test("forks a thread at a checkpoint", async () => {
      const client = clientOf(serveLangGraph(chatGraph()));
      const { thread_id } = await client.threads.create();
      await client.runs.wait(thread_id, "agent", { input: asking("Hi") });
      const first = (await client.threads.getHistory(thread_id)).find(({ next }) => next[0] === "__start__");
      const values = await client.runs.wait(thread_id, "agent", {
        input: asking("Ho"),
        checkpoint: first?.checkpoint as never,
      });
      expect(contents(values)).toEqual(["Ho", "You said: Ho"]);
    });

    test("is asked, and resumes by a command", async () => {
      const client = clientOf(serveLangGraph(chatGraph()));
      const { thread_id } = await client.threads.create();
      const asked = await client.runs.wait(thread_id, "agent", { input: asking("Mail Ada") });
      expect(asked).toMatchObject({
        messages: [{ content: "Mail Ada" }],
        __interrupt__: [{ value: { question: "Send the mail?" } }],
      });
      const { tasks, next } = await client.threads.getState(thread_id);
      expect(next).toEqual(["ask"]);
      const id = tasks[0]?.interrupts[0]?.id ?? "";
      expect(await client.threads.get(thread_id)).toMatchObject({
        status: "interrupted",
        interrupts: { [tasks[0]?.id as string]: [{ id }] },
      });
      expect(await client.runs.list(thread_id)).toMatchObject([{ status: "interrupted" }]);
      const sent = await client.runs.wait(thread_id, "agent", { command: { resume: { [id]: true } } });
      expect(contents(sent)).toEqual(["Mail Ada", "Sent."]);
    });

    test("gets an error, and the thread knows it", async () => {
      const client = clientOf(serveLangGraph(chatGraph()));
      const { thread_id } = await client.threads.create();
      const parts = await collected(client.runs.stream(thread_id, "agent", { input: asking("fail") }));
      expect(parts.at(-1)).toMatchObject({
        event: "error",
        data: { error: "RangeError", message: "The model is out." },
      });
      await expect(client.runs.wait(thread_id, "agent", { input: asking("fail") })).rejects.toThrow(
        "The model is out.",
      );
      expect(await client.threads.get(thread_id)).toMatchObject({ status: "error" });
      const { tasks } = await client.threads.getState(thread_id);
      expect(tasks).toMatchObject([{ name: "model", error: expect.stringContaining("The model is out.") as string }]);
    });

    test("starts a run in the background, joins it, streams it again after a part, and waits for it", async () => {
      const client = clientOf(serveLangGraph(chatGraph({ pause: 5 })));
      const { thread_id } = await client.threads.create();
      const { run_id, status } = await client.runs.create(thread_id, "agent", {
        input: asking("How is the weather?"),
        streamMode: ["values", "messages-tuple"],
        streamResumable: true,
      });
      expect(status).toMatch(/pending|running/);
      const all = await collected(client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
      const rest = await collected(client.runs.joinStream(thread_id, run_id, { lastEventId: "4" }));
      expect(rest).toEqual(all.slice(5));
      expect(contents(await client.runs.join(thread_id, run_id))).toEqual(WEATHER);
      expect(await client.runs.get(thread_id, run_id)).toMatchObject({ status: "success" });
      await client.runs.delete(thread_id, run_id);
      await expect(client.runs.get(thread_id, run_id)).rejects.toThrow("404");
    });

    test("cancels a run", async () => {
      const client = clientOf(serveLangGraph(chatGraph({ pause: 20 })));
      const { thread_id } = await client.threads.create();
      const { run_id } = await client.runs.create(thread_id, "agent", { input: asking("one two three four five six") });
      await client.runs.cancel(thread_id, run_id, true);
      expect(await client.runs.get(thread_id, run_id)).toMatchObject({ status: "interrupted" });
      expect(await client.threads.get(thread_id)).toMatchObject({ status: "interrupted" });
    });

    test.each([
      ["cancel", "interrupted"],
      ["continue", "success"],
    ] as const)("leaves a run that is to %s then: it is a %s", async (onDisconnect, status) => {
      const apiUrl = await listening(serveLangGraph(chatGraph({ pause: 10 })));
      const client = new Client({ apiUrl, apiKey: null as never });
      const { thread_id } = await client.threads.create();
      const input = asking("one two three four five six seven eight");
      const leave = new AbortController();
      const { signal } = leave;
      const streamMode = "messages-tuple";
      const reading = (async () => {
        for await (const { event } of client.runs.stream(thread_id, "agent", {
          input,
          onDisconnect,
          streamMode,
          signal,
        }))
          if (String(event) === "messages") leave.abort();
      })();
      await reading.catch(() => {});
      const [{ run_id = "" } = {}] = await client.runs.list(thread_id);
      await client.runs.join(thread_id, run_id);
      expect(await client.runs.get(thread_id, run_id)).toMatchObject({ status });
    });

    test.each([
      ["enqueue", ["success", "success"]],
      ["interrupt", ["interrupted", "success"]],
    ] as const)("runs of one thread: %s", async (multitaskStrategy, statuses) => {
      const client = clientOf(serveLangGraph(chatGraph({ pause: 5 })));
      const { thread_id } = await client.threads.create();
      const ask = (text: string) => client.runs.create(thread_id, "agent", { input: asking(text), multitaskStrategy });
      const runs = [await ask("one two three four"), await ask("five")];
      for (const { run_id } of runs) await client.runs.join(thread_id, run_id);
      const told = await Promise.all(runs.map(({ run_id }) => client.runs.get(thread_id, run_id)));
      expect(told.map(({ status }) => status)).toEqual(statuses);
      expect(contents((await client.threads.getState(thread_id)).values).at(-1)).toBe("You said: five");
    });

    test("refuses a run where it says reject, and unsupported options", async () => {
      const client = clientOf(serveLangGraph(chatGraph({ pause: 5 })));
      const { thread_id } = await client.threads.create();
      await client.runs.create(thread_id, "agent", { input: asking("one two") });
      const ask = (multitaskStrategy: "reject" | "rollback") =>
        client.runs.create(thread_id, "agent", { input: asking("three"), multitaskStrategy });
      await expect(ask("reject")).rejects.toThrow("409");
      await expect(ask("rollback")).rejects.toThrow("422");
      await expect(client.runs.create(thread_id, "agent", { streamMode: "events" })).rejects.toThrow("422");
      await expect(client.crons.search()).rejects.toThrow("404");
    });

    test("searches, changes and deletes threads", async () => {
      const client = clientOf(serveLangGraph(chatGraph()));
      const made = [];
      for (const user of ["ada", "bob"]) made.push(await client.threads.create({ metadata: { user } }));
      const [ada] = made as unknown as [{ thread_id: string }];
      await client.threads.update(ada.thread_id, { metadata: { mood: "fine" } });
      expect(await client.threads.search({ metadata: { user: "ada" } })).toMatchObject([
        { thread_id: ada.thread_id, metadata: { user: "ada", mood: "fine" } },
      ]);
      expect(await client.threads.search({ limit: 1 })).toHaveLength(1);
      await client.runs.wait(ada.thread_id, "agent", { input: asking("Hi") });
      await client.threads.delete(ada.thread_id);
      await expect(client.threads.getState(ada.thread_id)).rejects.toThrow("404");
      await expect(client.threads.create({ threadId: made[1]?.thread_id as string })).rejects.toThrow("409");
    });

    test("knows a thread that only the checkpointer has, as after a restart", async () => {
      const graph = chatGraph();
      const { thread_id } = await clientOf(serveLangGraph(graph)).threads.create();
      await clientOf(serveLangGraph(graph)).runs.wait(thread_id, "agent", { input: asking("Hi") });
      const restarted = clientOf(serveLangGraph(graph));
      expect(contents((await restarted.threads.getState(thread_id)).values)).toEqual(["Hi", "You said: Hi"]);
      expect(await restarted.threads.get(thread_id)).toMatchObject({ status: "idle" });
    });

    test("searches threads that only the checkpointer has, page by page", async () => {
      const graph = chatGraph();
      const before = clientOf(serveLangGraph(graph));
      for (const threadId of ["a", "b", "c"]) {
        await before.threads.create({ threadId, metadata: { user: threadId } });
        await before.runs.wait(threadId, "agent", { input: asking(`Hi ${threadId}`) });
      }
      const client = clientOf(serveLangGraph(graph));
      await client.threads.create({ threadId: "d", metadata: { user: "d" } });
      const idsOf = async (query: object) => (await client.threads.search(query)).map(({ thread_id }) => thread_id);
      const all = await idsOf({});
      expect(all.toSorted()).toEqual(["a", "b", "c", "d"]);
      expect([...(await idsOf({ limit: 3 })), ...(await idsOf({ limit: 3, offset: 3 }))]).toEqual(all);
      expect(await idsOf({ status: "interrupted" })).toEqual([]);
      expect(await idsOf({ ids: ["b"] })).toEqual(["b"]);
      expect(await idsOf({ metadata: { user: "d" } })).toEqual(["d"]);
      const [found] = await client.threads.search({ ids: ["c"] });
      expect(contents(found?.values)).toEqual(["Hi c", "You said: Hi c"]);
    });

    test("finds several graphs by the names of their assistants", async () => {
      const client = clientOf(serveLangGraph({ chat: chatGraph(), team: nestedGraph() }));
      expect((await client.assistants.search()).map(({ graph_id }) => graph_id)).toEqual(["chat", "team"]);
      const team = await client.assistants.get("team");
      expect([team.assistant_id, team.created_at > "2020"]).toEqual(["team", true]);
      await expect(client.runs.wait(null, "none", { input: asking("Hi") })).rejects.toThrow("404");
      const parts = await collected(
        client.runs.stream(null, "team", {
          input: asking("Hi"),
          streamMode: ["messages-tuple"],
          streamSubgraphs: true,
        }),
      );
      const names = new Set(parts.map(({ event }) => String(event).replaceAll(/:[^|]+/g, "")));
      expect([...names].sort()).toEqual(["messages", "messages|team", "messages|tools", "metadata"]);
      expect(await client.threads.search()).toEqual([]);
    });
  });

  test("foldLangGraph folds its streams, a subgraph's too", async () => {
    const client = clientOf(serveLangGraph(nestedGraph()));
    const { thread_id } = await client.threads.create();
    const thread = new Thread({ threadId: thread_id });
    thread.optimistic(asking("Hi") as never);
    await foldLangGraph(
      thread,
      client.runs.stream(thread_id, "agent", {
        input: asking("Hi"),
        streamMode: ["values", "messages-tuple"],
        streamSubgraphs: true,
      }),
    );
    expect(contents(thread.getState())).toEqual(["Hi", "You said: Hi", "within", "The tool is done."]);
  });

  describe("a LangGraphRunner, over HTTP", () => {
    test("chats, is asked, answers, fails and retries", async () => {
      const thread = new Thread();
      const runner = new LangGraphRunner(thread, {
        apiUrl: await listening(serveLangGraph(chatGraph())),
        assistantId: "agent",
      });
      await runner.sendMessage("How is the weather?");
      expect(contents(thread.getState())).toEqual(WEATHER);
      await runner.sendMessage("Mail Ada");
      expect(runner.interrupts).toMatchObject([{ message: "Send the mail?", toolCallId: "call-mail" }]);
      const id = runner.interrupts[0]?.id;
      await runner.resume([{ id, value: true }]);
      expect(contents(thread.getState()).slice(-2)).toEqual(["Mail Ada", "Sent."]);
      expect(await runner.sendMessage("fail")).toMatchObject({ status: "error" });
      expect(await runner.retry()).toMatchObject({ status: "error" });
      expect(contents(thread.getState()).slice(-2)).toEqual(["Sent.", "fail"]);
    });

    test("opens a thread that asks, and one with a run under way", async () => {
      const apiUrl = await listening(serveLangGraph(chatGraph({ pause: 10 })));
      const options = { apiUrl, assistantId: "agent" };
      const first = new LangGraphRunner(new Thread(), options);
      await first.sendMessage("Mail Ada");
      const asked = new LangGraphRunner(new Thread({ threadId: first.thread.threadId as string }), options);
      await asked.load();
      expect([asked.status, asked.interrupts[0]?.message]).toEqual(["interrupted", "Send the mail?"]);
      const client = new Client({ apiUrl, apiKey: null as never });
      const { thread_id } = await client.threads.create();
      await client.runs.create(thread_id, "agent", {
        input: asking("How is the weather?"),
        streamMode: ["values", "messages-tuple", "custom"],
        streamResumable: true,
      });
      const thread = new Thread({ threadId: thread_id });
      await new LangGraphRunner(thread, options).load();
      expect(contents(thread.getState())).toEqual(WEATHER);
    });

    test("stops a run", async () => {
      const thread = new Thread();
      const apiUrl = await listening(serveLangGraph(chatGraph({ pause: 20 })));
      const runner = new LangGraphRunner(thread, { apiUrl, assistantId: "agent" });
      const sent = runner.sendMessage("one two three four five six seven eight");
      await new Promise<void>((resolve) => thread.subscribe(({ messages }) => messages.length > 1 && resolve()));
      await runner.stop();
      expect(await sent).toMatchObject({ status: "stopped" });
      expect(contents(thread.getState()).at(-1)).not.toContain("eight");
      expect(await runner.sendMessage("Hi")).toMatchObject({ status: "finished" });
    });
  });

  test("its config may refuse a client; its parts can be changed on their way", async () => {
    const handler = serveLangGraph(chatGraph(), {
      config: (request) => {
        if (request.headers.get("authorization") === null) throw new Response(null, { status: 401 });
        return { recursionLimit: 25 };
      },
      async *onParts(parts) {
        for await (const part of parts) if (part.event !== "updates") yield part;
      },
    });
    const body = JSON.stringify({ assistant_id: "agent", input: asking("Hi"), stream_mode: ["updates", "values"] });
    const ask = (headers: Record<string, string>) =>
      handler(new Request("http://localhost/runs/stream", { method: "POST", headers, body }));
    expect((await ask({})).status).toBe(401);
    const text = await (await ask({ authorization: "me" })).text();
    expect(text).toContain("event: values");
    expect(text).not.toContain("event: updates");
  });

  test("lets in whom authenticate lets in, to runs, threads and assistants", async () => {
    const authenticate = (request: Request) =>
      request.headers.get("x-api-key") === "me" || Response.json({ detail: "Who are you?" }, { status: 401 });
    const handler = serveLangGraph(chatGraph(), { authenticate });
    await expect(clientOf(handler).threads.create()).rejects.toThrow(/Who are you\?/);
    for (const path of ["/threads/t/state", "/assistants/agent", "/threads/t/runs"])
      expect((await handler(new Request(`http://localhost${path}`))).status).toBe(401);
    const mine = clientOf((request) => {
      request.headers.set("x-api-key", "me");
      return handler(request);
    });
    const { thread_id } = await mine.threads.create();
    expect(contents(await mine.runs.wait(thread_id, "agent", { input: asking("Hi") }))).toContain("Hi");
  });

  test("the paths begin with the base path", async () => {
    const handler = serveLangGraph(chatGraph(), { basePath: "/api/langgraph" });
    const ask = async (path: string) => (await handler(new Request(`http://localhost${path}`))).status;
    expect(await ask("/api/langgraph/ok")).toBe(200);
    expect(await ask("/ok")).toBe(404);
    expect(await ask("/api/langgraphs/ok")).toBe(404);
    expect(await ask("/api/langgraph/threads/none/state")).toBe(404);
  });

  test.each([undefined, {}, { agent: {} }])("argument %# is not a graph to serve", (graphs) => {
    expect(() => serveLangGraph(graphs as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });
});

// langgraph.js has taken a plain object for an update of the state since 1.5, with any lg_name.
test.each(LIBRARIES)("a graph of $library gets an answer as an instance", async ({ chatGraph }) => {
  const graph = chatGraph();
  const commands: unknown[] = [];
  const stream = graph.stream.bind(graph);
  graph.stream = ((input: { lg_name?: string } | null, config: object) => {
    if (input?.lg_name === "Command") commands.push(input);
    return stream(input as never, config as never);
  }) as never;
  const { threads, runs } = clientOf(serveLangGraph(graph));
  const { thread_id: id } = await threads.create();
  await runs.wait(id, "agent", { input: asking("Mail Ada") });
  await runs.wait(id, "agent", { command: { resume: true } });
  expect(commands).toHaveLength(1);
  expect(Object.getPrototypeOf(commands[0])).not.toBe(Object.prototype);
  expect(JSON.parse(JSON.stringify(commands[0]))).toEqual({ lg_name: "Command", resume: true });
  expect((await threads.getState(id)).next).toEqual([]);
});
