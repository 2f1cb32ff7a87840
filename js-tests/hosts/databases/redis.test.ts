// Runs in a Redis that two instances share, over both of its clients.
import { Redis } from "ioredis";
import { createClient } from "redis";
import { RedisRuns, type RedisClient } from "threadfold/serve/redis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { serversTests } from "../../unit/serve/run-servers.js";
import { storeTests } from "../../unit/serve/run-stores.js";
import { codeOf, run, sharedRunsTests } from "./shared-runs.js";
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

  describe("instances", () =>
    sharedRunsTests((name, ttl) => open({ prefix: `${name}:`, ...(ttl !== undefined && { ttl }) })));

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

  test(`is told apart: ${name}`, () => {
    expect(() => new RedisRuns({ client: {} as never })).toThrow("expected client to be one of redis 5 or of ioredis");
  });
});
