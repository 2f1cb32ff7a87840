// `npx threadfold`, as a user starts it: its output, and its exit code.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { MemorySaver, MessagesAnnotation, END, START, StateGraph, interrupt } from "@langchain/langgraph";
import { Thread, type AgUiState } from "threadfold";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const pkg = fileURLToPath(new URL("../../../pkg/", import.meta.url));
const { bin } = JSON.parse(readFileSync(join(pkg, "package.json"), "utf8")) as { bin: { threadfold: string } };

const cli = join(pkg, bin.threadfold);

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "threadfold-cli-"))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Imports it again each time, as Node starts it: a process for each call would take most of the time. */
const start = (url: string): Promise<unknown> => import(/* @vite-ignore */ url);
let started = 0;

async function threadfold(args: readonly string[], input?: string) {
  const said = { stdout: "", stderr: "" };
  const files = args.map((arg) =>
    /^-$|\.\w+$/.test(arg) ? join(folder, arg === "-" ? file("in", input ?? "") : arg) : arg,
  );
  const { argv, exitCode } = process;
  const log = vi.spyOn(console, "log").mockImplementation((text) => void (said.stdout += `${String(text)}\n`));
  const error = vi.spyOn(console, "error").mockImplementation((text) => void (said.stderr += `${String(text)}\n`));
  process.argv = [process.execPath, cli, ...files];
  process.exitCode = undefined;
  try {
    await start(`${pathToFileURL(cli).href}?${++started}`);
    return { status: process.exitCode ?? 0, ...said };
  } finally {
    process.argv = argv;
    process.exitCode = exitCode;
    log.mockRestore();
    error.mockRestore();
  }
}

const said = async (args: readonly string[], input?: string) => {
  const { status, stdout, stderr } = await threadfold(args, input);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
};

const json = async (args: readonly string[], input?: string) =>
  JSON.parse(await said([...args, "--json"], input)) as unknown;

const file = (name: string, content: unknown) => {
  writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  return name;
};

const RUN = [
  { type: "RUN_STARTED", threadId: "t", runId: "r1" },
  { type: "STATE_SNAPSHOT", snapshot: { todos: [{ content: "Look", status: "in_progress" }] } },
  { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "search", parentMessageId: "a1" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"q":"x"}' },
  { type: "TOOL_CALL_END", toolCallId: "c1" },
  { type: "TOOL_CALL_RESULT", toolCallId: "c1", messageId: "t1", content: "found" },
  { type: "TEXT_MESSAGE_START", messageId: "a2", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "a2", delta: "Here\nit is" },
  { type: "TEXT_MESSAGE_END", messageId: "a2" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r1" },
];
const sse = (parts: readonly object[]) => parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join("");

test.each([
  ["server-sent events", sse(RUN)],
  ["server-sent events of a server that names its heartbeat", `: heartbeat 15000\n\n${sse(RUN)}`],
  ["a list", JSON.stringify(RUN)],
  ["lines", RUN.map((event) => JSON.stringify(event)).join("\n")],
  ["what wraps the list", JSON.stringify({ events: RUN })],
])("replay reads AG-UI's events as %s", async (_, text) => {
  const told = (await json(["replay", "-"], text)) as { runs: object[]; state: AgUiState; errors: object[] };
  expect(told.runs).toMatchObject([{ id: "r1", status: "ready", parts: 10, kinds: { TOOL_CALL_ARGS: 1 } }]);
  expect(told.errors).toEqual([]);
  expect(told.state.messages.map(({ id }) => id)).toEqual(["a1", "t1", "a2"]);
});

test("replay is readable", async () => {
  expect(await said(["replay", "-"], sse(RUN))).toBe(`A run over AG-UI
  r1: ended well after 10 parts (RUN_FINISHED 1, RUN_STARTED 1, STATE_SNAPSHOT 1, TEXT_MESSAGE_CONTENT 1, TEXT_MESSAGE_END 1, TEXT_MESSAGE_START 1, TOOL_CALL_ARGS 1, TOOL_CALL_END 1, TOOL_CALL_RESULT 1, TOOL_CALL_START 1)

assistant  → search({"q":"x"})
tool       ← found
assistant  Here
           it is

todos
  [~] Look
`);
});

test("replay stops after a part, and names a run that was cut", async () => {
  const told = (await json(["replay", "-", "--at", "6"], sse(RUN))) as { runs: object[]; state: AgUiState };
  expect(told.runs).toMatchObject([{ id: "r1", status: "disconnected", parts: 6 }]);
  expect(told.state.messages.map(({ id }) => id)).toEqual(["a1", "t1"]);
});

test("replay reports the runs of a conversation one by one, a run's interrupts, and events that could not be folded", async () => {
  const asks = [
    { type: "RUN_STARTED", threadId: "t", runId: "r2" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "nobody", delta: "x" },
    {
      type: "RUN_FINISHED",
      threadId: "t",
      runId: "r2",
      outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "ask" }] },
    },
  ];
  const told = (await json(["replay", "-"], sse([...RUN, ...asks]))) as { runs: object[]; errors: object[] };
  expect(told.runs).toMatchObject([
    { id: "r1", status: "ready" },
    { id: "r2", status: "interrupted", interrupts: [{ id: "i" }] },
  ]);
  expect(told.errors).toHaveLength(1);
});

const langGraph = (name: string) => readFileSync(new URL(`../../../www/public/runs/${name}`, import.meta.url), "utf8");

test("replay folds a LangGraph run, and inspect counts its parts", async () => {
  const run = file("run.sse", langGraph("langgraph-tool-call.sse"));
  const { runs, state } = (await json(["replay", run])) as { runs: object[]; state: { messages: { type: string }[] } };
  expect(runs).toMatchObject([{ status: "ready" }]);
  expect(state.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
  const report = (await json(["inspect", run])) as { kind: string; protocol: string; messages: object };
  expect(report).toMatchObject({ kind: "run", protocol: "LangGraph", messages: { count: 4, kinds: { ai: 2 } } });
  expect(await said(["inspect", run])).toContain("1 run over LangGraph");
});

test("a local graph's stream is a run, too", async () => {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("answer", () => ({ messages: [{ role: "assistant", id: "a", content: "Hello" }] }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile();
  const parts: unknown[] = [];
  const input = { messages: [{ role: "user", id: "q", content: "Hi" }] };
  for await (const part of await graph.stream(input, { streamMode: ["values", "updates"], subgraphs: true }))
    parts.push(part);
  const { state } = (await json(["replay", "-"], JSON.stringify(parts))) as { state: { messages: { id: string }[] } };
  expect(state.messages.map(({ id }) => id)).toEqual(["q", "a"]);
});

test("inspect reports a thread's record: pending updates, and oddities in its messages", async () => {
  const thread = new Thread<AgUiState>({ threadId: "t9" });
  thread.update({
    messages: [
      {
        id: "a",
        role: "assistant",
        toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
      },
    ],
  });
  thread.optimistic({ messages: [{ id: "q", role: "user", content: "Hi" }] }).fail(new Error("503"));
  const record = file("thread.json", { state: thread.toJSON(), version: 1 });
  expect(await json(["inspect", record])).toMatchObject({
    kind: "thread",
    threadId: "t9",
    pending: [{ status: "failed", writes: ["messages"], error: { message: "503" } }],
    messages: { count: 2, unanswered: [{ id: "c", name: "f" }] },
  });
  const readable = await said(["inspect", record]);
  expect(readable).toContain("failed: an update of messages");
  expect(readable).toContain("the call f (c) has no result");
});

test("inspect lists checkpoints of langgraph.js; diff takes the latest of them", async () => {
  const saver = new MemorySaver();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("ask", () => ({ messages: [{ role: "assistant", id: "a", content: String(interrupt("Go on?")) }] }))
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile({ checkpointer: saver });
  const config = { configurable: { thread_id: "t" } };
  await graph.invoke({ messages: [{ role: "user", id: "q", content: "Hi" }] }, config);
  const tuples: object[] = [];
  for await (const tuple of saver.list(config)) tuples.push(tuple);
  const states: object[] = [];
  for await (const state of graph.getStateHistory(config)) states.push(state);
  const [stored, told] = [file("tuples.json", tuples), file("history.json", states)];
  const { checkpoints } = (await json(["inspect", stored])) as { checkpoints: object[] };
  expect(checkpoints).toMatchObject([
    { source: "loop", step: 0, threadId: "t", fields: ["messages"], interrupts: [{ value: "Go on?" }] },
    { source: "input", step: -1 },
  ]);
  expect(await json(["inspect", told])).toMatchObject({ checkpoints: [{ step: 0, next: ["ask"] }, { step: -1 }] });
  expect(await said(["inspect", told])).toContain("next ask");
  expect(await said(["diff", stored, told])).toBe("The states are equal.\n");
});

test("diff names messages by their ids and fields by their places, and exits with 1", async () => {
  const state = (ids: readonly string[], more: object) => ({
    messages: ids.map((id) => ({ type: "human", id, content: id })),
    ...more,
  });
  const before = file("a.json", state(["x", "y", "z", "gone"], { plan: { step: 1, old: true }, same: [1, 2] }));
  const changed = state(["z", "x", "y", "new"], { plan: { step: 2, "a/b": 1 }, same: [1, 2] });
  changed.messages[1] = { type: "human", id: "x", content: "X" };
  const after = file("b.json", changed);
  const { status, stdout } = await threadfold(["diff", before, after, "--json"]);
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual([
    { path: "/messages/gone", change: "removed", before: { type: "human", id: "gone", content: "gone" } },
    { path: "/messages/z", change: "moved" },
    { path: "/messages/x/content", change: "changed", before: "x", after: "X" },
    { path: "/messages/new", change: "added", after: { type: "human", id: "new", content: "new" } },
    { path: "/plan/step", change: "changed", before: 1, after: 2 },
    { path: "/plan/old", change: "removed", before: true },
    { path: "/plan/a~1b", change: "added", after: 1 },
  ]);
  expect((await threadfold(["diff", before, after])).stdout).toContain("- /messages/gone  human: gone");
  expect(await threadfold(["diff", before, before])).toMatchObject({ status: 0, stdout: "The states are equal.\n" });
});

test.each([
  [["replay"], /takes one file/],
  [["diff", "a.json"], /takes two files/],
  [["unfold", "a.json"], /There is no command unfold/],
  [["replay", "a.json", "--at", "x"], /--at takes the number of a part/],
  [["replay", "a.json", "--fast"], /--fast/],
  [["inspect", "none.json"], /none.json cannot be read/],
  [["inspect", "-"], /neither a recorded run/],
  [["replay", "state.json"], /this file holds none/],
  [["inspect", "broken.json"], /not JSON/],
  [["inspect", "record.json"], /version 9/],
])("%j is refused in a sentence", async (args, sentence) => {
  file("a.json", [RUN[0]]);
  file("state.json", { a: 1 });
  file("broken.json", '{"a":');
  file("record.json", { version: 9, core: {} });
  const { status, stdout, stderr } = await threadfold(args, "[]");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(sentence);
  expect(stderr).toMatch(/^threadfold: .*\n$/);
});

test("a file's text steers no terminal", async () => {
  const evil = "\u001b]0;owned\u0007\u009b2J\r\u202ehidden";
  const shown = String.raw`\u001b]0;owned\u0007\u009b2J\u000d\u202ehidden`;
  const state = { messages: [{ role: "user", id: evil, content: `${evil}\n\tsecond line` }], [evil]: evil };
  // oxlint-disable-next-line no-control-regex
  const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;
  for (const args of [
    ["inspect", "-"],
    ["inspect", "-", "--json"],
    ["diff", file("empty.json", {}), "-"],
  ]) {
    const { stdout } = await threadfold(args, JSON.stringify(state));
    expect(stdout).not.toMatch(steering);
    expect(stdout).toContain("hidden");
  }
  const run = [RUN[0], { type: "RUN_ERROR", message: evil, code: evil }];
  const told = await said(["replay", "-"], JSON.stringify(run));
  expect(told).not.toMatch(steering);
  expect(told).toContain(shown.slice(0, 10));
  expect((await json(["replay", "-"], JSON.stringify(run))) as object).toMatchObject({
    runs: [{ error: { message: evil } }],
  });
  expect((await threadfold([evil])).stderr).not.toMatch(steering);
});

test("JSON that is nested too deeply gets a sentence", async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const message = { type: "human", id: "m", content: "x", additional_kwargs: "DEEP" };
  const inMessage = JSON.stringify({ messages: [message] }).replace('"DEEP"', deep);
  const inEvent = JSON.stringify([RUN[0], { type: "STATE_SNAPSHOT", snapshot: "DEEP" }]).replace('"DEEP"', deep);
  for (const [text, command] of [
    [deep, "inspect"],
    [inMessage, "inspect"],
    [inEvent, "replay"],
  ] as const) {
    const { status, stderr } = await threadfold([command, "-"], text);
    expect({ command, status, stderr }).toEqual({
      command,
      status: 2,
      stderr: "threadfold: The file's content is nested too deeply.\n",
    });
  }
  const { status, stderr } = await threadfold(["diff", file("a.json", deep), file("b.json", deep.replace("1", "2"))]);
  expect({ status, stderr }).toEqual({ status: 2, stderr: "threadfold: The file's content is nested too deeply.\n" });
});

test("it prints its help", async () => {
  for (const args of [[], ["help"], ["--help"], ["-h"]]) expect(await said(args)).toContain("threadfold replay FILE");
});

test("it is a program, which reads what comes in", () => {
  const { status, stdout } = spawnSync(process.execPath, [cli, "replay", "-", "--json"], {
    input: sse(RUN),
    encoding: "utf8",
  });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ runs: [{ id: "r1" }], errors: [] });
  expect(readFileSync(cli, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});
