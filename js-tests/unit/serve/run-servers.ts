// Two servers of two graphs, as two instances are: they share the checkpointer and the store of runs, and nothing else.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, type FetchHandler, type RunStore } from "threadfold/serve";
import { expect, test } from "vitest";

/** A graph that says "one", waits, and says "two". A user who says "Wait for 2" sends two more messages. */
function graphOf(checkpointer: MemorySaver, gate: Promise<void>) {
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async ({ messages }, { writer, signal, inbox }) => {
      writer({ name: "said", value: "one" });
      await Promise.race([gate, new Promise((resolve) => signal?.addEventListener("abort", resolve))]);
      writer({ name: "said", value: "two" });
      const [, wanted = 0] = /^Wait for (\d)$/.exec(messages[0]?.content as string) ?? [];
      while (inbox().length < Number(wanted)) await new Promise((resolve) => setTimeout(resolve, 1));
      return { messages: [...inbox(), { type: "ai", id: "a1", content: "Hello" }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer });
}

/** A run of LangGraph's API that can be joined after any part. */
const JOINABLE = {
  assistant_id: "agent",
  input: { messages: [{ type: "human", id: "m1", content: "Hi" }] },
  stream_mode: ["custom"],
  stream_resumable: true,
};

const authenticate = (request: Request) => ({ identity: request.headers.get("authorization") ?? "ada" });

function asked(handler: FetchHandler, method: string, path: string, body?: object, as = "ada") {
  const init = { method, headers: { authorization: as }, ...(body && { body: JSON.stringify(body) }) };
  return handler(new Request(`http://localhost${path}`, init));
}

/** The parts of a stream: the id of each, and its text. */
const ofParts = (stream: string): [id: string, text: string][] =>
  [...stream.matchAll(/^id: (.*)\n([^]*?)\n\n/gm)].map(([, id = "", text = ""]) => [id, text]);

/** The parts that a run's starter gets: it has the question, with which the others begin. */
function withoutQuestion(joined: string | ReturnType<typeof ofParts>) {
  const [start, question, ...rest] = typeof joined === "string" ? ofParts(joined) : joined;
  expect(question?.[1]).toContain('"MESSAGES_SNAPSHOT","messages":[{"id":"m1"');
  return [start, ...rest];
}

/** Reads a response until it has the whole of the part with this text. */
async function until(response: Response, text: string): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const end = (told: string) => (told.includes(text) ? told.indexOf("\n\n", told.indexOf(text)) : -1);
  let told = "";
  while (end(told) < 0) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`The stream ended without ${text}: ${told}`);
    told += decoder.decode(value as Uint8Array);
  }
  await reader?.cancel();
  return told.slice(0, end(told) + 2);
}

/** @param open - Opens the store once more, as another instance does. */
export function serversTests(open: () => Promise<RunStore> | RunStore): void {
  async function instances<T>(of: (graph: ReturnType<typeof graphOf>, runs: RunStore) => T) {
    const checkpointer = new MemorySaver();
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const stores = [await open(), await open()] as const;
    const [one, other] = [of(graphOf(checkpointer, gate), stores[0]), of(graphOf(checkpointer, gate), stores[1])];
    return { one, other, go, close: () => Promise.all(stores.map((store) => store.close())) };
  }
  const input = (threadId: string, runId: string) => ({
    threadId,
    runId,
    messages: [{ id: "m1", role: "user", content: "Hi" }],
  });

  test("AG-UI: another instance joins, refuses a second run, and shows the run", async () => {
    const { one, other, go, close } = await instances((graph, runs) =>
      serveAgUi(graph, { runs, authenticate, heartbeat: 0 }),
    );
    const started = await asked(one, "POST", "/", input("ag1", "r1"));
    await until(await asked(other, "GET", "/threads/ag1/runs/r1"), '"one"');
    expect(await (await asked(other, "GET", "/threads/ag1")).json()).toMatchObject({ run: { id: "r1" } });
    expect((await asked(other, "POST", "/", input("ag1", "r2"))).status).toBe(409);
    const joined = await asked(other, "GET", "/threads/ag1/runs/r1");
    const again = await asked(other, "POST", "/", input("ag1", "r1"));
    go();
    const text = await started.text();
    expect(text).toContain("RUN_FINISHED");
    const whole = await joined.text();
    expect(await again.text()).toBe(whole);
    expect(withoutQuestion(whole)).toEqual(ofParts(text));
    const rest = await other(
      new Request("http://localhost/threads/ag1/runs/r1", { headers: { authorization: "ada", "last-event-id": "3" } }),
    );
    expect(whole.endsWith(await rest.text())).toBe(true);
    await close();
  });

  test("AG-UI: another instance stops a run", async () => {
    const { one, other, close } = await instances((graph, runs) =>
      serveAgUi(graph, { runs, authenticate, heartbeat: 0 }),
    );
    const started = await asked(one, "POST", "/", input("ag2", "r1"));
    await until(await asked(other, "GET", "/threads/ag2/runs/r1"), '"one"');
    expect((await asked(other, "DELETE", "/threads/ag2/runs/r1")).status).toBe(200);
    expect(await started.text()).toContain('"cancelled"');
    await close();
  });

  test("AG-UI: another instance steers a run", async () => {
    const { one, other, go, close } = await instances((graph, runs) =>
      serveAgUi(graph, { runs, authenticate, heartbeat: 0 }),
    );
    const started = await asked(one, "POST", "/", {
      ...input("ag9", "r1"),
      messages: [{ id: "m1", role: "user", content: "Wait for 2" }],
    });
    await until(await asked(other, "GET", "/threads/ag9/runs/r1"), '"one"');
    const path = "/threads/ag9/runs/r1/messages";
    const messages = [{ id: "m2", role: "user", content: "Quick" }];
    expect((await asked(other, "POST", path, { messages }, "bob")).status).toBe(404);
    expect((await asked(other, "POST", path, { messages })).status).toBe(202);
    // A later one, sent to this instance, comes after it.
    await asked(one, "POST", path, { messages: [{ id: "m3", role: "user", content: "Please" }] });
    go();
    const text = await started.text();
    expect([...text.matchAll(/Quick|Please/g)].map(([word]) => word).slice(0, 2)).toEqual(["Quick", "Please"]);
    expect((await asked(other, "POST", path, { messages })).status).toBe(409);
    await close();
  });

  test("AG-UI: another user reads, joins and stops nothing, on any instance", async () => {
    const { one, other, go, close } = await instances((graph, runs) =>
      serveAgUi(graph, { runs, authenticate, heartbeat: 0 }),
    );
    const started = await asked(one, "POST", "/", input("ag3", "r1"));
    for (const handler of [one, other])
      for (const [method, path, body] of [
        ["GET", "/threads/ag3"],
        ["GET", "/threads/ag3/runs/r1"],
        ["DELETE", "/threads/ag3/runs/r1"],
        ["POST", "/", input("ag3", "r1")],
        ["POST", "/", input("ag3", "r2")],
      ] as const)
        expect((await asked(handler, method, path, body, "bob")).status).toBe(404);
    go();
    expect(await started.text()).toContain("RUN_FINISHED");
    await close();
  });

  test("AG-UI: a thread is followed on another instance, from the run under way on, and after a cut", async () => {
    const { one, other, go, close } = await instances((graph, runs) =>
      serveAgUi(graph, { runs, authenticate, heartbeat: 0 }),
    );
    const follow = (query = "", lastEventId?: string, as = "ada") =>
      other(
        new Request(`http://localhost/threads/ag4/events${query}`, {
          headers: { authorization: as, ...(lastEventId && { "last-event-id": lastEventId }) },
        }),
      );
    expect((await follow()).status).toBe(404);
    const started = await asked(one, "POST", "/", input("ag4", "r1"));
    expect((await follow("", undefined, "bob")).status).toBe(404);
    expect((await follow("?only=ends")).status).toBe(400);
    const [events, starts] = [await follow(), await follow("?only=starts")];
    await until(await follow(), '"one"');
    go();
    const first = ofParts(await (await asked(other, "GET", "/threads/ag4/runs/r1")).text());
    expect(withoutQuestion(first)).toEqual(ofParts(await started.text()));
    await (await asked(one, "POST", "/", { ...input("ag4", "r2"), messages: [] })).text();
    const second = ofParts(await (await asked(other, "GET", "/threads/ag4/runs/r2")).text());
    const over = '"type":"RUN_FINISHED","threadId":"ag4","runId":"r2"';
    const told = ofParts(await until(events, over));
    const texts = told.map(([, text]) => text);
    expect(texts).toEqual([...first, ...second].map(([, text]) => text));
    // From every id the rest comes, without a gap and without a repetition.
    for (const at of [0, 1, first.length - 1, first.length]) {
      const rest = await until(await follow("", told[at]?.[0]), over);
      expect(ofParts(rest)).toEqual(told.slice(at + 1));
    }
    const begun = ofParts(await until(starts, '"runId":"r2"'));
    expect(begun.map(([, text]) => text)).toEqual(
      ["r1", "r2"].map((runId) => `data: ${JSON.stringify({ type: "RUN_STARTED", threadId: "ag4", runId })}`),
    );
    expect(ofParts(await until(await follow("?only=starts", begun[0]?.[0]), '"r2"'))).toEqual(begun.slice(1));
    await close();
  });

  test("LangGraph: a thread is followed on another instance, whole or by its runs' lives alone", async () => {
    const { one, other, go, close } = await instances((graph, runs) =>
      serveLangGraph(graph, { runs, authenticate, heartbeat: 0 }),
    );
    const path = "/threads/lg3/stream";
    expect((await asked(other, "GET", path)).status).toBe(404);
    const started = await asked(one, "POST", "/threads/lg3/runs/stream", JOINABLE);
    expect((await asked(other, "GET", path, undefined, "bob")).status).toBe(404);
    expect((await asked(other, "GET", `${path}?stream_mode=state_update`)).status).toBe(422);
    const [whole, lives] = [
      await asked(other, "GET", path),
      await asked(other, "GET", `${path}?stream_mode=lifecycle`),
    ];
    const next = (await (await asked(other, "POST", "/threads/lg3/runs", JOINABLE)).json()) as { run_id: string };
    go();
    const text = await started.text();
    const [, first = ""] = /"run_id":"([^"]+)"/.exec(text) ?? [];
    const done = (id: string) => `"status":"run_done","run_id":"${id}"`;
    const all = await until(whole, done(next.run_id));
    const withoutIds = (stream: string) => stream.replaceAll(/^id: .*\n/gm, "");
    expect(withoutIds(all).startsWith(`${withoutIds(text)}event: metadata\ndata: {${done(first)}}`)).toBe(true);
    const ids = [...all.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...(await until(lives, done(next.run_id))).matchAll(/^data: (.*)$/gm)].map(([, data]) => data)).toEqual([
      `{"run_id":"${first}","attempt":1}`,
      `{${done(first)}}`,
      `{"run_id":"${next.run_id}","attempt":1}`,
      `{${done(next.run_id)}}`,
    ]);
    await close();
  });

  test("LangGraph: another instance lists, joins and waits for a run, and queues the next", async () => {
    const { one, other, go, close } = await instances((graph, runs) =>
      serveLangGraph(graph, { runs, authenticate, heartbeat: 0 }),
    );
    const started = await asked(one, "POST", "/threads/lg1/runs/stream", JOINABLE);
    const [run] = (await (await asked(other, "GET", "/threads/lg1/runs")).json()) as { run_id: string }[];
    const path = `/threads/lg1/runs/${run?.run_id}`;
    await until(await asked(other, "GET", `${path}/stream`), '"one"');
    expect(await (await asked(other, "GET", path)).json()).toMatchObject({ status: "running" });
    expect(await (await asked(other, "GET", "/threads/lg1")).json()).toMatchObject({ status: "busy" });
    const refused = await asked(other, "POST", "/threads/lg1/runs", { ...JOINABLE, multitask_strategy: "reject" });
    expect(refused.status).toBe(409);
    const next = await asked(other, "POST", "/threads/lg1/runs", JOINABLE);
    const { run_id: nextId, status } = (await next.json()) as { run_id: string; status: string };
    expect(status).toBe("pending");
    const [joined, waited] = [await asked(other, "GET", `${path}/stream`), asked(other, "GET", `${path}/join`)];
    go();
    const text = await started.text();
    expect(text).toContain('"two"');
    expect(await joined.text()).toBe(text);
    expect(await (await waited).json()).toMatchObject({ messages: [{ content: "Hi" }, { content: "Hello" }] });
    await (await asked(one, "GET", `/threads/lg1/runs/${nextId}/join`)).json();
    const runs = (await (await asked(one, "GET", "/threads/lg1/runs")).json()) as { status: string }[];
    expect(runs.map((told) => told.status)).toEqual(["success", "success"]);
    await close();
  });

  test("LangGraph: another instance cancels and deletes runs; another user has none of them", async () => {
    const { one, other, close } = await instances((graph, runs) =>
      serveLangGraph(graph, { runs, authenticate, heartbeat: 0 }),
    );
    const body = { assistant_id: "agent", input: { messages: [{ type: "human", id: "m1", content: "Hi" }] } };
    const { run_id } = (await (await asked(one, "POST", "/threads/lg2/runs", body)).json()) as { run_id: string };
    const path = `/threads/lg2/runs/${run_id}`;
    for (const handler of [one, other])
      for (const [method, at] of [
        ["GET", path],
        ["GET", `${path}/stream`],
        ["GET", `${path}/join`],
        ["POST", `${path}/cancel`],
        ["DELETE", path],
        ["GET", "/threads/lg2/runs"],
      ] as const)
        expect((await asked(handler, method, at, method === "POST" ? {} : undefined, "bob")).status).toBe(404);
    expect((await asked(other, "POST", `${path}/cancel?wait=1`, {})).status).toBe(200);
    expect(await (await asked(one, "GET", path)).json()).toMatchObject({ status: "interrupted" });
    expect((await asked(other, "DELETE", path)).status).toBe(200);
    expect((await asked(one, "GET", path)).status).toBe(404);
    await close();
  });
}
