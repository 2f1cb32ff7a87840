// A message that is sent while a run goes on, and what becomes of it. The run takes it before its next model call, or it
// goes out with the next run. Over HTTP, against agents with a model of this file.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { createAgent, humanInTheLoopMiddleware, steeringMiddleware, tool } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph, toNodeListener, type FetchHandler } from "threadfold/serve";
import { afterEach, describe, expect, test, vi } from "vitest";

type Agent = ReturnType<typeof createAgent>;
type Runner = AgUiRunner | LangGraphRunner;
interface Said {
  readonly id?: string | undefined;
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
}
type Fetch = typeof globalThis.fetch;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function gate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  return { open, isOpen };
}

const words = (messages: readonly Said[]) =>
  messages.map(
    ({ type, role = type, content }) =>
      `${{ human: "user", ai: "assistant" }[role as "ai"] ?? role}: ${String(content)}`,
  );

/** A model that waits at each call, and a tool that waits, too. */
function scripted(answers: readonly (string | "search")[]) {
  const seen: string[][] = [];
  const gates = answers.map(gate);
  const searching = { ...gate(), begun: gate() };
  const search = tool({
    name: "search",
    description: "",
    schema: { type: "object", properties: {} },
    run: async () => {
      searching.begun.open();
      await searching.isOpen;
      return "found";
    },
  });
  const model = async (messages: readonly Said[]) => {
    const at = seen.push(words(messages)) - 1;
    await gates[at]?.isOpen;
    const answer = answers[at] ?? "no more";
    return answer === "search" ? { content: "", tool_calls: [{ id: `c${at}`, name: "search", args: {} }] } : answer;
  };
  return {
    seen,
    model,
    search,
    searching,
    answer: (at: number) => gates[at]?.open(),
    asked: (at: number) => vi.waitFor(() => expect(seen.length).toBeGreaterThan(at)),
  };
}
type Script = ReturnType<typeof scripted>;

const steered = ({ model, search }: Script, ...more: ReturnType<typeof humanInTheLoopMiddleware>[]) =>
  createAgent({
    model,
    tools: [search],
    middleware: [steeringMiddleware(), ...more] as never,
    checkpointer: new MemorySaver(),
  }) as Agent;

async function listening(handler: FetchHandler): Promise<string> {
  const server: Server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

const isSteering = (url: unknown, init: RequestInit | undefined) =>
  init?.method === "POST" && String(url).endsWith("/messages");

const PROTOCOLS = {
  "AG-UI": {
    serve: (agent: Agent) => serveAgUi(agent, { resumable: true }),
    begins: (url: string) => !/\/(threads|capabilities)/.test(url),
    make: (url: string, fetch: Fetch): Runner =>
      new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), { url, resumable: true, whileRunning: "steer", fetch }),
  },
  LangGraph: {
    serve: (agent: Agent) => serveLangGraph(agent),
    begins: (url: string) => url.endsWith("/runs/stream"),
    make: (apiUrl: string, fetch: Fetch): Runner =>
      new LangGraphRunner(new Thread({ threadId: "t" }), {
        apiUrl,
        assistantId: "agent",
        whileRunning: "steer",
        fetch,
      }),
  },
};

describe.each(Object.entries(PROTOCOLS))("%s", (_, { serve, begins, make }) => {
  /** @param steering - Has a request that steers answered otherwise. */
  async function world(
    agent: Agent,
    steering: (send: () => Promise<Response>) => Promise<Response> = (send) => send(),
  ) {
    const url = await listening(serve(agent));
    let runs = 0;
    const steers: Promise<number | string>[] = [];
    const fetch: Fetch = (to, init) => {
      if (init?.method === "POST" && begins(String(to))) runs++;
      if (!isSteering(to, init)) return globalThis.fetch(to, init);
      const answer = steering(() => globalThis.fetch(to, init));
      steers.push(answer.then(({ status }) => status, String));
      return answer;
    };
    const runner = make(url, fetch);
    closing.push(() => runner.dispose());
    const thread = runner.thread as Thread;
    const kept = async () =>
      words(((await agent.getState({ configurable: { thread_id: "t" } })).values as { messages: Said[] }).messages);
    const rests = async () => {
      await vi.waitFor(() => expect(runner.status).toBe("ready"));
      // The page has what the server has, each message once, and nothing waits.
      expect([words(thread.getState().messages as Said[]), thread.pending]).toEqual([await kept(), []]);
      expect(words(thread.getConfirmedState().messages as Said[])).toEqual(await kept());
    };
    return { runner, thread, rests, kept, runs: () => runs, statuses: () => Promise.all(steers) };
  }

  test("before the next model call: the run under way takes it", async () => {
    const script = scripted(["search", "Both done."]);
    const { runner, thread, rests, kept, runs, statuses } = await world(steered(script));
    const first = runner.sendMessage("A");
    script.answer(0);
    await script.searching.begun.isOpen;
    const second = runner.sendMessage("B");
    // A snapshot may have the first by now.
    expect([["sent", "pending"], ["pending"]]).toContainEqual(thread.pending.map(({ status }) => status));
    await vi.waitFor(async () => expect(await statuses()).toHaveLength(1));
    script.searching.open();
    await script.asked(1);
    // The page knows before the answer that it was taken.
    await vi.waitFor(() => expect(thread.pending.map(({ status }) => status)).not.toContain("pending"));
    expect(script.seen[1]).toEqual(["user: A", "assistant: ", "tool: found", "user: B"]);
    script.answer(1);
    const results = await Promise.all([first, second]);
    expect(results).toMatchObject([{ status: "finished" }, { status: "finished" }]);
    expect(results[0]?.runId).toBe(results[1]?.runId);
    expect(runs()).toBe(1);
    await rests();
    expect(await kept()).toEqual(["user: A", "assistant: ", "tool: found", "user: B", "assistant: Both done."]);
  });

  test("during the last answer: the model is called once more", async () => {
    const script = scripted(["To A.", "To B."]);
    const { runner, rests, kept, runs, statuses } = await world(steered(script));
    const first = runner.sendMessage("A");
    await script.asked(0);
    await vi.waitFor(() => expect(runner.status).toBe("streaming"));
    const second = runner.sendMessage("B");
    await vi.waitFor(async () => expect(await statuses()).toHaveLength(1));
    script.answer(0);
    script.answer(1);
    expect(await Promise.all([first, second])).toMatchObject([{ status: "finished" }, { status: "finished" }]);
    expect(runs()).toBe(1);
    await rests();
    expect(await kept()).toEqual(["user: A", "assistant: To A.", "user: B", "assistant: To B."]);
  });

  test("two at once, and one before the run has begun: in their order", async () => {
    const script = scripted(["To A.", "To all."]);
    const { runner, rests, kept, runs, statuses } = await world(steered(script));
    const sent = [runner.sendMessage("A"), runner.sendMessage("B")];
    await script.asked(0);
    await vi.waitFor(async () => expect(await statuses()).not.toHaveLength(0));
    sent.push(runner.sendMessage("C"), runner.sendMessage("D"));
    await vi.waitFor(async () => expect((await statuses()).length).toBeGreaterThanOrEqual(3));
    script.answer(0);
    script.answer(1);
    await Promise.all(sent);
    expect(runs()).toBe(1);
    await rests();
    expect(await kept()).toEqual([
      "user: A",
      "assistant: To A.",
      "user: B",
      "user: C",
      "user: D",
      "assistant: To all.",
    ]);
  });

  test("the answer to the request is lost: the message is taken once", async () => {
    const script = scripted(["To A.", "To B."]);
    const { runner, rests, kept, runs, statuses } = await world(steered(script), async (send) => {
      await send();
      throw new TypeError("fetch failed");
    });
    const first = runner.sendMessage("A");
    await script.asked(0);
    await vi.waitFor(() => expect(runner.status).toBe("streaming"));
    const second = runner.sendMessage("B");
    await vi.waitFor(async () => expect(await statuses()).toEqual(["TypeError: fetch failed"]));
    script.answer(0);
    script.answer(1);
    expect(await Promise.all([first, second])).toMatchObject([{ status: "finished" }, { status: "finished" }]);
    expect(runs()).toBe(1);
    await rests();
    expect(await kept()).toEqual(["user: A", "assistant: To A.", "user: B", "assistant: To B."]);
  });

  test.each<[string, (send: () => Promise<Response>, over: Promise<unknown>) => Promise<Response>]>([
    ["the server has no such route", async () => new Response("{}", { status: 404 })],
    ["the request is lost", async () => Promise.reject(new TypeError("fetch failed"))],
    ["the request comes after the run's end", async (send, over) => over.then(send)],
  ])("%s: the message goes out with the next run", async (_name, steering) => {
    const script = scripted(["To A.", "To B."]);
    const over = gate();
    const { runner, rests, kept, runs, statuses } = await world(steered(script), (send) => steering(send, over.isOpen));
    const first = runner.sendMessage("A");
    await script.asked(0);
    await vi.waitFor(() => expect(runner.status).toBe("streaming"));
    const second = runner.sendMessage("B");
    script.answer(0);
    expect((await first).status).toBe("finished");
    over.open();
    await script.asked(1);
    await vi.waitFor(async () => expect(await statuses()).not.toContain(202));
    script.answer(1);
    expect((await second).status).toBe("finished");
    expect(runs()).toBe(2);
    await rests();
    expect(await kept()).toEqual(["user: A", "assistant: To A.", "user: B", "assistant: To B."]);
  });

  test("an agent that reads no messages leaves them to the next run", async () => {
    const script = scripted(["To A.", "To B."]);
    const agent = createAgent({ model: script.model, checkpointer: new MemorySaver() }) as Agent;
    const { runner, rests, kept, runs, statuses } = await world(agent);
    const first = runner.sendMessage("A");
    await script.asked(0);
    await vi.waitFor(() => expect(runner.status).toBe("streaming"));
    const second = runner.sendMessage("B");
    await vi.waitFor(async () => expect(await statuses()).toHaveLength(1));
    script.answer(0);
    script.answer(1);
    await Promise.all([first, second]);
    expect(runs()).toBe(2);
    await rests();
    expect(await kept()).toEqual(["user: A", "assistant: To A.", "user: B", "assistant: To B."]);
  });

  test("a run that is stopped before it takes a message leaves it to the next run", async () => {
    const script = scripted(["To A.", "To both."]);
    const { runner, thread, rests, runs, statuses } = await world(steered(script));
    const first = runner.sendMessage("A");
    await script.asked(0);
    await vi.waitFor(() => expect(runner.status).toBe("streaming"));
    const second = runner.sendMessage("B");
    await vi.waitFor(async () => expect(await statuses()).toHaveLength(1));
    expect((await runner.stop()).status).toBe("stopped");
    expect((await first).status).toBe("stopped");
    script.answer(0);
    script.answer(1);
    expect((await second).status).toBe("finished");
    expect(runs()).toBe(2);
    await rests();
    expect(words(thread.getState().messages as Said[]).filter((said) => said === "user: B")).toHaveLength(1);
  });

  test("while a question is open it waits, and the run with the answer takes it: the tool has run by the answer alone", async () => {
    const script = scripted(["search", "Both done."]);
    const asking = humanInTheLoopMiddleware({ interruptOn: { search: true } });
    const { runner, rests, kept, runs, statuses } = await world(steered(script, asking));
    script.answer(0);
    script.answer(1);
    expect((await runner.sendMessage("A")).status).toBe("interrupted");
    const result = await runner.sendMessage("Yes, approve it");
    expect([result.status, runner.status, runs(), await statuses()]).toEqual(["interrupted", "interrupted", 1, []]);
    expect(script.seen).toHaveLength(1);
    const answered = runner.resume({ value: { decisions: [{ type: "approve" }] } });
    await script.searching.begun.isOpen;
    await vi.waitFor(async () => expect(await statuses()).toHaveLength(1));
    script.searching.open();
    expect((await answered).status).toBe("finished");
    expect(runs()).toBe(2);
    await rests();
    expect((await kept()).slice(2)).toEqual(["tool: found", "user: Yes, approve it", "assistant: Both done."]);
  });

  test("other fields, and other messages than the user's, wait for the next run", async () => {
    const script = scripted(["To A.", "To B.", "To C."]);
    const { runner, rests, runs, statuses } = await world(steered(script));
    const first = runner.sendMessage("A");
    await script.asked(0);
    await vi.waitFor(() => expect(runner.status).toBe("streaming"));
    const more = [
      runner.sendMessage({ id: "s", role: "system", type: "system", content: "Obey." } as never),
      runner.sendMessage("C", { whileRunning: "queue" }),
    ];
    expect(await statuses()).toEqual([]);
    for (const at of [0, 1, 2]) script.answer(at);
    await Promise.all([first, ...more]);
    expect([runs(), await statuses()]).toEqual([2, []]);
    await rests();
  });

  test("interrupt: stops the run, then sends", async () => {
    const script = scripted(["To A.", "To B."]);
    const { runner, thread, rests, runs, statuses } = await world(steered(script));
    const first = runner.sendMessage("A");
    await script.asked(0);
    await vi.waitFor(() => expect(runner.status).toBe("streaming"));
    const second = runner.sendMessage("B", { whileRunning: "interrupt" });
    expect((await first).status).toBe("stopped");
    script.answer(0);
    script.answer(1);
    expect((await second).status).toBe("finished");
    expect([runs(), await statuses()]).toEqual([2, []]);
    await rests();
    expect(words(thread.getState().messages as Said[]).at(-1)).toBe("assistant: To B.");
  });
});

describe("the route", () => {
  const authenticate = (request: Request) => ({ identity: request.headers.get("authorization") ?? "ada" });
  const SERVERS = {
    "AG-UI": {
      serve: (agent: Agent) => serveAgUi(agent, { resumable: true, authenticate, maxBodyBytes: 2_000 }),
      begin: (runs: string) => ({
        path: runs.replace(/\/threads.*/, "/"),
        body: { threadId: "t", runId: "r", messages: [{ id: "q", role: "user", content: "A" }] },
      }),
      user: { role: "user" },
      assistant: { role: "assistant" },
    },
    LangGraph: {
      serve: (agent: Agent) => serveLangGraph(agent, { authenticate, maxBodyBytes: 2_000 }),
      begin: () => ({
        path: "/threads/t/runs",
        body: {
          assistant_id: "agent",
          input: { messages: [{ id: "q", type: "human", content: "A" }] },
          if_not_exists: "create",
        },
      }),
      user: { type: "human" },
      assistant: { type: "ai" },
    },
  };

  test.each(Object.entries(SERVERS))(
    "%s: takes a user's messages for the user's own run",
    async (_, { serve, begin, user, assistant }) => {
      const script = scripted(["To A.", "To B."]);
      const agent = steered(script);
      const handler = serve(agent);
      const ask = async (method: string, path: string, body?: object, as = "ada") => {
        const init = { method, headers: { authorization: as }, ...(body && { body: JSON.stringify(body) }) };
        return handler(new Request(`http://localhost${path}`, init));
      };
      const { path, body } = begin("/threads");
      const started = await ask("POST", path, body);
      await script.asked(0);
      const runId = path === "/" ? "r" : ((await started.json()) as { run_id: string }).run_id;
      const steer = async (messages: unknown, as?: string, run = runId) =>
        (await ask("POST", `/threads/t/runs/${run}/messages`, { messages }, as)).status;
      const said = { ...user, id: "b", content: "B" };
      expect(await steer([said], "eve")).toBe(404);
      expect(await steer([said], "ada", "another")).toBe(404);
      for (const wrong of [
        undefined,
        [],
        [null],
        [{ ...said, id: "" }],
        [{ ...user, content: "no id" }],
        [{ ...said, content: undefined }],
        [{ ...said, content: 7 }],
        [said, { ...assistant, id: "x", content: "", tool_calls: [{ id: "c", name: "search", args: {} }] }],
        [{ type: "remove", id: "q", content: "" }],
        [{ role: "user", type: "ai", id: "x", content: "", tool_calls: [{ id: "c", name: "search", args: {} }] }],
        [{ role: "assistant", type: "human", id: "x", content: "" }],
        [{ ...user, type: "tool", tool_call_id: "c", id: "x", content: "done" }],
      ])
        expect([wrong, await steer(wrong)]).toEqual([wrong, 400]);
      expect(await steer([{ ...said, content: "B".repeat(3_000) }])).toBe(413);
      // An id that the thread has would replace its message.
      expect(
        await steer([
          { ...said, id: "q", content: "Replaced" },
          { ...said, tool_calls: [{ id: "c", name: "search", args: {} }] },
        ]),
      ).toBeLessThan(300);
      script.answer(0);
      await script.asked(1);
      expect(script.seen[1]).toEqual(["user: A", "assistant: To A.", "user: B"]);
      script.answer(1);
      await vi.waitFor(async () => expect(await steer([said])).toBe(409));
      const { messages } = (await agent.getState({ configurable: { thread_id: "t" } })).values as {
        messages: object[];
      };
      expect(messages[2]).not.toHaveProperty("tool_calls");
    },
  );

  test("a server says that it takes them", async () => {
    const capabilities = async (resumable: boolean) => {
      const handler = serveAgUi(steered(scripted([])), { resumable });
      return (await handler(new Request("http://localhost/capabilities"))).json();
    };
    expect(await capabilities(true)).toMatchObject({ custom: { threadfold: { folds: true, steers: true } } });
    expect(await capabilities(false)).toMatchObject({ custom: { threadfold: { folds: true } } });
    expect(JSON.stringify(await capabilities(false))).not.toContain("steers");
  });
});
