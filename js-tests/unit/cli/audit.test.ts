// `npx threadfold audit`, over runs that real servers' streams were recorded of.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRecording } from "../../peers/recorded/format.mjs";

const cli = fileURLToPath(new URL("../../../pkg/cli.js", import.meta.url));
/** Where `@ag-ui/client` is installed. */
const app = fileURLToPath(new URL("../../", import.meta.url));

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "threadfold-audit-"))));
afterAll(() => rmSync(folder, { recursive: true }));

interface Audit {
  protocol: string;
  runs: number;
  parts: number;
  kinds: { kind: string; count: number; bytes: number }[];
  bytes: { streamed: number; snapshots: number; sent?: number; states: { requests: number; bytes: number } };
  fold: { total: number; slowest: number; clones: number };
  client?: {
    version: string;
    clones: number;
    copied: number;
    ms: number;
    differences: { path: string; change: string }[];
  };
  drift?: { path: string; change: string }[];
  lost: { parts: string[]; runs: number; here: string[]; client?: string[] };
  unmeasured: string[];
}

const written = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

function run(args: readonly string[], cwd = app) {
  return spawnSync(process.execPath, [cli, "audit", ...args], { cwd, encoding: "utf8" });
}

function audit(path: string, cwd = app): Audit {
  const { status, stdout, stderr } = run([path, "--json"], cwd);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout) as Audit;
}

const recorded = (kind: string, name: string) => written(`${kind}-${name}.json`, readRecording(kind, name));
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test("AG-UI: bytes, time, and the copies that the installed client makes", () => {
  const { turns } = readRecording("ag-ui", "chat");
  const found = audit(recorded("ag-ui", "chat"));
  const events = turns.flatMap(({ parts }) => parts.map(({ data }) => data as { type: string }));
  expect(found).toMatchObject({ protocol: "AG-UI", runs: 2, parts: events.length, drift: [] });
  expect(found.bytes.streamed).toBe(events.reduce((sum, event) => sum + bytesOf(event), 0));
  const snapshots = events.filter(({ type }) => type.endsWith("_SNAPSHOT"));
  expect(found.bytes.snapshots).toBe(snapshots.reduce((sum, event) => sum + bytesOf(event), 0));
  expect(found.bytes.sent).toBe(turns.reduce((sum, { request }) => sum + bytesOf(request), 0));
  expect(found.fold.clones).toBe(0);
  expect(found.fold.slowest).toBeGreaterThan(0);
  expect(found.fold.slowest).toBeLessThanOrEqual(found.fold.total);
  const { version } = JSON.parse(
    readFileSync(fileURLToPath(new URL("../package.json", import.meta.resolve("@ag-ui/client"))), "utf8"),
  ) as { version: string };
  expect(found.client).toMatchObject({ version, differences: [] });
  // It copies the conversation for each token.
  const tokens = events.filter(({ type }) => type === "TEXT_MESSAGE_CONTENT").length;
  expect(found.client?.clones).toBeGreaterThanOrEqual(tokens);
  expect(found.client?.copied).toBeGreaterThan(found.bytes.snapshots);
  expect(found.lost).toEqual({ parts: [], runs: 0, here: [], client: [] });
  expect(found.unmeasured).toEqual([]);
});

test("AG-UI: a message that only the client loses, and those that it has in another order", () => {
  const found = audit(recorded("ag-ui", "remove_unknown"));
  expect([found.lost.here, found.lost.client?.length]).toEqual([[], 1]);
  const moved = audit(recorded("ag-ui", "todos"));
  expect(moved.client?.differences.map(({ change }) => change)).toEqual(["moved", "moved", "moved"]);
});

test("AG-UI: a snapshot that contradicts the tokens is drift, and a run without an end is counted", () => {
  expect(audit(recorded("ag-ui", "redact")).drift?.length).toBe(2);
  const { turns } = readRecording("ag-ui", "chat");
  const cut = turns[0]?.parts.slice(0, 8).map(({ data }) => data as object);
  const found = audit(written("cut.json", [...(cut ?? []), { type: "STATE_DELTA", delta: "none" }]));
  expect(found.lost.runs).toBe(1);
  expect(found.lost.parts).toHaveLength(1);
});

test("LangGraph: the updates alone give the server's state, and the bytes of states are apart", () => {
  const { turns } = readRecording("langgraph", "redact");
  const parts = turns.flatMap(({ parts }) => parts);
  const found = audit(recorded("langgraph", "redact"));
  expect(found).toMatchObject({ protocol: "LangGraph", runs: 2, parts: parts.length, drift: [] });
  const states = parts.filter(({ event }) => event === "values");
  expect(found.bytes.snapshots).toBe(states.reduce((sum, { data }) => sum + bytesOf(data), 0));
  expect(found.client).toBeUndefined();
  expect(found.lost).toEqual({ parts: [], runs: 0, here: [] });
});

test("what cannot be measured is said", () => {
  const chat = recorded("ag-ui", "chat");
  expect(audit(chat, folder).unmeasured).toEqual([
    "Clones: @ag-ui/client is not installed in this folder. Run the command in your app's.",
  ]);
  const events = readRecording("ag-ui", "chat").turns[0]?.parts.map(({ data }) => data as { type: string });
  const alone = written(
    "alone.json",
    events?.filter(({ type }) => !type.endsWith("_SNAPSHOT")),
  );
  expect(audit(alone).unmeasured).toEqual([
    "Requests, and the order on @ag-ui/client: the recording has none.",
    "Drift: the recording has no snapshot to compare with.",
  ]);
  expect(audit(recorded("langgraph", "log")).unmeasured).toEqual([
    "Drift of log, count: only a schema says how they fold.",
    "The main thread's time on useStream: it needs a page.",
  ]);
  expect(audit(recorded("langgraph", "chat.two-modes")).unmeasured[0]).toBe(
    "Drift: the recording lacks updates to fold or a state to compare with.",
  );
});

/** A HAR as browsers export it, of these turns. */
function har(turns: ReturnType<typeof readRecording>["turns"], more: object[] = []) {
  const sse = (parts: { event?: string | undefined; data: unknown }[]) =>
    parts.map(({ event, data }) => `${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(data)}\n\n`).join("");
  const entries = turns.map(({ request, parts }, at) => ({
    startedDateTime: new Date(1000 * (at + 1)).toISOString(),
    request: { url: "http://localhost/agent", postData: { text: JSON.stringify(request) } },
    response: {
      content: {
        mimeType: "text/event-stream; charset=utf-8",
        ...(at === 0 ? { text: sse(parts) } : { encoding: "base64", text: Buffer.from(sse(parts)).toString("base64") }),
      },
    },
  }));
  // The last comes first: a HAR need not be sorted.
  return { log: { version: "1.2", entries: [...entries.toReversed(), ...more] } };
}

test("a HAR says the same as the recording, in any order, and what was asked beside the streams", () => {
  const entry = (url: string, content: object) => ({
    startedDateTime: new Date(0).toISOString(),
    request: { url },
    response: { content },
  });
  const { turns } = readRecording("ag-ui", "chat");
  const { fold: _, client, ...found } = audit(written("chat.har", har(turns)));
  const { fold: __, client: recordedClient, ...expected } = audit(recorded("ag-ui", "chat"));
  expect(found).toEqual(expected);
  expect([client?.clones, client?.copied]).toEqual([recordedClient?.clones, recordedClient?.copied]);

  const state = { mimeType: "application/json", text: '{"values":{}}' };
  const more = [
    entry("http://localhost/threads/t1/history?limit=1", state),
    entry("http://localhost/logo.png", { mimeType: "image/png", text: "" }),
    entry("http://localhost/threads/t1/runs/stream", { mimeType: "text/event-stream" }),
  ];
  const other = audit(written("langgraph.har", har(readRecording("langgraph", "chat").turns, more)));
  expect(other.bytes.states).toEqual({ requests: 1, bytes: 13 });
  expect(other.unmeasured[0]).toBe("1 stream: the HAR has no content of it. Export it with content.");
  expect(other.drift).toEqual([]);
});

test("a HAR with a reload in the middle of an answer: the run that is joined is one with its beginning", () => {
  const { turns } = readRecording("ag-ui", "chat");
  const { fold: _, client: __, ...expected } = audit(recorded("ag-ui", "chat"));
  const { log } = har(turns);
  const [second, first] = log.entries as [never, { startedDateTime: string; response: { content: { text: string } } }];
  const events = first.response.content.text.split(/(?<=\n\n)/);
  const cut = (from: number, to?: number) => ({
    ...first,
    response: { content: { ...first.response.content, text: events.slice(from, to).join("") } },
  });
  const joining = {
    ...cut(8),
    startedDateTime: new Date(1500).toISOString(),
    request: { method: "GET", url: "http://localhost/agent/threads/t/runs/r" },
  };
  const followed = {
    ...cut(0, 1),
    request: { method: "GET", url: "http://localhost/agent/threads/t/events?only=starts" },
  };
  const found = audit(written("joined.har", { log: { entries: [second, cut(0, 8), joining, followed] } }));
  expect(found).toMatchObject(expected);
  // Without its beginning it is missing, and nothing else.
  const half = audit(written("half.har", { log: { entries: [second, joining] } }));
  expect(half.lost).toEqual({ parts: [], runs: 0, here: [], client: [] });
  expect(half.unmeasured).toEqual(["1 stream: the HAR has no content of it. Export it with content."]);
});

test("sentences for the terminal, a page that needs nothing else, and refusals", () => {
  const path = recorded("ag-ui", "redact");
  const page = join(folder, "page.html");
  const { stdout, status } = run([path, "--html", page]);
  expect(status).toBe(0);
  for (const text of [
    "2 runs over AG-UI",
    "threadfold calls structuredClone 0 times",
    "2 differences from",
    "Not measured",
  ].slice(0, 3))
    expect(stdout).toContain(text);
  const html = readFileSync(page, "utf8");
  expect(html).toContain("threadfold calls structuredClone 0 times");
  expect(html).toContain("<th>TEXT_MESSAGE_CONTENT</th>");
  expect(html).not.toMatch(/<script|<link|src=|url\(|https?:/);
  const named = written("<b>.json", [{ type: "RUN_STARTED", threadId: "t", runId: "r" }]);
  run([named, "--html", page]);
  expect(readFileSync(page, "utf8")).not.toContain("<b>");

  const refusals: [string, string][] = [
    [written("state.json", { todos: [] }), "Only a recorded run or a HAR can be audited: this file holds none."],
    [written("none.har", har([])), "none.har has no stream of server-sent events."],
  ];
  for (const [path, sentence] of refusals)
    expect(run([path])).toMatchObject({ status: 2, stderr: `threadfold: ${sentence}\n` });
});
