// Runs that end in odd ways. A fetch gives up by itself; a stop comes before there is a thread; a listener of a message
// disposes of the runner.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";

const aborted = () => Promise.reject(new DOMException("This operation was aborted", "AbortError"));

/** A response whose body begins, and breaks as the user's own signal breaks it. */
const breaking = (begin: string) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(begin));
        setTimeout(() => controller.error(new DOMException("This operation was aborted", "AbortError")), 5);
      },
    }),
    { headers: { "content-type": "text/event-stream" } },
  );

const RUNNERS = {
  "AG-UI": (answer: (begin: string) => Promise<Response>) =>
    new AgUiRunner(new Thread<AgUiState>(), {
      url: "http://server",
      rejoinDelays: [],
      fetch: () => answer('data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}\n\n'),
    }),
  LangGraph: (answer: (begin: string) => Promise<Response>) =>
    new LangGraphRunner(new Thread({ threadId: "t" }), {
      apiUrl: "http://server",
      assistantId: "agent",
      rejoinDelays: [],
      fetch: () => answer('event: metadata\ndata: {"run_id":"r"}\n\n'),
    }),
};

describe.each(Object.entries(RUNNERS))("%s", (_, open) => {
  test("a fetch that gives up by itself has lost the connection", async () => {
    const runner = open(aborted);
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
    expect(runner.thread.pending.map(({ status }) => status)).toEqual(["failed"]);
  });

  test("nor has a run ended whose body was given up", async () => {
    const runner = open((begin) => Promise.resolve(breaking(begin)));
    const { status, error } = (await runner.sendMessage("Hi")) as { status: string; error?: { code?: string } };
    expect(["error", "disconnected"]).toContain(status);
    expect(error?.code).toBe("NO_CONNECTION");
    expect(runner.status).toBe(status);
  });

  test("a runner that its message's listener disposes of is disconnected", async () => {
    const runner = open(aborted);
    runner.thread.subscribe(() => runner.dispose());
    expect(await runner.sendMessage("Hi")).toMatchObject({ status: "disconnected" });
  });
});

describe("LangGraph", () => {
  const requests: { path: string; body: Record<string, unknown> }[] = [];
  const server =
    (answers: Record<string, () => Response | Promise<Response>>): typeof fetch =>
    (url, init) => {
      const { pathname } = new URL(url as string);
      const { body } = init ?? {};
      requests.push({
        path: pathname,
        body: typeof body === "string" ? (JSON.parse(body) as Record<string, unknown>) : {},
      });
      return Promise.resolve((answers[pathname] ?? (() => Response.json({}, { status: 404 })))());
    };
  const options = { apiUrl: "http://server", assistantId: "agent" };

  test("half an answer is not whole because the stream of a joined run is gone", async () => {
    const question = { type: "human", id: "q", content: "Hi" };
    const values = { messages: [question, { type: "ai", id: "a", content: "Hello, world" }] };
    const part = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    const half = [
      part("metadata", { run_id: "r" }),
      part("values", { messages: [question] }),
      part("messages", [{ type: "AIMessageChunk", id: "a", content: "Hel" }, {}]),
    ];
    const stream = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });
    for (const empty of ["", ": heartbeat\n\n", half.join("")]) {
      const runner = new LangGraphRunner(new Thread({ threadId: "t" }), {
        ...options,
        rejoinDelays: [1, 1],
        fetch: server({
          "/threads/t/runs/stream": () => stream(half.join("")),
          "/threads/t/runs/r/stream": () => stream(empty),
          "/threads/t/runs/r": () => Response.json({ run_id: "r", status: "success" }),
          "/threads/t/runs": () => Response.json([{ run_id: "r", status: "success" }]),
          "/threads/t/state": () => Response.json({ values, tasks: [] }),
        }),
      });
      expect(await runner.sendMessage(question)).toMatchObject({ status: "finished" });
      expect(runner.thread.getState().messages.map(({ content }) => content)).toEqual(["Hi", "Hello, world"]);
      expect(runner.thread.incompleteIds).toEqual([]);
    }
  });

  test("stopped before its thread is made, asks for no run", async () => {
    requests.length = 0;
    let make: (response: Response) => void = () => {};
    const made = new Promise<Response>((resolve) => (make = resolve));
    const runner = new LangGraphRunner(new Thread(), { ...options, fetch: server({ "/threads": () => made }) });
    const sent = runner.sendMessage("Hi");
    await new Promise((resolve) => setTimeout(resolve));
    const stopping = runner.stop();
    make(Response.json({ thread_id: "t" }));
    expect([await stopping, (await sent).status]).toMatchObject([{ status: "stopped" }, "stopped"]);
    expect(requests.map(({ path }) => path)).toEqual(["/threads"]);
    expect(runner.thread.pending.map(({ status }) => status)).toEqual(["pending"]);
  });

  test("a thread's id stays one part of the path", async () => {
    requests.length = 0;
    const thread = (threadId: string) => new Thread({ threadId });
    for (const id of ["../assistants/search?", "a/b#c", ".."])
      await new LangGraphRunner(thread(id), { ...options, fetch: server({}) }).load();
    expect(requests.map(({ path }) => path)).toEqual([
      "/threads/..%2Fassistants%2Fsearch%3F/runs",
      "/threads/a%2Fb%23c/runs",
    ]);
  });

  test("an answer without a value is null", async () => {
    const thread = new Thread({ threadId: "t" });
    const id = "0".repeat(32);
    thread.receive({ type: "run-started", runId: "r" });
    thread.receive({ type: "run-finished", interrupts: [{ id, value: "Delete it?" }] });
    requests.length = 0;
    await new LangGraphRunner(thread, { ...options, fetch: server({}) }).resume({});
    expect(requests[0]?.body["command"]).toEqual({ resume: { [id]: null } });
  });
});
