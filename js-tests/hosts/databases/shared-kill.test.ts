// An instance is killed or stopped in mid-run: the other one goes on, over a real Postgres, with and without Redis.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { Thread, type AgUiState } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres, hasRedis, type Postgres, type RedisServer, startPostgres, startRedis } from "./stores.js";

describe.each([
  ["Postgres", hasPostgres],
  ["Redis and Postgres", hasPostgres && hasRedis],
])("two instances over %s", (name, isInstalled) => {
  describe.skipIf(!isInstalled)("a real one", () => {
    let redis: RedisServer | undefined;
    let postgres: Postgres;
    const instances: ChildProcess[] = [];

    beforeAll(async () => {
      [redis, postgres] = await Promise.all([name === "Postgres" ? undefined : startRedis(), startPostgres()]);
      const saver = PostgresSaver.fromConnString(postgres.url);
      await saver.setup();
      await saver.end();
    }, 60_000);
    afterAll(async () => {
      for (const instance of instances) instance.kill("SIGKILL");
      await Promise.all([redis?.stop(), postgres?.stop()]);
    });

    async function start(...more: string[]) {
      const script = join(import.meta.dirname, "shared-instance.mjs");
      const instance = spawn(process.execPath, [script, postgres.url, redis?.path ?? "", ...more], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      instances.push(instance);
      const [port] = (await once(instance.stdout, "data")) as [Buffer];
      return { url: `http://127.0.0.1:${Number(String(port))}`, instance };
    }

    /** Begins a run that hangs, and joins it on another instance. */
    async function begin(threadId: string) {
      const [{ url, instance: dying }, living] = await Promise.all([start("hangs"), start()]);
      const body = JSON.stringify({ threadId, runId: "r", messages: [{ id: "m", role: "user", content: "Hi" }] });
      const begun = await fetch(url, { method: "POST", body });
      const reader = begun.body?.getReader();
      const decoder = new TextDecoder();
      for (let text = ""; !text.includes('"half"');) text += decoder.decode((await reader?.read())?.value);
      return { dying, living, reader, join: () => fetch(`${living.url}/threads/${threadId}/runs/r`) };
    }

    test("a follower on the other instance gets the whole run, each message once", async () => {
      const { dying, living, reader, join } = await begin("t");
      const joined = await join();
      dying.kill("SIGKILL");
      await reader?.cancel().catch(() => {});
      const thread = new Thread<AgUiState>({ threadId: "t" });
      expect((await foldAgUi(thread, joined)).status).toBe("finished");
      expect(thread.getState().messages.map(({ content }) => content)).toEqual(["Hi", "First", "Second"]);
      const kept = (await (await fetch(`${living.url}/threads/t`)).json()) as { messages: { content: string }[] };
      expect(kept.messages.map(({ content }) => content)).toEqual(["Hi", "First", "Second"]);
    }, 30_000);

    test("an instance that was stopped for longer than its lease writes nothing when it goes on", async () => {
      const { dying, living, join } = await begin("stopped");
      dying.kill("SIGSTOP");
      const text = await (await join()).text();
      const aborted = once(dying.stdout as NodeJS.ReadableStream, "data");
      dying.kill("SIGCONT");
      expect(String(await aborted)).toContain("aborted");
      expect(await (await join()).text()).toBe(text);
      const writers = [...text.matchAll(/"name":"half","value":(\d+)/g)].map(([, pid]) => Number(pid));
      expect(writers.lastIndexOf(dying.pid ?? 0)).toBe(writers.length - 2);
      expect(text.match(/RUN_FINISHED/g)?.length).toBe(1);
      expect(living.instance.exitCode).toBe(null);
    }, 30_000);
  });
});
