// The demo's chats against its agent server, without a page: after any fault, the thread ends as the server's.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import type { AgUiState, Thread } from "threadfold";
import { afterAll, beforeAll, expect, test as inTurn } from "vitest";
import { createAgent } from "../../../www/server/agent.mjs";
import { openChat as openAgUi } from "../../../www/src/chat/open-ag-ui";
import { openChat as openLangGraph } from "../../../www/src/chat/open-langgraph";
import { takeBack } from "../../../www/src/chat/take-back";
import { seeded } from "../../support/seed";

let server: Server;
let address: string;

beforeAll(async () => {
  const agent = createAgent();
  server = createServer((request, response) => {
    if (!agent(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

const opened: Heard[] = [];

afterAll(() => {
  for (const heard of opened) heard.leave();
  return new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
});

/** They wait for the server more than they compute. */
const test = inTurn.concurrent;

/** The faults to cause in the runs that begin from here on: the query of their requests. */
interface Faults {
  readonly latency?: number | undefined;
  readonly tick?: number | undefined;
  readonly cut?: number | undefined;
  readonly fail?: number | undefined;
  readonly lag?: number | undefined;
  /** Whether a run that was cut off is replayed from its start. */
  readonly replays?: boolean | undefined;
}

const WELL: Faults = { tick: 0 };

type Protocol = "ag-ui" | "langgraph";

type Opened = Awaited<ReturnType<typeof openAgUi> | ReturnType<typeof openLangGraph>>;

class Heard {
  thread!: Thread<AgUiState>;
  agent!: Opened["agent"];
  readonly complaints: string[] = [];
  readonly #protocol: Protocol;
  faults = WELL;
  /** As when the page is left. */
  leave!: () => void;

  private constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  static async opened(protocol: Protocol, kept = new Map<string, string>()): Promise<Heard> {
    const heard = new Heard(protocol);
    const saved = {
      name: "chat",
      storage: {
        getItem: (name: string) => kept.get(name) ?? null,
        setItem: (name: string, text: string) => void kept.set(name, text),
        removeItem: (name: string) => void kept.delete(name),
      },
      onError: ({ message }: Error) => void heard.complaints.push(message),
    };
    const options = { fetch: heard.#fetch, rejoinDelays: [5, 20, 50, 200, 500, 1_000] };
    const url = `${address}/agent`;
    const { thread, agent, stopSaving } = await (protocol === "ag-ui"
      ? openAgUi(saved, { ...options, url, resumable: true })
      : openLangGraph(saved, { ...options, apiUrl: `${address}/langgraph`, assistantId: "agent" }));
    heard.thread = thread as Thread<AgUiState>;
    heard.agent = agent;
    heard.leave = () => {
      agent.dispose();
      stopSaving();
    };
    heard.thread.on("error", ({ code, message }) => void heard.complaints.push(`${code}: ${message}`));
    heard.thread.on("drift", ({ patch }) => void heard.complaints.push(`drift: ${JSON.stringify(patch)}`));
    opened.push(heard);
    return heard;
  }

  readonly #fetch: typeof fetch = (input, init) => {
    const url = new URL(input as string);
    const { replays, ...rest } = this.faults;
    const query = (init?.method ?? "GET") === "GET" ? { from: replays ? "start" : undefined } : rest;
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return fetch(url, init);
  };

  send(text: string): void {
    void this.agent.sendMessage(text);
  }

  get failed() {
    return this.thread.pending.find(({ status }) => status === "failed");
  }

  async settled(): Promise<void> {
    const over = () =>
      ["ready", "error", "interrupted"].includes(this.agent.status) &&
      this.thread.run.status !== "disconnected" &&
      this.thread.pending.every((update) => update.status === "failed");
    while (!over()) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async held(): Promise<object[]> {
    const { threadId } = this.thread;
    const path = this.#protocol === "ag-ui" ? `agent/threads/${threadId}` : `langgraph/threads/${threadId}/state`;
    const body = (await (await fetch(`${address}/${path}`)).json()) as {
      messages?: object[];
      values?: { messages: object[] };
    };
    return body.values?.messages ?? body.messages ?? [];
  }

  /** The messages, without fields that only one side writes. */
  get lines(): string[] {
    return this.thread.getState().messages.map(line);
  }
}

const line = (message: object) => {
  const { id, content } = message as { id: string; content: unknown };
  return `${id}: ${String(content)}`;
};

const texts = ({ thread }: Heard) =>
  thread.getState().messages.map(({ content }) => String(content).split(" ", 3).join(" "));

const PROTOCOLS: readonly Protocol[] = ["ag-ui", "langgraph"];

test.each(PROTOCOLS.flatMap((protocol) => [false, true].map((replays) => [protocol, replays] as const)))(
  "%s: a connection that breaks before the run's first word, replayed %s: none of it is missed",
  async (protocol, replays) => {
    const heard = await Heard.opened(protocol);
    heard.send("A long answer, please");
    await heard.settled();
    // The previous run was longer than this one.
    heard.faults = { ...WELL, cut: 0, replays };
    heard.send("Plan my week");
    await heard.settled();
    expect(heard.complaints).toEqual([]);
    expect(heard.lines).toEqual((await heard.held()).map(line));
    expect(heard.lines).toHaveLength(6);
  },
);

test("sent again, the half answer makes way; rolled back, it goes with the question", async () => {
  const heard = await Heard.opened("ag-ui");
  heard.faults = { ...WELL, fail: 14 };
  heard.send("Plan my week");
  await heard.settled();
  expect(texts(heard)).toEqual(["Plan my week", "Let me plan"]);
  const { failed } = heard;
  if (failed) takeBack(heard.thread as unknown as Thread, failed as never);
  expect(texts(heard)).toEqual([]);

  heard.send("Plan my day");
  await heard.settled();
  heard.faults = WELL;
  void heard.agent.retry(heard.failed);
  expect(texts(heard)).toEqual(["Plan my day"]);
  await heard.settled();
  expect(texts(heard)).toEqual(["Plan my day", "Let me plan", "Noted 3 todos.", "You wrote “Plan"]);
  expect(heard.thread.getState().messages).toEqual(await heard.held());
});

test("a failed message is sent again after later messages", async () => {
  const heard = await Heard.opened("ag-ui");
  heard.faults = { ...WELL, fail: 2 };
  heard.send("Hi");
  await heard.settled();
  heard.faults = WELL;
  heard.send("Hello");
  await heard.settled();
  expect(texts(heard)[0]).toBe("Hi");
  void heard.agent.retry(heard.failed);
  expect(texts(heard).at(-1)).toBe("Hi");
  await heard.settled();
  expect(heard.thread.getState().messages).toEqual(await heard.held());
  expect(heard.thread.pending).toEqual([]);
});

test.each(PROTOCOLS.flatMap((protocol) => [true, false].map((approved) => [protocol, approved] as const)))(
  "%s: the mail is asked for before it is sent; approved %s",
  async (protocol, approved) => {
    const heard = await Heard.opened(protocol);
    heard.send("Mail Ada that I am late");
    await heard.settled();
    expect(heard.agent.status).toBe("interrupted");
    const [interrupt] = heard.agent.interrupts;
    expect(interrupt).toMatchObject({ message: "Send this mail to ada@example.com?" });
    expect(interrupt?.toolCallId).toMatch(/-mail$/);
    await heard.agent.resume({ id: interrupt?.id, value: { approved } });
    expect(heard.agent.status).toBe("ready");
    expect(texts(heard).slice(2)).toEqual(
      approved ? ["The mail is", "Done: Ada has"] : ["The user said", "Fine: I have"],
    );
    expect(heard.lines).toEqual((await heard.held()).map(line));
    expect(heard.complaints).toEqual([]);
  },
);

test.each(PROTOCOLS)("%s: left in mid-run, the chat is found again and the run is joined", async (protocol) => {
  const kept = new Map<string, string>();
  const left = await Heard.opened(protocol, kept);
  left.faults = { tick: 2 };
  left.send("A long answer, please");
  while (left.lines.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  left.leave();
  const found = await Heard.opened(protocol, kept);
  expect(found.lines[0]).toBe(left.lines[0]);
  await found.settled();
  expect(found.agent.status).toBe("ready");
  expect(found.lines).toHaveLength(2);
  expect(found.lines).toEqual((await found.held()).map(line));
  expect(found.complaints).toEqual([]);
});

test.each(PROTOCOLS)("%s: stopped, the run ends on the server too, and the next one is answered", async (protocol) => {
  const heard = await Heard.opened(protocol);
  heard.faults = { tick: 5 };
  const sent = heard.agent.sendMessage("A long answer, please");
  while (heard.lines.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await heard.agent.stop();
  expect((await sent).status).toBe("stopped");
  heard.faults = WELL;
  expect((await heard.agent.sendMessage("Hi")).status).toBe("finished");
  expect(texts(heard)[0]).toBe("A long answer,");
  expect(texts(heard).at(-1)).toBe("You wrote “Hi”.");
  expect(heard.lines).toEqual((await heard.held()).map(line));
});

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const anyFaults: fc.Arbitrary<Faults> = fc.record({
  latency: fc.constantFrom(0, 20),
  tick: fc.constantFrom(0, 1),
  cut: maybe(fc.nat(60)),
  fail: maybe(fc.integer({ min: 1, max: 40 })),
  replays: fc.boolean(),
  lag: fc.constantFrom(0, 2),
});
const anyStep = fc.record({
  faults: anyFaults,
  what: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        "Plan my week",
        "A trip to Rome",
        "Hi",
        "What is the weather in Lima?",
        "A long answer, please",
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom("*retry", "*rollback") },
  ),
  wait: fc.constantFrom(0, 30, undefined),
});

test("random use under faults: no error, no drift, and in the end the server's messages", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyStep, { minLength: 2, maxLength: 6 }), { minLength: 16, maxLength: 16 }),
      async (uses) => {
        // Broken connections are waited for: many chats wait at once.
        await Promise.all(
          uses.map(async (steps) => {
            const heard = await Heard.opened("ag-ui");
            for (const { faults, what, wait } of steps) {
              heard.faults = faults;
              const { failed } = heard;
              if (!what.startsWith("*")) heard.send(what);
              else if (failed && what === "*retry") void heard.agent.retry(failed);
              else if (failed) takeBack(heard.thread as unknown as Thread, failed as never);
              if (wait === undefined) await heard.settled();
              else await new Promise((resolve) => setTimeout(resolve, wait));
            }
            await heard.settled();
            heard.faults = WELL;
            for (const update of heard.thread.pending) takeBack(heard.thread as unknown as Thread, update as never);
            heard.send("Hi");
            await heard.settled();
            expect(heard.complaints).toEqual([]);
            expect(heard.thread.getState().messages).toEqual(await heard.held());
            expect(heard.thread.pending).toEqual([]);
          }),
        );
      },
    ),
    { ...seeded("sessions", 4), endOnFailure: true },
  );
});
