// An instance is killed in mid-run: the other one goes on, over a real Redis and a real Postgres.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { Thread, type AgUiState } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres, hasRedis, type Postgres, type RedisServer, startPostgres, startRedis } from "./stores.js";

describe.skipIf(!hasRedis || !hasPostgres)("two instances over Redis and Postgres", () => {
  let redis: RedisServer;
  let postgres: Postgres;
  const instances: ChildProcess[] = [];

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    const saver = PostgresSaver.fromConnString(postgres.url);
    await saver.setup();
    await saver.end();
  }, 60_000);
  afterAll(async () => {
    for (const instance of instances) instance.kill("SIGKILL");
    await Promise.all([redis?.stop(), postgres?.stop()]);
  });

  async function start(...more: string[]) {
    const script = join(import.meta.dirname, "redis-instance.mjs");
    const instance = spawn(process.execPath, [script, redis.path, postgres.url, ...more], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    instances.push(instance);
    const [port] = (await once(instance.stdout, "data")) as [Buffer];
    return { url: `http://127.0.0.1:${Number(String(port))}`, kill: () => instance.kill("SIGKILL") };
  }

  test("a follower on the other instance gets the whole run, each message once", async () => {
    const [dying, living] = await Promise.all([start("hangs"), start()]);
    const body = JSON.stringify({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }] });
    const begun = await fetch(dying.url, { method: "POST", body });
    const reader = begun.body?.getReader();
    const decoder = new TextDecoder();
    for (let text = ""; !text.includes('"half"');) text += decoder.decode((await reader?.read())?.value);
    const joined = await fetch(`${living.url}/threads/t/runs/r`);
    dying.kill();
    await reader?.cancel().catch(() => {});
    const thread = new Thread<AgUiState>({ threadId: "t" });
    expect((await foldAgUi(thread, joined)).status).toBe("finished");
    expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Hi", "First", "Second"]);
    const kept = (await (await fetch(`${living.url}/threads/t`)).json()) as { messages: { content: string }[] };
    expect(kept.messages.map(({ content }) => content)).toEqual(["Hi", "First", "Second"]);
  }, 30_000);
});
