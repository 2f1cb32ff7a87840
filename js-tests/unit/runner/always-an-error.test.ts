// A runner has an error exactly while its status is "error", in words and with a code, after any failure.
import { Thread, type AgUiState } from "threadfold";
import { httpTransport, AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { joinAt } from "./stub-transport.js";

interface Protocol {
  begin: string;
  /** Bodies that end a run without being readable. */
  bad: string[];
  open(fetch: typeof globalThis.fetch): Tried;
}

interface Tried {
  readonly status: string;
  readonly error?: { readonly code: unknown; readonly message: unknown } | undefined;
  readonly thread: object;
  subscribe(listener: () => void): () => void;
  sendMessage(text: string): Promise<{ status: string; error?: unknown }>;
  retry(): Promise<{ status: string; error?: unknown }>;
  load(): Promise<{ status: string; error?: unknown }>;
  dispose(): void;
}

const rejoinDelays = [0];
const event = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const part = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const agUi = (thread: Thread<AgUiState>, fetch: typeof globalThis.fetch, joinUrl?: () => string) =>
  new AgUiRunner(thread, {
    transport: {
      ...httpTransport({ url: "http://server/agent", fetch }),
      ...(joinUrl && { join: joinAt(fetch, joinUrl) }),
    },
    rejoinDelays,
  });
const AG_UI = {
  begin: event({ type: "RUN_STARTED", threadId: "t", runId: "r" }),
  bad: [
    event({ type: "RUN_ERROR", message: "boom" }),
    event({ type: "RUN_ERROR" }),
    event({ type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "interrupt", interrupts: [null, 3] } }),
    event({ type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: 5 }),
  ],
};
const PROTOCOLS: Record<string, Protocol> = {
  "AG-UI": { ...AG_UI, open: (fetch) => agUi(new Thread<AgUiState>(), fetch) },
  "AG-UI, joined": { ...AG_UI, open: (fetch) => agUi(new Thread<AgUiState>(), fetch, () => "http://server/run") },
  LangGraph: {
    begin: part("metadata", { run_id: "r" }),
    bad: [part("error", { message: "boom" }), part("error", { error: "E", message: 3 }), part("error", null)],
    open: (fetch) =>
      new LangGraphRunner(new Thread({ threadId: "t" }), {
        apiUrl: "http://server",
        assistantId: "a",
        fetch,
        rejoinDelays,
      }),
  },
};

/** A body of server-sent events that ends so, or not at all. */
const stream = (text: string, end?: "close" | Error, status = 200, type = "text/event-stream") =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        if (end === "close") controller.close();
        else if (end) setTimeout(() => controller.error(end), 2);
      },
    }),
    { status, headers: { "content-type": type } },
  );

const throwing = (what: unknown) => (): never => {
  throw what as Error;
};

const ANSWERS: Record<string, () => Response> = {
  "no connection": throwing(new TypeError("Failed to fetch")),
  "a signal of its own": throwing(new DOMException("aborted", "AbortError")),
  "a timeout": throwing(new DOMException("late", "TimeoutError")),
  "a text thrown": throwing("off"),
  "nothing thrown": throwing(undefined),
  "no answer": () => undefined as unknown as Response,
  "401": () => new Response("no", { status: 401 }),
  "404": () => new Response("no", { status: 404 }),
  "503": () => new Response("busy", { status: 503 }),
  "500 without an end": () => stream("boom", undefined, 500, "text/plain"),
  "a page": () => stream("<html>", "close", 200, "text/html"),
  "a page without an end": () => stream("<html>", undefined, 200, "text/html"),
  "204": () => new Response(null, { status: 204 }),
  "an empty stream": () => stream("", "close"),
};

/** While a runner rejoins a broken connection by itself, it is disconnected without an error. */
const ALLOWED = [
  ["submitted", false, false],
  ["streaming", false, false],
  ["ready", false, false],
  ["disconnected", false, false],
  ["disconnected", true, true],
  ["error", true, true],
];

/** Runs this, and looks at every change and at the end. */
async function look(runner: Tried, act: () => Promise<{ status: string; error?: unknown }>): Promise<void> {
  const looked: unknown[] = [];
  const check = () => {
    const { status, error } = runner;
    looked.push([status, typeof error?.code === "string", typeof error?.message === "string"]);
  };
  const leave = runner.subscribe(check);
  const { status, error } = await act();
  check();
  leave();
  for (const at of looked) expect(ALLOWED).toContainEqual(at);
  expect(["error", "disconnected"]).toContain(status);
  expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  expect(error).toBe(runner.error);
  expect(runner.status).toBe(status);
}

describe.concurrent.each(Object.entries(PROTOCOLS))("%s", (_, { begin, bad, open }) => {
  test.each(Object.entries(ANSWERS))("the request: %s", async (_, answer) => {
    const runner = open(async () => answer());
    await look(runner, () => runner.sendMessage("Hi"));
  });

  // The runner waits for the end of an error's body. LangGraph sends nothing about a finished run.
  const joins = Object.entries(ANSWERS).filter(([name]) => !/without|empty/.test(name));
  test.each(joins)("a cut, and then: %s", async (_, answer) => {
    for (const end of ["close", new TypeError("reset"), new DOMException("aborted", "AbortError")] as const) {
      let asked = 0;
      const runner = open(async () => (asked++ === 0 ? stream(begin, end) : answer()));
      await look(runner, () => runner.sendMessage("Hi"));
      await look(runner, () => runner.retry());
    }
  });

  test("an end that cannot be read", async () => {
    for (const text of bad) {
      const runner = open(async () => stream(begin + text, "close"));
      await look(runner, () => runner.sendMessage("Hi"));
    }
  });

  test("a page that was left, before the server answered and after it", async () => {
    for (const answer of [() => new Promise<Response>(() => {}), async () => stream(begin)]) {
      const runner = open(answer);
      const sent = runner.sendMessage("Hi");
      await new Promise((resolve) => setTimeout(resolve, 5));
      runner.dispose();
      expect(await sent).toMatchObject({ status: "disconnected" });
      // No retry() can be called of it any more: the next runner for the thread shows the error.
      expect([runner.status, runner.error]).toEqual(["ready", undefined]);
    }
  });
});

test("over LangGraph: a thread that cannot be loaded", async () => {
  for (const answer of Object.values(ANSWERS).slice(0, 9)) {
    const options = { apiUrl: "http://server", assistantId: "a", fetch: async () => answer() };
    const runner = new LangGraphRunner(new Thread({ threadId: "t" }), options);
    if (answer === ANSWERS["404"]) expect(await runner.load()).toMatchObject({ status: "finished" });
    else await look(runner, () => runner.load());
  }
});
