// Two servers of two graphs, as two instances are: they share the checkpointer and the store of runs, and nothing else.
import { defineSchema, field } from "threadfold";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, type FetchHandler, type RunStore } from "threadfold/serve";
import { expect, test } from "vitest";

/** A graph that says "one", waits, and says "two". */
function graphOf(checkpointer: MemorySaver, gate: Promise<void>) {
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", async (_state, { writer, signal }) => {
      writer({ name: "said", value: "one" });
      await Promise.race([gate, new Promise((resolve) => signal?.addEventListener("abort", resolve))]);
      writer({ name: "said", value: "two" });
      return { messages: [{ type: "ai", id: "a1", content: "Hello" }] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer });
}

const authenticate = (request: Request) => ({ identity: request.headers.get("authorization") ?? "ada" });

function asked(handler: FetchHandler, method: string, path: string, body?: object, as = "ada") {
  const init = { method, headers: { authorization: as }, ...(body && { body: JSON.stringify(body) }) };
  return handler(new Request(`http://localhost${path}`, init));
}

/** Reads a response until it has the text. */
async function until(response: Response, text: string): Promise<void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (let told = ""; !told.includes(text);) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`The stream ended without ${text}: ${told}`);
    told += decoder.decode(value as Uint8Array);
  }
  await reader?.cancel();
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
    expect([await joined.text(), await again.text()]).toEqual([text, text]);
    const rest = await other(
      new Request("http://localhost/threads/ag1/runs/r1", { headers: { authorization: "ada", "last-event-id": "3" } }),
    );
    expect(text.endsWith(await rest.text())).toBe(true);
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

  test("LangGraph: another instance lists, joins and waits for a run, and queues the next", async () => {
    const { one, other, go, close } = await instances((graph, runs) =>
      serveLangGraph(graph, { runs, authenticate, heartbeat: 0 }),
    );
    const body = {
      assistant_id: "agent",
      input: { messages: [{ type: "human", id: "m1", content: "Hi" }] },
      stream_mode: ["custom"],
      stream_resumable: true,
    };
    const started = await asked(one, "POST", "/threads/lg1/runs/stream", body);
    const [run] = (await (await asked(other, "GET", "/threads/lg1/runs")).json()) as { run_id: string }[];
    const path = `/threads/lg1/runs/${run?.run_id}`;
    await until(await asked(other, "GET", `${path}/stream`), '"one"');
    expect(await (await asked(other, "GET", path)).json()).toMatchObject({ status: "running" });
    expect(await (await asked(other, "GET", "/threads/lg1")).json()).toMatchObject({ status: "busy" });
    const refused = await asked(other, "POST", "/threads/lg1/runs", { ...body, multitask_strategy: "reject" });
    expect(refused.status).toBe(409);
    const next = await asked(other, "POST", "/threads/lg1/runs", body);
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
