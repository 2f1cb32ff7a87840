// Threads in Durable Objects, in the real workerd: the docs' program, and objects that are aborted in mid-run.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner, foldAgUi } from "threadfold/ag-ui";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { blocksOf, root } from "../../unit/examples/blocks.js";

const PATIENCE = { timeout: 30_000 };

const here = join(import.meta.dirname, "durable-object");
const wasms = ["threadfold_bg.wasm", "threadfold_agent_bg.wasm"];
const CLASSES = { THREADS: "Thread", GUARDED: "Guarded", TALK: "Agent", RULES: "Rules" };

let folder: string;
let server: Miniflare;
let names: [suite: string, name: string][];

/** The block of the docs, over the graph of the test. */
function programOfDocs(): string {
  const block = blocksOf(join(root, "docs", "many-machines.md")).find(({ code }) => code.includes("DurableObjectRuns"));
  return `import { builder } from "./graph.js";\n${block?.code.replace(/^declare const builder.*\n/m, "")}`;
}

function started(): Miniflare {
  return new Miniflare({
    modulesRoot: folder,
    modules: [
      { type: "ESModule", path: join(folder, "worker.js") },
      ...wasms.map((path) => ({ type: "CompiledWasm" as const, path: join(folder, path) })),
    ],
    compatibilityDate: "2025-06-01",
    durableObjects: Object.fromEntries(
      Object.entries(CLASSES).map(([name, className]) => [name, { className, useSQLite: true }]),
    ),
    durableObjectsPersist: join(folder, "storage"),
    // Made up, not downloaded: without it Miniflare asks workers.cloudflare.com where we are.
    cf: false,
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-objects-"));
  await build({
    entryPoints: [join(here, "worker.ts")],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd"],
    external: ["*.wasm"],
    alias: { vitest: join(here, "vitest.ts") },
    plugins: [
      {
        name: "docs",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^program of the docs$/ }, () => ({ path: "docs", namespace: "docs" }));
          onLoad({ filter: /./, namespace: "docs" }, () => ({
            contents: programOfDocs(),
            loader: "ts",
            resolveDir: here,
          }));
        },
      },
    ],
  });
  for (const wasm of wasms) cpSync(join(root, "pkg", wasm), join(folder, wasm));
  server = started();
  names = (await (await ask("GET", "/names")).json()) as typeof names;
}, 60_000);

afterAll(async () => {
  await server?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return (await server.dispatchFetch(`http://localhost${path}`, init)) as unknown as Response;
}

const input = (threadId: string, content = "Hi", runId = "r") => ({
  threadId,
  runId,
  messages: [{ id: "m", role: "user", content }],
});

/** Reads a response until it has a text. Returns a function that leaves it, and returns its events. */
async function until(response: Response, text: string): Promise<() => Promise<string>> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let read = "";
  while (!read.includes(text)) {
    const part = await reader?.read();
    if (!part?.value) throw new Error(`The stream ended without ${text}: ${read}`);
    read += decoder.decode(part.value, { stream: true });
  }
  return async () => {
    await reader?.cancel().catch(() => {});
    return read;
  };
}

const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
const withoutComments = (text: string) => text.replace(/^:.*\n\n/gm, "");
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const contents = (thread: Thread<AgUiState>) => thread.getState().messages.map(({ content }) => content);

test("the rules of stores, servers and savers hold in an object", async () => {
  expect(new Set(names.map(([suite]) => suite))).toEqual(new Set(["store", "servers", "saver"]));
  const answers: unknown[] = [];
  for (const [at, of] of names.entries()) answers.push([of, await (await ask("POST", `/rules/${at}`, of)).text()]);
  expect(answers).toEqual(names.map((of) => [of, "passed"]));
});

test("the docs' program streams a run, two join it in mid-run, and the thread is in its object", async () => {
  const begun = await ask("POST", "/agent", input("docs", "Wait"));
  const leave = await until(begun, '"half"');
  const [joined, followed] = [
    await ask("GET", "/agent/threads/docs/runs/r"),
    await ask("GET", "/agent/threads/docs/events"),
  ];
  const leaveEvents = until(followed, '"whole"');
  expect((await ask("POST", "/agent", input("docs", "Hi", "r2"))).status).toBe(409);
  await leave();
  await ask("POST", "/agent/threads/docs/open");
  const text = await joined.text();
  expect(text).toContain('"RUN_FINISHED"');
  await (
    await leaveEvents
  )();
  expect(idsOf(text)).toEqual(upTo(idsOf(text).length));
  expect(withoutComments(await (await ask("GET", "/agent/threads/docs/runs/r")).text())).toBe(withoutComments(text));
  const rest = await ask("GET", "/agent/threads/docs/runs/r", undefined, { "last-event-id": "3" });
  expect(idsOf(await rest.text())).toEqual(idsOf(text).slice(3));
  const { messages } = (await (await ask("GET", "/agent/threads/docs")).json()) as AgUiState;
  expect(messages.map(({ content }) => content)).toEqual(["Wait", "First", "Second"]);
  expect((await ask("GET", "/agent/threads/other")).status).toBe(404);
});

test("a request without a thread: what the server can do, a refusal by name, a bad body", async () => {
  expect((await ask("GET", "/agent/capabilities")).status).toBe(200);
  const listed = await ask("GET", "/agent/threads");
  expect([listed.status, await listed.text()]).toEqual([501, expect.stringContaining("Threads cannot be listed")]);
  expect((await ask("POST", "/agent", { messages: [] })).status).toBe(400);
  expect((await ask("POST", "/agent", "no")).status).toBe(400);
});

test("a message that no row takes is streamed and kept", async () => {
  const long = `a${"🧵".repeat(700_000)}`;
  const text = await (await ask("POST", "/agent", input("long", long))).text();
  expect(text).toContain('"RUN_FINISHED"');
  const joined = await (await ask("GET", "/agent/threads/long/runs/r")).text();
  expect(joined.includes(long)).toBe(true);
  const { messages } = (await (await ask("GET", "/agent/threads/long")).json()) as AgUiState;
  expect(messages[0]?.content === long).toBe(true);
});

test("a run is stopped by another connection", async () => {
  const begun = await ask("POST", "/agent", input("stop", "Wait"));
  const joined = await ask("GET", "/agent/threads/stop/runs/r");
  await (
    await until(begun, '"half"')
  )();
  expect((await ask("DELETE", "/agent/threads/stop/runs/r")).status).toBe(200);
  expect(await joined.text()).toContain('"cancelled"');
});

test("createAgent: an answer, and a next one of the thread", async () => {
  expect(await (await ask("POST", "/talk", input("talk"))).text()).toContain("You said: Hi");
  const more = { ...input("talk", "More", "r2"), messages: [{ id: "m2", role: "user", content: "More" }] };
  expect(await (await ask("POST", "/talk", more)).text()).toContain("You said: More");
  const { messages } = (await (await ask("GET", "/talk/threads/talk")).json()) as AgUiState;
  expect(messages.map(({ content }) => content)).toEqual(["Hi", "You said: Hi", "More", "You said: More"]);
});

test("another user's thread and runs are not there", async () => {
  const begun = await ask("POST", "/guarded", input("ada", "Wait"));
  const leave = await until(begun, '"half"');
  const bob = { authorization: "bob" };
  for (const [method, path, body] of [
    ["GET", "/threads/ada"],
    ["GET", "/threads/ada/events"],
    ["GET", "/threads/ada/runs/r"],
    ["DELETE", "/threads/ada/runs/r"],
    ["POST", "", input("ada", "Hi", "r2")],
    ["POST", "", input("ada", "Wait")],
  ] as const)
    expect([path, (await ask(method, `/guarded${path}`, body, bob)).status]).toEqual([path, 404]);
  await ask("POST", "/guarded/threads/ada/open");
  expect(await (await ask("GET", "/guarded/threads/ada/runs/r")).text()).toContain('"RUN_FINISHED"');
  await leave();
});

test("aborted in mid-run: a page's runner rejoins, and has each message once", async () => {
  const thread = new Thread<AgUiState>({ threadId: "page" });
  const runner = new AgUiRunner(thread, {
    url: "http://localhost/agent",
    resumable: true,
    fetch: (url, init) => server.dispatchFetch(String(url), init as never) as never,
  });
  const sent = runner.sendMessage("Wait");
  await vi.waitFor(() => expect(contents(thread)).toEqual(["Wait", "First"]), PATIENCE);
  const follower = new Thread<AgUiState>({ threadId: "page" });
  const { run } = (await (await ask("GET", "/agent/threads/page")).json()) as { run?: { id: string } };
  const runId = run?.id;
  const seen = await until(await ask("GET", `/agent/threads/page/runs/${runId}`), '"half"');
  await ask("POST", "/agent/threads/page/abort").catch(() => {});
  const joined = await ask("GET", `/agent/threads/page/runs/${runId}`);
  expect((await foldAgUi(follower, joined)).status).toBe("finished");
  expect((await sent).status).toBe("finished");
  expect(contents(thread)).toEqual(["Wait", "First", "Second"]);
  expect(contents(follower)).toEqual(contents(thread));
  const text = await (await ask("GET", `/agent/threads/page/runs/${runId}`)).text();
  expect(idsOf(text)).toEqual(upTo(idsOf(text).length));
  const before = idsOf(await seen());
  const rest = await ask("GET", `/agent/threads/page/runs/${runId}`, undefined, {
    "last-event-id": String(before.at(-1)),
  });
  expect([...before, ...idsOf(await rest.text())]).toEqual(idsOf(text));
  expect(text.match(/RUN_STARTED/g)).toHaveLength(1);
  expect(text.match(/RUN_FINISHED/g)).toHaveLength(1);
  runner.dispose();
});

test("aborted with nobody there: the alarm continues the run, and a run that is over for long is dropped", async () => {
  const begun = await ask("POST", "/guarded", input("alone", "Wait"));
  await (
    await until(begun, '"half"')
  )();
  await ask("POST", "/guarded/threads/alone/abort").catch(() => {});
  // These requests go by the server: only the alarm can make it look.
  const stored = async () =>
    (await (await ask("GET", "/guarded/threads/alone/stored")).json()) as { hasEnded: boolean }[];
  await vi.waitFor(async () => expect(await stored()).toMatchObject([{ hasEnded: true }]), {
    timeout: 20_000,
    interval: 50,
  });
  await vi.waitFor(async () => expect(await stored()).toEqual([]), { timeout: 20_000, interval: 50 });
  const { messages } = (await (await ask("GET", "/guarded/threads/alone")).json()) as AgUiState;
  expect(messages.map(({ content }) => content)).toEqual(["Wait", "First", "Second"]);
});

test("workerd is started again: threads are there, and the run under way goes on", async () => {
  const begun = await ask("POST", "/agent", input("again", "Wait"));
  await (
    await until(begun, '"half"')
  )();
  await ask("POST", "/agent", input("before"));
  await (
    await until(await ask("POST", "/guarded", input("asleep", "Wait")), '"half"')
  )();
  await server.dispose();
  server = started();
  const joined = await ask("GET", "/agent/threads/again/runs/r", undefined, { "last-event-id": "2" });
  const leave = await until(joined, '"STATE_SNAPSHOT"');
  await leave();
  // The gates are as in a new program: the node that runs again waits, too.
  await vi.waitFor(async () => {
    await ask("POST", "/agent/threads/again/open");
    const { run } = (await (await ask("GET", "/agent/threads/again")).json()) as { run?: object };
    expect(run).toBeUndefined();
  }, PATIENCE);
  for (const [thread, question] of [
    ["again", "Wait"],
    ["before", "Hi"],
  ]) {
    const { messages } = (await (await ask("GET", `/agent/threads/${thread}`)).json()) as AgUiState;
    expect(messages.map(({ content }) => content)).toEqual([question, "First", "Second"]);
  }
});
