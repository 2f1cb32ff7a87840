// Runs in a Redis that two instances share, over both of its clients.
import { Redis } from "ioredis";
import { createClient } from "redis";
import { defineSchema, field, Thread, ThreadfoldError, type AgUiState } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { RedisRuns, type RedisClient } from "threadfold/serve/redis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { serversTests } from "../../unit/serve/run-servers.js";
import { storeTests } from "../../unit/serve/run-stores.js";
import { hasRedis, startRedis, type RedisServer } from "./stores.js";

if (!hasRedis) console.log("Runs are not kept in Redis: it is not installed (apt-get install redis-server).");

let redis: RedisServer;
const opened: (() => void)[] = [];

const CLIENTS: Readonly<Record<string, () => Promise<RedisClient>>> = {
  "redis 5": async () => {
    const client = createClient({ socket: { path: redis.path, tls: false } });
    client.on("error", () => {});
    await client.connect();
    opened.push(() => client.destroy());
    return client as unknown as RedisClient;
  },
  ioredis: async () => {
    const client = new Redis(redis.path);
    client.on("error", () => {});
    opened.push(() => client.disconnect());
    return client as unknown as RedisClient;
  },
};

describe.skipIf(!hasRedis).each(Object.entries(CLIENTS))("Redis over %s", (name, connect) => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(() => {
    for (const close of opened.splice(0)) close();
  });
  afterAll(() => redis?.stop());

  const open = async (more = {}) => new RedisRuns({ client: await connect(), ...more });

  describe("the store", () => storeTests(() => open()));
  describe("servers", () => serversTests(() => open({ prefix: "servers:" })));

  const run = (threadId: string) => ({ threadId, id: "r1", server: "test", owner: "ada", about: {}, isAlone: true });
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => "none",
      (error: unknown) => (error instanceof ThreadfoldError ? error.code : error),
    );

  test("a lease that runs out is claimed once, and its old owner writes no more", async () => {
    const [one, other] = [await open({ prefix: "lease:", ttl: 50 }), await open({ prefix: "lease:", ttl: 10_000 })];
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

  test("a follower whose log was taken away is told so, and not silently short of parts", async () => {
    const client = await connect();
    const store = new RedisRuns({ client, prefix: "cut:" });
    const lease = await store.begin(run("t"), () => {});
    await store.append(lease, ["a", "b"]);
    const send = (...args: [string, ...string[]]) =>
      "call" in client ? client.call(...args) : client.sendCommand(args);
    await send("DEL", 'cut:log:["t","r1"]');
    await store.append(lease, ["c"]);
    const following = async () => {
      for await (const _ of store.follow(lease, 0));
    };
    expect(await codeOf(following())).toBe("LOST");
    await store.close();
  });

  test("a connection that breaks misses nothing", async () => {
    const client = await connect();
    const [store, writer] = [new RedisRuns({ client, prefix: "cut2:" }), await open({ prefix: "cut2:" })];
    const lease = await writer.begin(run("t"), () => {});
    await writer.append(lease, ["a"]);
    const parts: number[] = [];
    let heardFirst = () => {};
    const first = new Promise<void>((resolve) => (heardFirst = resolve));
    const following = (async () => {
      for await (const [at] of store.follow(lease, 0)) {
        parts.push(at);
        heardFirst();
      }
    })();
    await first;
    const send = (...args: [string, ...string[]]) =>
      "call" in client ? client.call(...args) : client.sendCommand(args);
    await send("CLIENT", "KILL", "TYPE", "pubsub");
    for (let n = 0; n < 20; n++) await writer.append(lease, [`${n}`]);
    await writer.end(lease, {});
    await following;
    expect(parts).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
    await Promise.all([store.close(), writer.close()]);
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
    const stores = [await open({ prefix: "long:" }), await open({ prefix: "long:" })] as const;
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
    async function killable(prefix: string) {
      const store = new RedisRuns({ client: await connect(), prefix, ttl: 150 });
      const dead = () => new Promise<never>(() => {});
      return {
        store,
        kill: () => Object.assign(store, { renew: dead, append: dead, end: dead, update: dead, claim: dead }),
      };
    }

    test("AG-UI: another one goes on from the last checkpoint, and no message is there twice", async () => {
      const { make, hangs, calls } = graphs();
      const [{ store: one, kill }, other] = [await killable("dies:"), await open({ prefix: "dies:", ttl: 150 })];
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
      const [{ store: one, kill }, other] = [await killable("dies2:"), await open({ prefix: "dies2:", ttl: 150 })];
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

    test("a config that JSON cannot take ends the run with an error that says so", async () => {
      const { make, hangs } = graphs();
      const [{ store: one, kill }, other] = [await killable("dies3:"), await open({ prefix: "dies3:", ttl: 150 })];
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

  test(`is told apart: ${name}`, () => {
    expect(() => new RedisRuns({ client: {} as never })).toThrow("expected client to be one of redis 5 or of ioredis");
  });
});
