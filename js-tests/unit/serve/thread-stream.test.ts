// A thread's stream: who may follow, what LangGraph's SDK reads of it, runs that cannot be read, and who leaves.
import { Client } from "@langchain/langgraph-sdk";
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { MemoryRuns, serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { expect, test } from "vitest";

const graph = (checkpointer = new MemorySaver()) =>
  new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", () => ({ messages: [{ type: "ai", id: "a1", content: "Hello" }] }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer });

const ask = (handler: FetchHandler, path: string, body?: object) =>
  handler(new Request(`http://localhost${path}`, body && { method: "POST", body: JSON.stringify(body) }));

const agUi = (threadId: string, runId: string) => ({
  threadId,
  runId,
  messages: [{ id: "m1", role: "user", content: "Hi" }],
});
const hi = { messages: [{ type: "human", id: "m1", content: "Hi" }] };

const wordsOf = async (response: Response): Promise<unknown> => {
  const { error, detail } = (await response.json()) as { error?: string; detail?: string };
  return [response.status, error ?? detail];
};

/** Reads the data of a stream's parts, one at a time. */
async function* dataOf(
  response: Response,
): AsyncGenerator<{ type?: string; runId?: string; run_id?: string; status?: string }> {
  const decoder = new TextDecoder();
  let told = "";
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    told += decoder.decode(bytes, { stream: true });
    const parts = told.split("\n\n");
    told = parts.pop() ?? "";
    for (const part of parts) {
      const [, data] = /^data: (.*)$/m.exec(part) ?? [];
      if (data) yield JSON.parse(data) as object;
    }
  }
}

test("a thread that is not there is followed by nobody, nor one whose runs cannot be joined", async () => {
  const server = serveAgUi(graph(), { resumable: true });
  expect(await wordsOf(await ask(server, "/threads/t1/events"))).toEqual([404, "There is no thread t1."]);
  expect(await wordsOf(await ask(serveLangGraph(graph()), "/threads/t1/stream"))).toEqual([
    404,
    "There is no thread t1.",
  ]);
  expect(await wordsOf(await ask(serveAgUi(graph()), "/threads/t1/events"))).toEqual([
    404,
    "To follow threads, give serveAgUi the option resumable.",
  ]);
  expect((await ask(server, "/threads/t1/events", {})).status).toBe(404);
});

test("LangGraph's SDK follows a thread", async () => {
  const server = serveLangGraph(graph());
  const client = new Client({
    apiUrl: "http://localhost",
    callerOptions: { fetch: async (url: RequestInfo | URL, init?: RequestInit) => server(new Request(url, init)) },
  });
  const { thread_id: id } = await client.threads.create();
  const heard: object[] = [];
  const left = new AbortController();
  const lives = (async () => {
    for await (const { event, data } of client.threads.joinStream(id, { streamMode: "lifecycle", signal: left.signal }))
      if (heard.push({ event, ...(data as object) }) === 4) return;
  })();
  const runs = [];
  for (let count = 0; count < 2; count++) {
    const run = await client.runs.create(id, "agent", { input: hi, streamMode: ["values"], streamResumable: true });
    runs.push(run.run_id);
    await client.runs.join(id, run.run_id);
  }
  await lives;
  const livesOf = (run_id?: string) => [
    { event: "metadata", run_id, attempt: 1 },
    { event: "metadata", status: "run_done", run_id },
  ];
  expect(heard).toEqual(runs.flatMap(livesOf));
  // Whole, after the first run's end.
  const parts: { id?: string; event: string; data: unknown }[] = [];
  for await (const part of client.threads.joinStream(id, { lastEventId: "0-0", signal: left.signal }))
    if (parts.push(part as never) && (part.data as { status?: string }).status === "run_done") break;
  expect(parts.map(({ event }) => event)).toEqual(["metadata", "values", "values", "metadata"]);
  const after = [];
  for await (const part of client.threads.joinStream(id, { lastEventId: parts.at(-1)?.id ?? "", signal: left.signal }))
    if (after.push(part) === 1) break;
  expect(after).toMatchObject([{ event: "metadata", data: { run_id: runs[1] } }]);
  left.abort();
});

test("a run that cannot be read here is announced when it is over", async () => {
  const runs = new MemoryRuns();
  const one = graph();
  const [lang, ag] = [serveLangGraph(one, { runs }), serveAgUi(one, { runs })];
  await (await ask(ag, "/", agUi("t1", "r1"))).text();
  const [heardByAg, heardByLang] = [
    dataOf(await ask(ag, "/threads/t1/events?only=starts")),
    dataOf(await ask(lang, "/threads/t1/stream?stream_mode=lifecycle")),
  ];
  // Protocol v2 has a stream of its own.
  const started = await ask(lang, "/threads/t1/commands", {
    id: 1,
    method: "run.start",
    params: { assistant_id: "agent", input: hi },
  });
  const { result } = (await started.json()) as { result: { run_id: string } };
  expect((await heardByAg.next()).value).toMatchObject({ type: "RUN_STARTED", runId: result.run_id });
  expect((await heardByLang.next()).value).toEqual({ run_id: result.run_id, attempt: 1 });
  expect((await heardByLang.next()).value).toEqual({ run_id: result.run_id, status: "run_done" });
  const state = (await (await ask(lang, "/threads/t1")).json()) as { status: string };
  expect(state.status).toBe("idle");
  await heardByAg.return(undefined);
  await heardByLang.return(undefined);
});

test("a follower that leaves takes all with it, however its server says so", async () => {
  let watching = 0;
  class Counted extends MemoryRuns {
    override async *watch(...given: Parameters<MemoryRuns["watch"]>) {
      watching++;
      try {
        yield* super.watch(...given);
      } finally {
        watching--;
      }
    }
  }
  const server = serveAgUi(graph(), { runs: new Counted() });
  await (await ask(server, "/", agUi("t1", "r1"))).text();
  const left = new AbortController();
  const follow = (init?: RequestInit) => server(new Request("http://localhost/threads/t1/events", init));
  const responses = await Promise.all([follow(), follow({ signal: left.signal })]);
  await Promise.all(responses.map((response) => response.body?.getReader().read()));
  expect(watching).toBe(2);
  // A signal follows that of its request's maker only as long as the request is there.
  await new Promise((resolve) => setTimeout(resolve));
  (globalThis as { gc?: () => void }).gc?.();
  left.abort();
  await new Promise((resolve) => setTimeout(resolve));
  expect(watching).toBe(1);
  const one = await follow();
  await one.body?.cancel();
  await new Promise((resolve) => setTimeout(resolve));
  expect(watching).toBe(1);
});

test("a follower hears nothing of a thread that another user has made since", async () => {
  const authenticate = (request: Request) => ({ identity: request.headers.get("authorization") ?? "" });
  const asked = (handler: FetchHandler, as: string, method: string, path: string, body?: object) => {
    const init = { method, headers: { authorization: as }, ...(body && { body: JSON.stringify(body) }) };
    return handler(new Request(`http://localhost${path}`, init));
  };
  const lang = serveLangGraph(graph(), { authenticate });
  const runOf = (as: string) => asked(lang, as, "POST", "/threads/t1/runs/wait", { assistant_id: "agent", input: hi });
  await (await runOf("bob")).text();
  const streams = await Promise.all([
    asked(lang, "bob", "GET", "/threads/t1/stream"),
    asked(lang, "bob", "POST", "/threads/t1/stream/events", { channels: ["values", "lifecycle"] }),
  ]);
  expect((await asked(lang, "bob", "DELETE", "/threads/t1")).status).toBe(204);
  await (await runOf("ada")).text();
  const params = { assistant_id: "agent", input: hi };
  await (await asked(lang, "ada", "POST", "/threads/t1/commands", { id: 1, method: "run.start", params })).text();
  // Both have ended.
  for (const stream of streams) expect(await stream.text()).not.toMatch(/^data/m);

  // Without a checkpointer a thread is a user's as long as its runs are kept.
  const alone = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", () => ({}))
    .addEdge(START, "answer")
    .compile();
  const ag = serveAgUi(alone, { authenticate, runs: new MemoryRuns({ keep: 1 }) });
  await (await asked(ag, "bob", "POST", "/", agUi("t1", "r1"))).text();
  const followed = await asked(ag, "bob", "GET", "/threads/t1/events");
  await (await asked(ag, "bob", "POST", "/", agUi("t2", "r1"))).text();
  await (await asked(ag, "ada", "POST", "/", agUi("t1", "r2"))).text();
  expect(await followed.text()).not.toMatch(/^data/m);
});

/** A saver that counts how often it is asked whose a thread is. */
class CountingSaver extends MemorySaver {
  looks = 0;
  override list(...given: Parameters<MemorySaver["list"]>) {
    const [config] = given;
    if (config.configurable?.checkpoint_ns === "__owner__") this.looks++;
    return super.list(...given);
  }
}

test.each([
  [
    "serveAgUi",
    (checkpointer: MemorySaver) =>
      serveAgUi(graph(checkpointer), { authenticate: () => ({ identity: "ada" }), resumable: true }),
    "/threads/t/events",
    (run: string) => ["/", agUi("t", run)] as const,
    "RUN_FINISHED",
    1,
  ],
  [
    "serveLangGraph",
    (checkpointer: MemorySaver) => serveLangGraph(graph(checkpointer), { authenticate: () => ({ identity: "ada" }) }),
    "/threads/t/stream",
    () => ["/threads/t/runs/wait", { assistant_id: "agent", input: hi }] as const,
    "run_done",
    // When it comes, and when its run begins.
    2,
  ],
])("%s: who may read a run is looked up once, however many follow", async (_, serve, path, runOf, end, own) => {
  const saver = new CountingSaver();
  const handler = serve(saver);
  const run = async (id: string) => {
    const [at, body] = runOf(id);
    return (await ask(handler, at, body)).text();
  };
  await run("r1");
  const followers = await Promise.all(Array.from({ length: 50 }, () => ask(handler, path)));
  const streams = followers.map(dataOf);
  for (const id of ["r2", "r3"]) {
    saver.looks = 0;
    await run(id);
    await Promise.all(
      streams.map(async (stream) => {
        for (;;) {
          const { value, done } = await stream.next();
          expect(done).toBe(false);
          if (JSON.stringify(value).includes(end)) return;
        }
      }),
    );
    // Beside those for the request that starts it.
    expect(saver.looks).toBe(own + 1);
  }
  for (const stream of streams) await stream.return(undefined);
});
