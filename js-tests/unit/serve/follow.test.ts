// runner.follow(): what one client does, all others show, live, over both protocols.
import { Thread, defineSchema, field, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { afterEach, describe, expect, test, vi } from "vitest";
import { randomOf } from "../../support/random.js";
import { runs } from "../../support/seed.js";

const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

async function until(holds: () => boolean): Promise<void> {
  for (const end = performance.now() + 30_000; !holds(); await wait(2))
    if (performance.now() > end) throw new Error("It never came to that.");
}

/** Runs this in time of its own: the same on every machine, however loaded it is. */
async function inFakeTime(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers();
  try {
    const over = new AbortController();
    const done = work().finally(() => over.abort());
    done.catch(() => {});
    while (!over.signal.aborted) await vi.advanceTimersToNextTimerAsync();
    await done;
  } finally {
    vi.useRealTimers();
  }
}

const sameJson = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

interface Said {
  readonly id?: string;
  readonly content?: unknown;
}
interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}
function gateOf(): Gate {
  let open = () => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

/** A graph that streams half an answer, waits at the gate, and says the rest; "Ask" makes it ask first. */
function graphOf(gate: () => Promise<unknown>) {
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }, { interrupt, message, signal }) => {
      const { content } = messages.at(-1) as Said;
      const answer = content === "Ask" ? String(interrupt({ message: "Sure?" })) : `You said ${String(content)}.`;
      const id = `a${messages.length}`;
      message({ type: "AIMessageChunk", id, content: answer.slice(0, 3) } as never);
      await Promise.race([gate(), new Promise((resolve) => signal?.addEventListener("abort", resolve))]);
      return { messages: [{ type: "ai" as const, id, content: answer }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
}

type Runner = AgUiRunner | LangGraphRunner;
const opened: Runner[] = [];
afterEach(() => {
  for (const runner of opened.splice(0)) runner.dispose();
});

interface Client {
  readonly runner: Runner;
  /** The texts that it shows. */
  shown(): unknown[];
  /** The requests that it has made. */
  readonly asked: string[];
  /** Cuts its open connections, and those to come until it is healed. */
  cut(): void;
  heal(): void;
}

/** A client's network: what goes over it can be slow, and can be cut. */
function clientOf(handler: FetchHandler, make: (fetch: typeof globalThis.fetch) => Runner, delay = () => 0): Client {
  const asked: string[] = [];
  let isCut = false;
  const open = new Set<AbortController>();
  const runner = make(async (url, init) => {
    const request = new Request(String(url), init);
    const { pathname, search } = new URL(request.url);
    asked.push(`${request.method} ${pathname}${search}`);
    await wait(delay());
    if (isCut) throw new TypeError("cut");
    const response = await handler(request);
    const cut = new AbortController();
    open.add(cut);
    const broken = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => cut.signal.addEventListener("abort", () => controller.error(new TypeError("cut"))),
    });
    return new Response(response.body?.pipeThrough(broken, { signal: cut.signal }) ?? null, response);
  });
  opened.push(runner);
  const thread = runner.thread as Thread;
  return {
    runner,
    shown: () => thread.getState().messages.map(({ content }) => content),
    asked,
    cut() {
      isCut = true;
      for (const one of open) one.abort();
      open.clear();
    },
    heal: () => void (isCut = false),
  };
}

const PROTOCOLS = {
  "AG-UI": {
    serve: (gate: () => Promise<unknown>) => serveAgUi(graphOf(gate), { resumable: true, interrupts: "outcome" }),
    make: (fetch: typeof globalThis.fetch): Runner =>
      new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
        url: "http://localhost/agent",
        resumable: true,
        rejoinDelays: [5],
        fetch,
      }),
    stream: "GET /agent/threads/t/events?only=starts",
  },
  LangGraph: {
    serve: (gate: () => Promise<unknown>) => serveLangGraph(graphOf(gate)),
    make: (fetch: typeof globalThis.fetch): Runner =>
      new LangGraphRunner(new Thread({ threadId: "t" }), {
        apiUrl: "http://localhost",
        assistantId: "agent",
        multitaskStrategy: "reject",
        rejoinDelays: [5],
        fetch,
      }),
    stream: "GET /threads/t/stream?stream_mode=lifecycle",
  },
};

describe.each(Object.entries(PROTOCOLS))("%s", (_, { serve, make, stream }) => {
  function world() {
    const gates: Gate[] = [];
    const handler = serve(() => {
      gates.push(gateOf());
      return gates.at(-1)?.passed ?? Promise.resolve();
    });
    /** Opens a gate, once a run is at it. */
    const pass = async (count: number) => {
      await until(() => gates.length > count);
      gates[count]?.open();
    };
    return { handler, gates, pass, client: (delay?: () => number) => clientOf(handler, make, delay) };
  }

  test("a run that another client starts is shown from its first part on, and followed to its end", async () => {
    const { client, pass } = world();
    const [one, other] = [client(), client()];
    const states: string[] = [];
    other.runner.subscribe(() => states.push(other.runner.status));
    // The thread is not there yet.
    other.runner.follow();
    await until(() => other.asked.length > 0);
    expect(other.runner.status).toBe("ready");
    const sent = one.runner.sendMessage("Hi");
    await until(() => one.shown().length === 2);
    await until(() => other.shown().length === 2);
    expect(other.shown()).toEqual(["Hi", "You"]);
    expect(other.runner.status).toBe("streaming");
    await pass(0);
    await sent;
    await until(() => other.runner.status === "ready");
    expect([one.shown(), other.shown()]).toEqual([
      ["Hi", "You said Hi."],
      ["Hi", "You said Hi."],
    ]);
    // The next run is shown before it goes on: it waits at its gate.
    const next = one.runner.sendMessage("Again");
    await until(() => one.shown().length === 4 && other.shown().length === 4);
    await pass(1);
    await next;
    await until(() => other.runner.status === "ready");
    expect(other.shown()).toEqual(one.shown());
    expect(states).not.toContain("error");
  });

  test("a client that opens in the middle sees the run under way, and its own runs are read once", async () => {
    const { client, pass } = world();
    const one = client();
    const sent = one.runner.sendMessage("Hi");
    await until(() => one.shown().length === 2);
    const other = client();
    const end = other.runner.follow();
    const endAgain = other.runner.follow();
    await until(() => other.shown().length === 2);
    await pass(0);
    await sent;
    await until(() => other.runner.status === "ready");
    other.asked.length = 0;
    const own = other.runner.sendMessage("Mine");
    await until(() => other.shown().length === 4);
    await wait(30);
    await pass(1);
    expect((await own).status).toBe("finished");
    await wait(30);
    expect(other.asked.filter((one) => !/search|digest/.test(one))).toEqual([expect.stringMatching(/^POST/)]);
    // One connection for both; it ends with the last.
    end();
    const third = one.runner.load().then(() => one.runner.sendMessage("Still there?"));
    await until(() => other.runner.status === "streaming");
    await pass(2);
    await third;
    await until(() => other.runner.status === "ready");
    endAgain();
    const fourth = one.runner.sendMessage("And now?");
    await until(() => one.runner.status === "streaming");
    await wait(30);
    expect([other.runner.status, other.shown().length]).toEqual(["ready", 6]);
    await pass(3);
    await fourth;
  });

  test("an interrupt that is answered elsewhere closes here, and a message that waits goes out after that run", async () => {
    const { client, pass } = world();
    const [one, other] = [client(), client()];
    for (const { runner } of [one, other]) runner.follow();
    expect((await one.runner.sendMessage("Ask")).status).toBe("interrupted");
    await until(() => other.runner.status === "interrupted");
    expect(other.runner.interrupts).toMatchObject([{ message: "Sure?" }]);
    const waiting = await other.runner.sendMessage("Later");
    expect(waiting.status).toBe("interrupted");
    const answered = one.runner.resume({ value: "Yes!" });
    await until(() => other.runner.status === "streaming");
    expect(other.runner.interrupts).toEqual([]);
    await pass(0);
    expect((await answered).status).toBe("finished");
    await pass(1);
    const all = ["Ask", "Yes!", "Later", "You said Later."];
    await until(() => [one, other].every(({ runner, shown }) => runner.status === "ready" && shown().length === 4));
    expect([one.shown(), other.shown()]).toEqual([all, all]);
  });

  test("a stop here stops the run for all, and the next run is followed all the same", async () => {
    const { client, gates, pass } = world();
    const [one, other] = [client(), client()];
    for (const { runner } of [one, other]) runner.follow();
    const sent = one.runner.sendMessage("Hi");
    await until(() => other.runner.status === "streaming" && gates.length === 1);
    expect(await other.runner.stop()).toMatchObject({ status: "stopped", error: undefined });
    expect((await sent).status).toBe("stopped");
    await until(() => one.runner.status === "ready");
    const next = one.runner.sendMessage("Again");
    await until(() => other.runner.status === "streaming");
    await pass(1);
    await next;
    await until(() => other.runner.status === "ready");
    expect(other.shown()).toEqual(one.shown());
  });

  test("a follower whose connections are cut shows what it missed once it is back", async () => {
    const { client, pass } = world();
    const [one, other] = [client(), client()];
    other.runner.follow();
    const sent = one.runner.sendMessage("Hi");
    await until(() => other.shown().length === 2);
    await pass(0);
    await sent;
    await until(() => other.runner.status === "ready");
    other.cut();
    const missed = one.runner.sendMessage("Missed");
    await pass(1);
    await missed;
    // An idle thread shows nothing of a broken connection.
    expect([other.runner.status, other.runner.error, other.shown().length]).toEqual(["ready", undefined, 2]);
    const running = one.runner.sendMessage("Running");
    await until(() => one.shown().length === 6);
    other.heal();
    await until(() => other.shown().length === 6);
    expect(other.runner.status).toBe("streaming");
    await pass(2);
    await running;
    await until(() => other.runner.status === "ready");
    expect(other.shown()).toEqual(one.shown());
    expect(other.asked.filter((path) => path === stream).length).toBeGreaterThan(1);
  });

  test("a server without such a stream is an error by name; the thread stays as it is, and nothing is asked again", async () => {
    const { handler, client, pass } = world();
    const one = client();
    const sent = one.runner.sendMessage("Hi");
    await pass(0);
    await sent;
    const plain: FetchHandler = async (request) =>
      /\/(events|stream)$/.test(new URL(request.url).pathname) && request.method === "GET"
        ? Response.json({ error: "Not found" }, { status: 404 })
        : handler(request);
    const other = clientOf(plain, make);
    const errors: unknown[] = [];
    (other.runner.thread as Thread).on("error", (error) => errors.push(error));
    other.runner.follow();
    await until(() => errors.length === 1);
    expect(errors).toMatchObject([
      { code: "UNSUPPORTED", message: expect.stringMatching(/^follow\(\): .*resumable/) as string },
    ]);
    await wait(30);
    expect([other.runner.status, other.asked.filter((path) => path === stream).length]).toEqual(["ready", 2]);
  });

  test("three clients at random, over slow and broken connections: all show the same at the end", async () => {
    for (let seed = 1; seed <= runs(40); seed++) {
      // From a fast network to one that is slower than every user.
      const slowness = [1, 3, 10, 30][seed % 4] as number;
      const random = randomOf(seed);
      await inFakeTime(() => randomWorld((count) => Math.floor(random() * count), slowness));
    }
  });

  async function randomWorld(any: (count: number) => number, slowness: number): Promise<void> {
    const handler = serve(() => wait(any(8) * slowness));
    const clients = [1, 2, 3].map(() => clientOf(handler, make, () => any(4) * slowness));
    await clients[0]?.runner.sendMessage("Begin");
    for (const { runner } of clients) runner.follow();
    const calls: Promise<unknown>[] = [];
    const answer = ({ runner }: Client) => runner.resume(runner.interrupts.map(({ id }) => ({ id, value: "Yes!" })));
    for (let steps = 0; steps < 12; steps++) {
      const one = clients[any(3)] as Client;
      const { runner } = one;
      const choice = any(10);
      if (choice < 5) calls.push(runner.sendMessage(choice === 0 ? "Ask" : `m${steps}`));
      else if (choice < 7 && runner.interrupts.length > 0) calls.push(answer(one));
      else if (choice === 7) calls.push(runner.stop());
      else if (choice === 8) one.cut();
      else one.heal();
      await wait(any(12));
    }
    // Each tries again what it lost or was refused, answers, and sends what a stop has kept; then all are quiet.
    for (const one of clients) one.heal();
    const pending = ({ runner }: Client) => (runner.thread as Thread).pending;
    const isQuiet = (one: Client) => one.runner.status === "ready" && pending(one).length === 0;
    const calm = async () => {
      for (let rounds = 0; !clients.every(isQuiet); rounds++) {
        expect(rounds).toBeLessThan(2_000);
        const one = clients[any(3)] as Client;
        const { runner } = one;
        if (runner.interrupts.length > 0) await answer(one);
        else if (runner.error || pending(one).some(({ status }) => status === "failed")) await runner.retry();
        else if (pending(one).length > 0) await runner.sendMessage(`And this ${rounds}`);
        await wait(5);
      }
    };
    await calm();
    await Promise.all(calls);
    // Half an answer stays where its run was stopped, until the thread's next run.
    await clients[0]?.runner.sendMessage("End");
    await calm();
    const model = clientOf(handler, make);
    await model.runner.load();
    const all = [model, model, model].map((one) => one.shown());
    const shown = () => clients.map((one) => one.shown());
    await until(() => sameJson(shown(), all)).catch(() => {});
    expect(shown()).toEqual(all);
    for (const { runner } of [...clients, model]) runner.dispose();
  }
});

test("a transport that cannot follow, and a runner that is disposed, throw at once", () => {
  const runner = new AgUiRunner(new Thread<AgUiState>(), { url: "http://localhost/agent" });
  expect(() => runner.follow()).toThrow(
    expect.objectContaining({ code: "UNSUPPORTED", message: expect.stringMatching(/resumable: true/) as string }),
  );
  runner.dispose();
  expect(() => runner.follow()).toThrow(expect.objectContaining({ code: "DISPOSED" }));
});

test("a thread without an id is followed from its first run on, and no longer than its runner lives", async () => {
  const handler = PROTOCOLS.LangGraph.serve(() => Promise.resolve());
  const fetch = vi.fn(async (url: RequestInfo | URL, init?: RequestInit) => handler(new Request(url, init)));
  const runner = new LangGraphRunner(new Thread(), { apiUrl: "http://localhost", assistantId: "agent", fetch });
  runner.follow();
  await wait(10);
  expect(fetch).not.toHaveBeenCalled();
  await runner.sendMessage("Hi");
  const streams = () => fetch.mock.calls.filter(([url]) => String(url).includes("/stream?stream_mode=lifecycle"));
  await until(() => streams().length === 1);
  const [[, init] = []] = streams();
  expect(init?.signal?.aborted).toBe(false);
  runner.dispose();
  expect(init?.signal?.aborted).toBe(true);
});
