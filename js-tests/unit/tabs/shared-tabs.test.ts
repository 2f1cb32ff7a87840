// Tabs of one browser that share a thread's streams: all show the same, and the server sees one reader.
import { Thread, defineSchema, field, type AgUiState } from "threadfold";
import { AgUiRunner, foldAgUi, httpTransport } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { sharedTabs } from "threadfold/tabs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { randomOf } from "../../support/random.js";
import { runs } from "../../support/seed.js";
import { BrowserStandIn, outside, type Tab } from "./browser-stand-in.js";

type Runner = AgUiRunner | LangGraphRunner;

const opened: Runner[] = [];
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  for (const runner of opened.splice(0)) runner.dispose();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Lets the time go on until it holds, or for this long. */
async function until(holds: () => boolean, most = 60_000): Promise<void> {
  const end = performance.now() + most;
  while (!holds()) {
    if (performance.now() > end) throw new Error("It never came to that.");
    await vi.advanceTimersByTimeAsync(1);
  }
}
const pass = (milliseconds: number) => until(() => false, milliseconds).catch(() => {});

interface Said {
  readonly content?: unknown;
}

/** A graph that says one word after the other, each when the test lets it. */
function graphOf(word: () => Promise<unknown>) {
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }, { message, signal }) => {
      const id = `a${messages.length}`;
      const words = ["You ", "said ", `${String((messages.at(-1) as Said).content)}.`];
      for (const content of words) {
        message({ type: "AIMessageChunk", id, content } as never);
        await Promise.race([word(), new Promise((resolve) => signal?.addEventListener("abort", resolve))]);
      }
      return { messages: [{ type: "ai" as const, id, content: words.join("") }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: new MemorySaver() });
}

const PROTOCOLS = {
  "AG-UI": {
    serve: (word: () => Promise<unknown>) => serveAgUi(graphOf(word), { resumable: true }),
    make: (fetch: typeof globalThis.fetch, name: string): Runner =>
      new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), {
        transport: httpTransport({ url: "http://localhost/agent", resumable: true, fetch }),
        tabs: sharedTabs({ name }),
        rejoinDelays: [5],
      }),
    stream: /^GET \S*\/t\/events/,
    join: /^GET \S*\/t\/runs\/\S+$/,
  },
  LangGraph: {
    serve: (word: () => Promise<unknown>) => serveLangGraph(graphOf(word)),
    make: (fetch: typeof globalThis.fetch, name: string): Runner =>
      new LangGraphRunner(new Thread({ threadId: "t" }), {
        apiUrl: "http://localhost",
        assistantId: "agent",
        fetch,
        tabs: sharedTabs({ name }),
        multitaskStrategy: "reject",
        rejoinDelays: [5],
      }),
    stream: /^GET \S*\/t\/stream/,
    join: /^GET \S*\/t\/runs\/\S+\/stream/,
  },
};

/** A tab with its runner. */
interface Client {
  readonly tab: Tab;
  readonly runner: Runner;
  shown(): unknown[];
  /** Cuts its open connections. */
  cut(): void;
}

describe.each(Object.entries(PROTOCOLS))("%s", (_, { serve, make, stream, join }) => {
  function world(word: () => Promise<unknown>, delay?: () => number) {
    const handler = serve(word);
    const browser = new BrowserStandIn(delay);
    /** The requests so far, and those whose answers are still being read. */
    const asked: string[] = [];
    const open = new Set<string[]>();
    const client = (name = "ada", through: FetchHandler = handler): Client => {
      const tab = browser.open();
      const cuts = new Set<AbortController>();
      const cut = () => {
        for (const one of cuts) one.abort();
        cuts.clear();
      };
      const fetch: typeof globalThis.fetch = async (url, init) => {
        const request = new Request(String(url), init);
        const said = `${request.method} ${new URL(request.url).pathname}${new URL(request.url).search}`;
        asked.push(said);
        const response = await outside(() => through(request));
        init?.signal?.throwIfAborted();
        const own = [said];
        const broken = new AbortController();
        const reader = outside(() => response.body?.getReader());
        const end = (close: () => void) => {
          open.delete(own);
          cuts.delete(broken);
          close();
        };
        if (!reader) return response;
        open.add(own);
        cuts.add(broken);
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            const fail = (error: unknown) => end(() => controller.error(error));
            broken.signal.addEventListener("abort", () => {
              fail(new TypeError("cut"));
              void reader.cancel().catch(() => {});
            });
            init?.signal?.addEventListener("abort", () => {
              fail(new DOMException("aborted", "AbortError"));
              void reader.cancel().catch(() => {});
            });
          },
          async pull(controller) {
            const { done, value } = await reader.read();
            if (broken.signal.aborted || init?.signal?.aborted) return;
            if (done) end(() => controller.close());
            else controller.enqueue(value);
          },
          cancel: () => end(() => void reader.cancel().catch(() => {})),
        });
        return new Response(body, response);
      };
      let runner!: Runner;
      tab.run(() => void (runner = make(fetch, name)));
      opened.push(runner);
      const thread = runner.thread as Thread;
      return { tab, runner, shown: () => thread.getState().messages.map(({ content }) => content), cut };
    };
    const counted = (path: RegExp) => ({
      asked: asked.filter((one) => path.test(one)).length,
      open: [...open].filter(([one = ""]) => path.test(one)).length,
    });
    const close = ({ tab, cut }: Client) => {
      browser.close(tab);
      cut();
    };
    return { browser, client, close, asked, counted };
  }

  /** A word a call. */
  function gated() {
    const waiting: (() => void)[] = [];
    return {
      word: () => new Promise<void>((resolve) => waiting.push(resolve)),
      async say(): Promise<void> {
        await until(() => waiting.length > 0);
        waiting.shift()?.();
      },
    };
  }

  const in_ = ({ tab }: Client, work: () => unknown) => tab.run(() => void work());
  const follow = (clients: readonly Client[]) => {
    for (const client of clients) in_(client, () => client.runner.follow());
  };
  const send = (client: Client, text: string) => in_(client, () => client.runner.sendMessage(text));
  const isReady = ({ runner }: Client) => runner.status === "ready";
  const shows = (texts: readonly unknown[]) => (client: Client) =>
    JSON.stringify(client.shown()) === JSON.stringify(texts);

  /** Eight tabs that follow, after one run. */
  async function eight(gate: ReturnType<typeof gated>, made = world(gate.word)) {
    const clients = Array.from({ length: 8 }, () => made.client());
    const [first] = clients as [Client];
    send(first, "Hi");
    for (let words = 0; words < 3; words++) await gate.say();
    await until(() => isReady(first));
    follow(clients);
    await until(() => clients.every(shows(["Hi", "You said Hi."])));
    await until(() => made.counted(stream).open === 1);
    return { ...made, clients };
  }
  const GREETED = ["Hi", "You said Hi."];

  test("eight tabs follow and one sends: all show the same, and the server sees one stream of each", async () => {
    const gate = gated();
    const { clients, counted } = await eight(gate);
    send(clients[3] as Client, "Ada");
    await until(() => clients.every(shows([...GREETED, "Ada", "You "])));
    expect([counted(stream), counted(join)]).toEqual([
      { asked: 1, open: 1 },
      { asked: 1, open: 1 },
    ]);
    for (let words = 0; words < 3; words++) await gate.say();
    await until(() => clients.every(shows([...GREETED, "Ada", "You said Ada."])) && clients.every(isReady));
    await pass(10_000);
    expect([counted(stream), counted(join)]).toEqual([
      { asked: 1, open: 1 },
      { asked: 1, open: 0 },
    ]);
  });

  test("a tab that opens in mid-run gets what was before from the tab that reads", async () => {
    const gate = gated();
    const { clients, client, counted } = await eight(gate);
    send(clients[0] as Client, "Ada");
    await until(() => clients.every(shows([...GREETED, "Ada", "You "])));
    await gate.say();
    await until(() => clients.every(shows([...GREETED, "Ada", "You said "])));
    const late = client();
    follow([late]);
    await until(() => shows([...GREETED, "Ada", "You said "])(late));
    await gate.say();
    await gate.say();
    await until(() => [...clients, late].every(shows([...GREETED, "Ada", "You said Ada."])));
    await until(() => [...clients, late].every(isReady));
    expect([counted(stream).asked, counted(join).asked]).toEqual([1, 1]);
  });

  test("the tab that reads is closed in mid-run: another reads on after its last part", async () => {
    const gate = gated();
    const { browser, clients, close, counted } = await eight(gate);
    send(clients[7] as Client, "Ada");
    await until(() => clients.every(shows([...GREETED, "Ada", "You "])));
    const gone = clients.find(({ tab }) => tab === browser.holder('"t",')) as Client;
    expect(gone).not.toBe(clients[7]);
    close(gone);
    const left = clients.filter((one) => one !== gone);
    await until(() => counted(join).open === 1);
    await gate.say();
    await until(() => left.every(shows([...GREETED, "Ada", "You said "])));
    await gate.say();
    await gate.say();
    await until(() => left.every(shows([...GREETED, "Ada", "You said Ada."])) && left.every(isReady));
    expect(counted(join)).toEqual({ asked: 2, open: 0 });
    // Closed was also the one that followed: what came then is not lost.
    send(left[0] as Client, "Bob");
    await until(() => left.every(shows([...GREETED, "Ada", "You said Ada.", "Bob", "You "])));
    expect(counted(stream).open).toBe(1);
  });

  test("a tab that falls asleep is replaced; when it wakes, it shows what the others do", async () => {
    const gate = gated();
    const { browser, clients, counted } = await eight(gate);
    const asleep = clients.find(({ tab }) => tab === browser.holder('"t"]')) as Client;
    const [sender, ...awake] = clients.filter((one) => one !== asleep) as [Client, ...Client[]];
    asleep.tab.isAsleep = true;
    await until(() => browser.holder('"t"]') !== asleep.tab);
    await until(() => counted(stream).open === 2);
    send(sender, "Ada");
    await until(() => awake.every(shows([...GREETED, "Ada", "You "])));
    asleep.tab.wake();
    await until(() => clients.every(shows([...GREETED, "Ada", "You "])));
    expect(counted(stream).open).toBe(1);
    for (let words = 0; words < 3; words++) await gate.say();
    await until(() => clients.every(shows([...GREETED, "Ada", "You said Ada."])) && clients.every(isReady));
  });

  test("a connection that breaks is another tab's to make, and nobody shows an error", async () => {
    const gate = gated();
    const { clients, counted } = await eight(gate);
    const states = new Set<string>();
    for (const { runner } of clients) runner.subscribe(() => states.add(runner.status));
    send(clients[0] as Client, "Ada");
    await until(() => clients.every(shows([...GREETED, "Ada", "You "])));
    for (const one of clients.slice(1)) one.cut();
    await until(() => counted(stream).open === 1 && counted(join).open === 1);
    for (let words = 0; words < 3; words++) await gate.say();
    await until(() => clients.every(shows([...GREETED, "Ada", "You said Ada."])) && clients.every(isReady));
    expect([...states]).not.toContain("error");
  });

  test("tabs of another name read for themselves", async () => {
    const gate = gated();
    const { client, counted, asked } = await eight(gate);
    const other = client("bob", (request) => {
      asked.push(`bob ${request.method}`);
      return Promise.resolve(new Response(null, { status: 403 }));
    });
    follow([other]);
    await until(() => asked.includes("bob GET"));
    await pass(1_000);
    expect([counted(stream).open, other.shown()]).toEqual([1, []]);
  });

  test("tabs at random, that close, sleep, wake and lose connections: all that are left show the same", async () => {
    for (let seed = 1; seed <= runs(20); seed++) {
      const random = randomOf(seed);
      await randomWorld((count) => Math.floor(random() * count), seed);
      for (const runner of opened.splice(0)) runner.dispose();
      vi.unstubAllGlobals();
      vi.useRealTimers();
      vi.useFakeTimers();
    }
  });

  async function randomWorld(any: (count: number) => number, seed: number): Promise<void> {
    const word = () => new Promise((resolve) => setTimeout(resolve, any(20)));
    const { client, close, counted } = world(word, () => any(4));
    let clients = [client(), client(), client(), client()];
    send(clients[0] as Client, "Begin");
    await until(() => clients[0]?.shown().length === 2 && isReady(clients[0]));
    follow(clients);
    for (let step = 0; step < 20; step++) {
      await pass(any(40));
      const one = clients[any(clients.length)] as Client;
      const choice = any(10);
      if (choice < 4) send(one, `m${step}`);
      else if (choice === 4 && clients.length > 2) {
        close(one);
        clients = clients.filter((other) => other !== one);
      } else if (choice === 5) one.tab.isAsleep = true;
      else if (choice === 6) one.tab.wake();
      else if (choice === 7) one.cut();
      else if (choice === 8) {
        const fresh = client();
        clients.push(fresh);
        follow([fresh]);
      } else await pass(any(8_000));
    }
    for (const { tab } of clients) tab.wake();
    // A message that could not be sent is its tab's own.
    const had = ({ runner }: Client) => JSON.stringify((runner.thread as Thread).getConfirmedState().messages);
    const isSame = () => clients.every(isReady) && new Set(clients.map(had)).size === 1;
    await until(isSame, 120_000).catch(() => {});
    expect([seed, new Set(clients.map(had)).size, clients.filter(isReady).length]).toEqual([seed, 1, clients.length]);
    await until(() => counted(stream).open === 1);
  }
});

test.each(["one\u2028two\u2029three", "one\rtwo\r\nthree\n"])(
  "a text is the same through another tab: %j",
  async (delta) => {
    const thread = new Thread<AgUiState>({ threadId: "t" });
    const events = [
      { type: "RUN_STARTED", threadId: "t", runId: "r" },
      { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta },
      { type: "TEXT_MESSAGE_END", messageId: "m" },
      { type: "RUN_FINISHED", threadId: "t", runId: "r" },
    ];
    // Indented: its line ends are those of the stream.
    const lines = (event: object) => JSON.stringify(event, undefined, 1).replaceAll("\n", "\r\ndata: ");
    const body = events.map((event, at) => `id: ${at}\ndata: ${lines(event)}\n\n`).join("");
    const join = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    let isDone = false;
    const tab = new BrowserStandIn().open();
    tab.run(() => {
      const { signal } = new AbortController();
      const streams = sharedTabs({ name: "ada" })({ join } as never, "a");
      void (async () => {
        await foldAgUi(thread, (await streams.join?.({ threadId: "t", runId: "r" }, { signal } as never)) as never);
        isDone = true;
      })();
    });
    await until(() => isDone);
    expect(thread.getState().messages).toMatchObject([{ id: "m", content: delta }]);
  },
);

test("without locks, the streams are as they were", () => {
  const transport = httpTransport({ url: "http://localhost/agent", resumable: true });
  vi.stubGlobal("navigator", {});
  expect(sharedTabs({ name: "ada" })(transport, "")).toBe(transport);
});

test("a name is asked for", () => {
  expect(() => sharedTabs({} as never)).toThrow("sharedTabs: `name` must be a text");
  expect(() => sharedTabs({ nmae: "ada" } as never)).toThrow("Did you mean 'name'?");
});
