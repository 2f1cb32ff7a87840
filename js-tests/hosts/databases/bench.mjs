// Redis and Postgres as stores of runs, side by side: `node js-tests/hosts/databases/bench.mjs`. The writer and the follower
// are two processes; both clocks are the machine's.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { createClient } from "redis";
import { PostgresRuns } from "threadfold/serve/postgres";
import { RedisRuns } from "threadfold/serve/redis";
import { startPostgres, startRedis } from "../../../examples/many-instances/databases.mjs";

const run = (threadId, id = "r") => ({ threadId, id, server: "bench", owner: undefined, about: {}, isAlone: false });
const now = () => performance.timeOrigin + performance.now();

async function open({ redis, postgres }, options = {}) {
  if (postgres) return new PostgresRuns({ pool: new Pool({ connectionString: postgres }), ...options });
  const client = createClient({ socket: { path: redis, tls: false } });
  client.on("error", () => {});
  await client.connect();
  return new RedisRuns({ client, ...options });
}

/** Follows the runs, and returns how long the parts took. */
async function follow({ where, threads, followers }) {
  const store = await open(where);
  const took = [];
  const following = threads.flatMap((threadId) =>
    Array.from({ length: followers }, async () => {
      for await (const [, part] of store.follow({ threadId, id: "r" }, 0)) {
        if (part === "ready") process.send({ ready: true });
        else took.push(now() - Number(part));
      }
    }),
  );
  await Promise.all(following);
  process.send({ took });
}

const percentile = (sorted, share) => (sorted[Math.floor(sorted.length * share)] ?? NaN).toFixed(1);

async function measure(where, name, runs, followers, every, parts) {
  const store = await open(where);
  const threads = Array.from({ length: runs }, (_, n) => `${name} ${n}`);
  const leases = await Promise.all(threads.map((thread) => store.begin(run(thread), () => {})));
  await Promise.all(leases.map((lease) => store.append(lease, ["ready"])));
  const child = fork(import.meta.filename, ["follow"]);
  let ready = runs * followers;
  const all = new Promise((resolve) => child.on("message", (message) => message.ready && --ready === 0 && resolve()));
  const done = new Promise((resolve) => child.on("message", ({ took }) => took && resolve(took)));
  child.send({ where, threads, followers });
  await all;
  const writing = leases.map(async (lease, n) => {
    await sleep((every * n) / runs);
    const written = [];
    for (let at = 0; at < parts; at++) {
      written.push(store.append(lease, [String(now())]));
      await sleep(every);
    }
    await Promise.all(written);
    await store.end(lease, {});
  });
  await Promise.all(writing);
  const took = (await done).sort((a, b) => a - b);
  child.kill();
  await store.close();
  return `p50 ${percentile(took, 0.5)} p99 ${percentile(took, 0.99)} of ${took.length}`;
}

/** From the kill of an owner, as an instance meets it that looks at a third of the lease. */
async function takeover(where) {
  const took = [];
  for (let round = 0; round < 5; round++) {
    const [dying, living] = [await open(where, { ttl: 2_000 }), await open(where, { ttl: 2_000 })];
    await dying.begin(run(`takeover ${round}`), () => {});
    const killed = now();
    await dying.close();
    let claimed;
    while (!(claimed = await living.claim("bench", () => {}))) await sleep(2_000 / 3);
    took.push(now() - killed);
    await living.end(claimed, {});
    await living.close();
  }
  return `${Math.min(...took).toFixed(0)} to ${Math.max(...took).toFixed(0)} ms`;
}

if (process.argv[2] === "follow") {
  const [task] = await once(process, "message");
  await follow(task);
} else {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  for (const [name, where] of [
    ["Redis", { redis: redis.path }],
    ["Postgres", { postgres: postgres.url }],
  ]) {
    console.log(name);
    console.log("  1 run, 1 follower, a part each 50 ms:", await measure(where, "one", 1, 1, 50, 100));
    console.log("  1 run, 1,000 followers:", await measure(where, "many", 1, 1_000, 50, 100));
    console.log("  100 runs, 20 parts/s each:", await measure(where, "runs", 100, 1, 50, 100));
    console.log("  takeover, lease of 2 s:", await takeover(where));
  }
  await Promise.all([redis.stop(), postgres.stop()]);
  process.exit();
}
