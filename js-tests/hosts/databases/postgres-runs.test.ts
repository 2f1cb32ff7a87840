// Runs in a Postgres that instances share, over the pools of pg.
import { Pool } from "pg";
import { PostgresRuns, type PostgresPool } from "threadfold/serve/postgres";
import type { NumberedPart, RunKey, RunStore } from "threadfold/serve";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { serversTests } from "../../unit/serve/run-servers.js";
import { storeTests } from "../../unit/serve/run-stores.js";
import { codeOf, run, sharedRunsTests } from "./shared-runs.js";
import { hasPostgres, type Postgres, startPostgres } from "./stores.js";

const PATIENCE = { timeout: 30_000 };

if (!hasPostgres) console.log("Runs are not kept in Postgres: it is not installed (apt-get install postgresql).");

/** Ends the connections that listen. */
const LISTENERS = "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'";

describe.skipIf(!hasPostgres)("Postgres", () => {
  let postgres: Postgres;
  const pools: Pool[] = [];
  const stores: RunStore[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  });
  afterAll(() => postgres?.stop());

  function connect(max = 4) {
    const pool = new Pool({ connectionString: postgres.url, max });
    pool.on("error", () => {});
    pools.push(pool);
    return pool;
  }

  function open(options: object = {}, pool = connect()) {
    const store = new PostgresRuns({ pool: pool as unknown as PostgresPool, ...options });
    stores.push(store);
    return store;
  }

  async function read(store: RunStore, key: RunKey, after = 0): Promise<NumberedPart[]> {
    const parts: NumberedPart[] = [];
    for await (const part of store.follow(key, after)) parts.push(part);
    return parts;
  }

  describe("the store", () => storeTests(() => open()));
  describe("servers", () => serversTests(() => open({ prefix: "servers_" })));
  describe("instances", () =>
    sharedRunsTests(async (name, ttl) => open({ prefix: `${name}_`, ...(ttl !== undefined && { ttl }) })));

  test("texts that Postgres refuses come back as they are, and ids may be long", async () => {
    const [one, other] = [open({ prefix: "texts_" }), open({ prefix: "texts_" })];
    const texts = ["\0", "a\0b", "\ud800", '"\\', "", "é😀", "x".repeat(100_000)];
    const key = { threadId: `\0${"long".repeat(10_000)}`, id: "'; drop table x; --\0" };
    const lease = await one.begin({ ...run(""), ...key, server: "s\0", owner: "\0", about: { "\0": "\0" } }, () => {});
    await one.append(lease, texts);
    await one.end(lease, { a: "\0" });
    expect((await read(other, key)).map(([, text]) => text)).toEqual(texts);
    expect(await other.runs({ threadId: key.threadId })).toEqual([
      { ...key, server: "s\0", owner: "\0", about: { a: "\0" }, hasEnded: true, isStopped: false },
    ]);
  });

  test("many who begin at once in a thread: one does", async () => {
    const both = [open({ prefix: "many_" }), open({ prefix: "many_" })];
    for (let round = 0; round < 20; round++) {
      const begun = Array.from({ length: 8 }, (_, n) =>
        codeOf((both[n % 2] as RunStore).begin({ ...run(`t${round}`), id: `r${n}` }, () => {})),
      );
      expect((await Promise.all(begun)).toSorted()).toEqual([...Array<string>(7).fill("BUSY"), "none"]);
    }
    // Those that need not be alone have an order, which is what they wait for.
    const leases = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        (both[n % 2] as RunStore).begin({ ...run("queue"), id: `r${n}`, isAlone: false }, () => {}),
      ),
    );
    expect(leases.map(({ before }) => before.length).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(new Set(leases.map(({ fence }) => fence)).size).toBe(8);
  });

  test("parts of many runs are written as they were given, also without waiting", async () => {
    const [one, other] = [open({ prefix: "writes_" }), open({ prefix: "writes_" })];
    const leases = await Promise.all(Array.from({ length: 300 }, (_, n) => one.begin(run(`t${n}`), () => {})));
    const following = leases.map((lease) => read(other, lease));
    await Promise.all(leases.flatMap((lease) => ["a", "b", "c"].map((part) => one.append(lease, [part]))));
    await one.append(leases[0] as never, []);
    await Promise.all(leases.map((lease) => one.end(lease, {})));
    for (const parts of await Promise.all(following)) expect(parts.map(([, part]) => part)).toEqual(["a", "b", "c"]);
  });

  test("parts, runs and tables that somebody removed are lost, and not silently short", async () => {
    const pool = connect();
    const store = open({ prefix: "cut_", ttl: 60 }, pool);
    const begin = async (threadId: string) => {
      const lease = await store.begin(run(threadId), () => {});
      for (const part of ["a", "b", "c"]) await store.append(lease, [part]);
      return lease;
    };
    const short = await begin("short");
    await pool.query("delete from cut_parts where last = 2");
    expect(await codeOf(read(store, short))).toBe("LOST");
    await pool.query("delete from cut_parts where last = 3");
    expect(await codeOf(read(store, short, 1))).toBe("LOST");
    const emptied = await begin("emptied");
    const following = codeOf(read(store, emptied));
    await pool.query("truncate cut_runs, cut_parts, cut_threads restart identity");
    expect(await following).toBe("LOST");
    expect(await codeOf(store.append(emptied, ["d"]))).toBe("LOST");
    expect(await codeOf(store.renew(emptied))).toBe("LOST");
    // The same run begins again: whoever had it writes nothing into it.
    const again = await begin("emptied");
    expect(await codeOf(store.append(emptied, ["late"]))).toBe("FENCED");
    await store.end(again, {});
    expect((await read(store, again)).length).toBe(3);
  });

  test("a run that is over is removed after a time, with its parts and its thread", async () => {
    const pool = connect();
    const store = open({ prefix: "kept_", keepFor: 1 }, pool);
    const [over, other] = [await store.begin(run("over"), () => {}), await store.begin(run("other"), () => {})];
    await store.append(over, ["a"]);
    await store.append(other, ["a"]);
    await store.end(over, {});
    const count = async (table: string) =>
      Number((await pool.query<{ n: string }>(`select count(*) as n from kept_${table}`)).rows[0]?.n);
    await vi.waitFor(async () => {
      expect(await store.claim("test", () => {})).toBe(undefined);
      expect([await count("runs"), await count("parts"), await count("threads")]).toEqual([1, 1, 1]);
    }, PATIENCE);
    expect(await store.runs({ threadId: "over" })).toEqual([]);
    expect(await store.runs({ threadId: "other" })).toMatchObject([{ hasEnded: false }]);
  });

  test("leases and runs that last longer than a timer, or an int of Postgres, takes", async () => {
    const pool = connect();
    const query = vi.spyOn(pool, "query");
    const store = open({ prefix: "lasting_", ttl: 10 ** 11, keepFor: 10 ** 12 }, pool);
    const lease = await store.begin(run("t"), () => {});
    const following = read(store, lease);
    await store.append(lease, ["a"]);
    await store.renew(lease);
    await store.end(lease, {});
    expect(await following).toEqual([[1, "a"]]);
    const leave = new AbortController();
    const watching = store.watch("t", undefined, leave.signal).next();
    const asked = query.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(query.mock.calls.length - asked).toBeLessThan(5);
    leave.abort();
    await watching;
    expect(await store.claim("test", () => {})).toBe(undefined);
    expect(await store.runs({ threadId: "t" })).toMatchObject([{ hasEnded: true }]);
  });

  test("a connection that breaks misses nothing: neither parts, nor a stop, nor a run that begins", async () => {
    const [pool, other] = [connect(), connect()];
    const [store, writer] = [open({ prefix: "broken_" }, pool), open({ prefix: "broken_" }, other)];
    let stops = 0;
    const lease = await store.begin(run("t"), () => stops++);
    const key = { threadId: "t", id: "r1" };
    await store.append(lease, ["0"]);
    const following = read(writer, key);
    for (let n = 1; n < 20; n++) {
      await store.append(lease, [`${n}`]);
      if (n % 5 === 0) await other.query(LISTENERS);
    }
    await other.query(LISTENERS);
    await writer.cancel(key);
    await vi.waitFor(() => expect(stops).toBe(1), PATIENCE);
    await store.end(lease, {});
    expect((await following).map(([at]) => at)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    expect(stops).toBe(1);
  });

  test("a notice that is lost is made up for at the lease's pace", async () => {
    const pool = connect();
    const [store, writer] = [open({ prefix: "silent_", ttl: 90 }, pool), open({ prefix: "silent_" })];
    const lease = await writer.begin(run("t"), () => {});
    const following = read(store, lease);
    await pool.query("insert into silent_parts select id, 1, '[\"a\"]' from silent_runs");
    await pool.query("update silent_runs set last = 1, ended = true");
    expect(await following).toEqual([[1, "a"]]);
  });

  test("a pool whose connections are all in use is waited for", async () => {
    const pool = connect(2);
    const store = open({ prefix: "full_" }, pool);
    await store.setup();
    const taken = await Promise.all([pool.connect(), pool.connect()]);
    const begun = store.begin(run("t"), () => {});
    for (const connection of taken) connection.release();
    const lease = await begun;
    await store.append(lease, ["a"]);
    await store.end(lease, {});
    expect(await read(store, lease)).toEqual([[1, "a"]]);
  });

  test("a database that is away fails the call, and the next one sets up", async () => {
    const pool = connect();
    const refuses = {
      query: () => Promise.reject(new Error("away")),
      connect: () => Promise.reject(new Error("away")),
    };
    let isAway = true;
    const flaky = {
      query: (...args: [string, unknown[]]) => (isAway ? refuses.query() : pool.query(...args)),
      connect: () => (isAway ? refuses.connect() : pool.connect()),
    };
    const store = new PostgresRuns({ pool: flaky as unknown as PostgresPool, prefix: "away_", ttl: 60 });
    stores.push(store);
    expect(await codeOf(store.begin(run("t"), () => {}))).toMatchObject({ message: "away" });
    isAway = false;
    const lease = await store.begin(run("t"), () => {});
    const following = read(store, lease);
    await store.append(lease, ["a"]);
    await store.end(lease, {});
    expect(await following).toEqual([[1, "a"]]);
  });

  test("another object, a pool of one connection, and a prefix that SQL would read", () => {
    const pool = connect(1) as unknown as PostgresPool;
    expect(() => new PostgresRuns({ pool: {} as never })).toThrow("expected pool to be a Pool of pg");
    expect(() => new PostgresRuns({ pool })).toThrow("two connections or more");
    const other = connect() as unknown as PostgresPool;
    expect(() => new PostgresRuns({ pool: other, prefix: 'a"b' })).toThrow("expected prefix to be");
    expect(() => new PostgresRuns({ pool: other, ttl: 0 })).toThrow("expected ttl to be");
  });
});
