// Two instances over Redis and Postgres, one killed at each await in turn, while three clients stream, follow, cancel and
// answer. All have one history: nothing is lost, and nothing is there twice but a node that was running.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { createClient } from "redis";
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isThorough } from "../../support/seed.js";
import { hasPostgres, hasRedis, type Postgres, type RedisServer, startPostgres, startRedis } from "./stores.js";

/** A thread as a server has it. */
interface Kept {
  readonly messages: readonly { readonly id: string; readonly role: string; readonly content: string }[];
  readonly next: readonly string[];
  readonly run?: object;
}

const PATIENCE = { timeout: 60_000, interval: 10 };
const NEVER = 600_000;

describe.skipIf(!hasRedis || !hasPostgres)("an instance that is killed at an await", () => {
  let redis: RedisServer;
  let postgres: Postgres;
  let saver: PostgresSaver;
  let client: ReturnType<typeof createClient>;
  /** One continues the runs of the others; the second one is only asked. */
  let living: Instance;
  let asked: Instance;
  const instances: ChildProcess[] = [];

  interface Instance {
    readonly url: string;
    readonly died: Promise<void>;
    kill(): void;
  }

  async function start(dieAt: number, looks: number): Promise<Instance> {
    const script = join(import.meta.dirname, "dying-instance.mjs");
    const args = [script, redis.path, postgres.url, String(dieAt), String(looks)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    instances.push(child);
    const died = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    return { url: `http://127.0.0.1:${Number(String(port))}`, died, kill: () => child.kill("SIGKILL") };
  }

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    saver = PostgresSaver.fromConnString(postgres.url);
    await saver.setup();
    client = createClient({ socket: { path: redis.path, tls: false } });
    await client.connect();
    [living, asked] = await Promise.all([start(0, 20), start(0, NEVER)]);
  }, 60_000);
  afterAll(async () => {
    for (const instance of instances) instance.kill("SIGKILL");
    client?.destroy();
    await saver?.end();
    await Promise.all([redis?.stop(), postgres?.stop()]);
  });

  const logOf = (tuple: Awaited<ReturnType<PostgresSaver["getTuple"]>>) => [
    ...((tuple?.checkpoint.channel_values["log"] ?? []) as string[]),
    ...(tuple?.pendingWrites ?? []).flatMap(([, channel, value]) => (channel === "log" ? (value as string[]) : [])),
  ];

  /** Kills an instance at an await. Returns whether it had so many, and the problems. */
  async function trial(dieAt: number): Promise<{ hadSoMany: boolean; problems: string[] }> {
    const threadId = `at${dieAt}`;
    const problems: string[] = [];
    const dying = await start(dieAt, NEVER);
    let hasDied = false;
    let saved: string[] = [];
    let ranBefore = 0;
    const effects = () => client.lRange(`effects:${threadId}`, 0, -1);
    const config = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
    /** Its leases run out. */
    const over = dying.died.then(async () => {
      hasDied = true;
      saved = logOf(await saver.getTuple(config));
      ranBefore = (await effects()).length;
      for (const member of await client.zRange(`${threadId}:leases`, 0, -1))
        await client.zAdd(`${threadId}:leases`, { score: 0, value: member });
    });

    /** Asks the instance that dies, then the one that lives. */
    const byBalancer = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const path = new URL(String(url)).pathname + new URL(String(url)).search;
      if (!hasDied)
        try {
          return await fetch(dying.url + path, init);
        } catch (error) {
          if (init?.signal?.aborted) throw error;
        }
      await over;
      return fetch(living.url + path, init);
    };
    const open = (fetch: typeof byBalancer) => {
      const thread = new Thread<AgUiState>({ threadId });
      const options = { url: `${living.url}/${threadId}`, resumable: true, rejoinDelays: [5, 20, 50, 100], fetch };
      return new AgUiRunner(thread, options);
    };
    const texts = ({ thread }: AgUiRunner) =>
      thread.getState().messages.map(({ role, content }) => `${role}: ${String(content)}`);
    const isAtRest = ({ status }: AgUiRunner) => status === "ready" || status === "interrupted";
    const until = (what: string, holds: () => boolean) =>
      vi.waitFor(() => {
        if (!holds())
          throw new Error(
            `${what}: ${JSON.stringify(clients.map((one) => [one.status, String(one.error?.cause ?? one.error), texts(one)]))}`,
          );
      }, PATIENCE);

    const writes = open(byBalancer);
    const follows = open((url, init) => fetch(url, init));
    const answers = open((url, init) => (init?.method ? byBalancer(url, init) : fetch(url, init)));
    const clients = [writes, follows, answers];
    for (const one of clients) one.follow();
    /** As a user does. A run whose end is not written yet goes on until the other instance has claimed it. */
    const tryAgain = (runner: AgUiRunner) =>
      vi.waitFor(async () => {
        if (runner.status === "error") await runner.retry();
        if (runner.status === "error") throw runner.error ?? new Error("It fails.");
      }, PATIENCE);
    const send = async (content: string) => {
      await writes.sendMessage({ id: `${threadId} ${content}`, role: "user", content });
      await tryAgain(writes);
    };
    try {
      await send("order");
      await until("the question", () => clients.every(({ interrupts }) => interrupts.length === 1));
      await answers.resume(answers.interrupts.map(({ id }) => ({ id, value: true })));
      await tryAgain(answers);
      await until("the answer", () =>
        clients.every((one) => isAtRest(one) && texts(one).at(-1) === "assistant: Ordered."),
      );
      const long = send("long");
      await until("half an answer", () => texts(answers).some((text) => text.startsWith("assistant: It t")));
      await answers.stop();
      await long;
      await until("the stop", () => clients.every((one) => isAtRest(one) && texts(one).includes("user: long")));
      await send("last");
      await until("the end", () => clients.every((one) => isAtRest(one) && texts(one).at(-1) === "assistant: Done."));

      const histories: unknown[] = clients.map(texts);
      for (const { url } of [living, asked]) {
        // A run that was killed after its last part ends once the other instance has claimed it.
        const kept = await vi.waitFor(async () => {
          const answer = (await (await fetch(`${url}/${threadId}/threads/${threadId}`)).json()) as Kept;
          if (answer.run) throw new Error(`it has not ended: ${JSON.stringify(answer)}`);
          return answer;
        }, PATIENCE);
        histories.push(kept.messages.map(({ role, content }) => `${role}: ${content}`));
        if (new Set(kept.messages.map(({ id }) => id)).size < kept.messages.length)
          problems.push("an id is there twice");
        if (kept.next.length > 0) problems.push(`it has not ended: ${JSON.stringify(kept)}`);
      }
      const [first] = histories.map((history) => JSON.stringify(history));
      if (histories.some((history) => JSON.stringify(history) !== first))
        problems.push(`histories differ: ${histories.map((history) => JSON.stringify(history)).join("\n")}`);
      const whole = (histories[0] as string[]).filter((text) => !text.startsWith("assistant: It t"));
      const expected = [
        "user: order",
        "assistant: I order it.",
        "assistant: Ordered.",
        "user: long",
        "user: last",
        "assistant: Done.",
      ];
      if (String(whole) !== String(expected)) problems.push(`the history is ${String(histories[0])}`);
      if ((histories[0] as string[]).length > expected.length + 1) problems.push("half an answer is there twice");

      const log = logOf(await saver.getTuple(config)).filter((name) => name !== "long");
      if (String(log) !== "model,ask,last") problems.push(`the log is ${log}`);
      const ranAgain = (await effects()).slice(ranBefore).map((line) => line.split(" ")[1] ?? "");
      if (ranAgain.some((name) => saved.includes(name)))
        problems.push(`${ranAgain} ran again, of which ${saved} were saved`);

      for (const member of await client.zRange(`${threadId}:thread:${threadId}`, 0, -1)) {
        const [, id = ""] = JSON.parse(member) as string[];
        const joined = await Promise.all(
          [living, asked].map(async ({ url }) =>
            (await fetch(`${url}/${threadId}/threads/${threadId}/runs/${encodeURIComponent(id)}`)).text(),
          ),
        );
        if (joined[0] !== joined[1]) problems.push(`the run ${id} differs by instance`);
        const numbers = [...(joined[0] ?? "").matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number));
        if (numbers.some((number, at) => number !== at + 1)) problems.push(`the parts of ${id} are ${numbers}`);
        const ends = joined[0]?.match(/"type":"RUN_(STARTED|FINISHED|ERROR)"/g) ?? [];
        if (ends.length !== 2) problems.push(`the run ${id} has ${ends}`);
      }
    } catch (error) {
      problems.push((error as Error).message);
    }
    const hadSoMany = hasDied;
    for (const one of clients) one.dispose();
    dying.kill();
    await over;
    return { hadSoMany, problems: problems.map((problem) => `at await ${dieAt}: ${problem}`) };
  }

  test("leaves one history for all, nothing lost, nothing twice", async () => {
    const problems: string[] = [];
    // All of them take a quarter of an hour on an idle machine.
    const step = process.env["THREADFOLD_KILLS"] === "all" ? 1 : isThorough() ? 10 : 40;
    let at = 1;
    let last = Infinity;
    const next = async () => {
      for (; at < last;) {
        const dieAt = at;
        at += step;
        const { hadSoMany, problems: found } = await trial(dieAt);
        problems.push(...found);
        if (!hadSoMany) last = Math.min(last, dieAt);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, next));
    console.log(`${last} awaits`);
    expect(problems).toEqual([]);
    expect(last).toBeGreaterThan(100);
  }, 2_400_000);
});
