// Instances that share a store, when one of them is silent or dies.
import { defineSchema, field, Thread, ThreadfoldError, type AgUiState } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph, type RunStore } from "threadfold/serve";
import { describe, expect, test } from "vitest";

export const run = (threadId: string) => ({
  threadId,
  id: "r1",
  server: "test",
  owner: "ada",
  about: {},
  isAlone: true,
});

/** The code that a call fails with. */
export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "none",
    (error: unknown) => (error instanceof ThreadfoldError ? error.code : error),
  );

/** @param open - Opens the store of a name once more, as another instance does. */
export function sharedRunsTests(open: (name: string, ttl?: number) => Promise<RunStore>): void {
  test("a lease that runs out is claimed once, and its old owner writes no more", async () => {
    const [one, other] = [await open("lease", 50), await open("lease", 10_000)];
    const lease = await one.begin(run("t"), () => {});
    await one.append(lease, ["a"]);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(await other.claim("another server", () => {})).toBe(undefined);
    const claims = await Promise.all([other.claim("test", () => {}), other.claim("test", () => {})]);
    const claim = claims.find((one) => one !== undefined);
    expect(claims.filter((one) => one !== undefined).length).toBe(1);
    expect(claim).toMatchObject({ threadId: "t", id: "r1", last: 1, run: { owner: "ada", hasEnded: false } });
    expect(await codeOf(one.append(lease, ["b"]))).toBe("FENCED");
    expect(await codeOf(one.renew(lease))).toBe("FENCED");
    expect(await codeOf(one.update(lease, {}))).toBe("FENCED");
    expect(await codeOf(one.end(lease, {}))).toBe("FENCED");
    if (claim) {
      await other.append(claim, ["c"]);
      await other.end(claim, {});
    }
    const parts: unknown[] = [];
    for await (const part of one.follow(lease, 0)) parts.push(part);
    expect(parts).toEqual([
      [1, "a"],
      [2, "c"],
    ]);
    await Promise.all([one.close(), other.close()]);
  });

  test("who comes while the last follower of a thread leaves hears of its next run", async () => {
    const [one, other] = [await open("turn"), await open("turn")];
    for (let round = 0; round < 20; round++) {
      const thread = `t${round}`;
      const leaving = new AbortController();
      const left = one.watch(thread, undefined, leaving.signal).next();
      // A read of the store's that comes after: the first follower listens.
      for (let reads = 0; reads < 3; reads++) await one.runs({ threadId: thread });
      leaving.abort();
      // From before it has left until its connection is answered.
      for (let turns = 0; turns < round; turns++) await Promise.resolve();
      const staying = new AbortController();
      const next = one.watch(thread, undefined, staying.signal).next();
      for (let reads = 0; reads < 3; reads++) await one.runs({ threadId: thread });
      await other.begin(run(thread), () => {});
      expect((await next).value?.[1]).toMatchObject({ threadId: thread, hasEnded: false });
      staying.abort();
      await left;
    }
    await Promise.all([one.close(), other.close()]);
  });

  test("a run of 2,000 parts is the same for all, in order", async () => {
    const graph = new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("answer", async (_state, { writer }) => {
        for (let n = 0; n < 2_000; n++) {
          writer({ name: "n", value: n });
          if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        return { messages: [{ type: "ai", content: "Hello" }] };
      })
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer: new MemorySaver() });
    const stores = [await open("long"), await open("long")] as const;
    const [one, other] = [
      serveAgUi(graph, { runs: stores[0], heartbeat: 0 }),
      serveAgUi(graph, { runs: stores[1], heartbeat: 0 }),
    ];
    const body = JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }] });
    const ask = (handler: ReturnType<typeof serveAgUi>, init?: RequestInit) =>
      handler(new Request("http://localhost/threads/t/runs/r", init));
    const started = await one(new Request("http://localhost/", { method: "POST", body }));
    const joined = await ask(other);
    const text = await started.text();
    expect(text.match(/"name":"n"/g)?.length).toBe(2_000);
    const all = await joined.text();
    // A client that joins gets the message, too, that the run answers.
    const question = /id: 2\ndata: \{"type":"MESSAGES_SNAPSHOT".*"content":"Hi".*\n\n/;
    expect(all).toMatch(question);
    expect(all.replace(question, "")).toBe(text);
    expect(await (await ask(other)).text()).toBe(all);
    await Promise.all(stores.map((store) => store.close()));
  });

  describe("an instance that dies in mid-run", () => {
    /** The first call of `second` says half of its answer and hangs; the next one says it whole. */
    function graphs() {
      const checkpointer = new MemorySaver();
      let hang = () => {};
      const hangs = new Promise<void>((resolve) => (hang = resolve));
      const calls = { first: 0, second: 0 };
      const make = () =>
        new StateGraph(defineSchema({ messages: field.messages() }))
          .addNode("first", () => {
            calls.first++;
            return { messages: [{ type: "ai", id: "a1", content: "First" }] };
          })
          .addNode("second", async (_state, { writer }) => {
            calls.second++;
            writer({ name: "half", value: calls.second });
            if (calls.second === 1) {
              hang();
              await new Promise(() => {});
            }
            return { messages: [{ type: "ai", id: `b${calls.second}`, content: "Second" }] };
          })
          .addEdge(START, "first")
          .addEdge("first", "second")
          .addEdge("second", END)
          .compile({ checkpointer });
      return { make, hangs, calls };
    }

    /** A store whose instance can be killed: then it renews and writes nothing. */
    async function killable(name: string) {
      const store = await open(name, 150);
      const dead = () => new Promise<never>(() => {});
      return {
        store,
        kill: () => Object.assign(store, { renew: dead, append: dead, end: dead, update: dead, claim: dead }),
      };
    }

    test("AG-UI: another one goes on from the last checkpoint, and no message is there twice", async () => {
      const { make, hangs, calls } = graphs();
      const [{ store: one, kill }, other] = [await killable("dies"), await open("dies", 150)];
      const [dying, living] = [serveAgUi(make(), { runs: one }), serveAgUi(make(), { runs: other })];
      const body = JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }] });
      await dying(new Request("http://localhost/", { method: "POST", body }));
      await hangs;
      const thread = new Thread<AgUiState>({ threadId: "t" });
      const joined = await living(new Request("http://localhost/threads/t/runs/r"));
      kill();
      const { status } = await foldAgUi(thread, joined);
      expect(status).toBe("finished");
      expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Hi", "First", "Second"]);
      expect(calls).toEqual({ first: 1, second: 2 });
      const again = await (await living(new Request("http://localhost/threads/t/runs/r"))).text();
      expect(again.match(/RUN_STARTED/g)?.length).toBe(1);
      expect(again.match(/RUN_FINISHED/g)?.length).toBe(1);
      const next = JSON.stringify({
        threadId: "t",
        runId: "r2",
        messages: [{ id: "m2", role: "user", content: "More" }],
      });
      const more = await living(new Request("http://localhost/", { method: "POST", body: next }));
      expect(more.status).toBe(200);
      expect(await more.text()).toContain("RUN_FINISHED");
      await other.close();
    });

    test("LangGraph: another one goes on as its second attempt", async () => {
      const { make, hangs, calls } = graphs();
      const [{ store: one, kill }, other] = [await killable("dies2"), await open("dies2", 150)];
      const [dying, living] = [serveLangGraph(make(), { runs: one }), serveLangGraph(make(), { runs: other })];
      const body = JSON.stringify({
        assistant_id: "agent",
        input: { messages: [{ type: "human", id: "m", content: "Hi" }] },
        stream_mode: ["values"],
      });
      const post = { method: "POST", body };
      const begun = await dying(new Request("http://localhost/threads/t/runs", post));
      const { run_id } = (await begun.json()) as { run_id: string };
      await hangs;
      const joined = await living(new Request(`http://localhost/threads/t/runs/${run_id}/stream`));
      const waited = living(new Request(`http://localhost/threads/t/runs/${run_id}/join`));
      kill();
      const text = await joined.text();
      expect(text.match(/"attempt":\d/g)).toEqual(['"attempt":1', '"attempt":2']);
      const { messages } = (await (await waited).json()) as { messages: { content: string }[] };
      expect(messages.map(({ content }) => content)).toEqual(["Hi", "First", "Second"]);
      expect(calls).toEqual({ first: 1, second: 2 });
      const told = await living(new Request(`http://localhost/threads/t/runs/${run_id}`));
      expect(await told.json()).toMatchObject({ status: "success" });
      await other.close();
    });

    test("a switch of branches: the thread's next message waits until its lease has run out", async () => {
      const { make, calls } = graphs();
      calls.second = 1;
      const [{ store: one, kill }, other] = [await killable("dies4"), await open("dies4", 150)];
      let hang = () => {};
      const hangs = new Promise<void>((resolve) => (hang = resolve));
      const updateState = () => (hang(), new Promise<never>(() => {}));
      const [dying, living] = [
        serveAgUi(Object.assign(make(), { updateState }), { runs: one }),
        serveAgUi(make(), { runs: other }),
      ];
      const post = (handler: typeof dying, path: string, body: object) =>
        handler(new Request(`http://localhost/${path}`, { method: "POST", body: JSON.stringify(body) }));
      const said = (id: string) => ({
        threadId: "t",
        runId: `r${id}`,
        messages: [{ id, role: "user", content: "Hi" }],
      });
      expect(await (await post(living, "", said("m1"))).text()).toContain("RUN_FINISHED");
      const listed = await living(new Request("http://localhost/threads/t/checkpoints?limit=1"));
      const [newest] = (await listed.json()) as { id: string }[];
      void post(dying, "threads/t/checkpoints", { from: newest?.id });
      await hangs;
      kill();
      const next = await post(living, "", said("m2"));
      expect([next.status, await next.text()]).toEqual([200, expect.stringContaining("RUN_FINISHED")]);
      await other.close();
    });

    test("a config that JSON cannot take ends the run with an error that says so", async () => {
      const { make, hangs } = graphs();
      const [{ store: one, kill }, other] = [await killable("dies3"), await open("dies3", 150)];
      const config = () => ({ context: { call: () => {} } });
      const [dying, living] = [serveAgUi(make(), { runs: one, config }), serveAgUi(make(), { runs: other, config })];
      const body = JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }] });
      await dying(new Request("http://localhost/", { method: "POST", body }));
      await hangs;
      const joined = await living(new Request("http://localhost/threads/t/runs/r"));
      kill();
      expect(await joined.text()).toContain("its config cannot be kept");
      await other.close();
    });
  });
}
