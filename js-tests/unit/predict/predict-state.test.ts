// The state as a tool call's arguments will make it: a layer over what the server has sent.
import { Thread } from "threadfold";
import { AgUiRunner, foldAgUi, runInput } from "threadfold/ag-ui";
import { foldLangGraph } from "threadfold/langgraph";
import { deepAgentRules, predictState, type PredictOptions } from "threadfold/predict";
import { expect, test } from "vitest";

interface State {
  messages: object[];
  document?: string;
  files?: Record<string, { content: string }>;
  todos?: object[];
}
type Event = { type: string } & Record<string, unknown>;

const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const rules = {
  type: "CUSTOM",
  name: "PredictState",
  value: [{ state_key: "document", tool: "write", tool_argument: "text" }],
};
const call = (name: string, ...parts: string[]): Event[] => [
  { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: name, parentMessageId: "a" },
  ...parts.map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta })),
  { type: "TOOL_CALL_END", toolCallId: "c" },
];
const snapshot = (value: object) => ({ type: "STATE_SNAPSHOT", snapshot: value });

/** Folds events, and returns the field after each. */
async function folded(events: readonly Event[], options: PredictOptions = {}, field: keyof State = "document") {
  const thread = new Thread<State>({ threadId: "t" });
  const drifts: object[] = [];
  thread.on("drift", ({ patch }) => void drifts.push(patch));
  const { onEvent } = predictState(thread, options);
  const seen: unknown[] = [];
  const take = (event: object) => {
    onEvent(event);
    seen.push(thread.getState()[field]);
  };
  await foldAgUi(thread, events as never, { onEvent: take });
  return { thread, seen, drifts };
}

test("the server's rules: the field shows the argument as far as it has come, and then what the server sends", async () => {
  const events = [
    started,
    rules,
    ...call("write", '{"te', 'xt":"Once', " upon", ' a time"}'),
    snapshot({ document: "Once upon a time" }),
    finished,
  ];
  const { thread, seen, drifts } = await folded(events);
  const none = undefined;
  expect(seen).toEqual([none, none, none, none, "Once", "Once upon", ...Array(4).fill("Once upon a time")]);
  expect(drifts).toEqual([]);
  expect(thread.getState()).toBe(thread.getState());
});

test("a prediction is never confirmed, pending or sent, and goes with its run", async () => {
  const thread = new Thread<State>({ threadId: "t" });
  const { onEvent } = predictState(thread);
  const during: unknown[] = [];
  const events = [started, rules, ...call("write", '{"text":"Once"}'), finished];
  await foldAgUi(thread, events, {
    onEvent: (event) => {
      onEvent(event);
      if (event.type !== "TOOL_CALL_END") return;
      during.push(thread.getState().document, thread.getConfirmedState().document, thread.pending.length);
      during.push(runInput(thread).state);
    },
  });
  expect(during).toEqual(["Once", undefined, 0, {}]);
  expect(thread.getState()).not.toHaveProperty("document");
});

test("another value of the server's replaces it, and drift says so; what was there before is no word of the server's", async () => {
  const { seen, drifts } = await folded([
    started,
    snapshot({ document: "Old" }),
    rules,
    ...call("write", '{"text":"New', ' one"}'),
    snapshot({ document: "Refused" }),
    ...[{ type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: "no" }, finished],
  ]);
  expect(seen).toEqual([undefined, "Old", "Old", "Old", "New", "New one", "New one", "Refused", "Refused", "Refused"]);
  expect(drifts).toEqual([[{ op: "replace", path: "/document", value: "Refused" }]]);
});

test.each([
  [
    "a result with an error",
    [
      {
        type: "MESSAGES_SNAPSHOT",
        messages: [
          {
            id: "a",
            role: "assistant",
            toolCalls: [{ id: "c", type: "function", function: { name: "write", arguments: '{"text":"New"}' } }],
          },
          { id: "m", role: "tool", toolCallId: "c", content: "no", error: "refused" },
        ],
      },
    ],
  ],
  ["a run that fails", [{ type: "RUN_ERROR", message: "no" }]],
])("%s takes it back", async (_, after) => {
  const { thread, seen, drifts } = await folded([
    started,
    snapshot({ document: "Old" }),
    rules,
    ...call("write", '{"text":"New"}'),
    ...after,
  ]);
  expect(seen.slice(-2)).toEqual(["New", "Old"]);
  expect(thread.getState().document).toBe("Old");
  expect(drifts).toEqual([]);
});

test("deep agents' tools: a file that fills, and todos", async () => {
  const predict = deepAgentRules;
  const files = await folded(
    [
      started,
      snapshot({ files: { "/a": { content: "A" } } }),
      ...call("write_file", '{"file_path":"/b', '","content":"Li', 'ne"}'),
    ],
    { predict },
    "files",
  );
  const a = { content: "A" };
  const b = (content: string) => ({ "/a": a, "/b": { encoding: "utf-8", content } });
  expect(files.seen.slice(-4)).toEqual([{ "/a": a }, b("Li"), b("Line"), b("Line")]);
  const todos = await folded(
    [
      started,
      ...call("write_todos", '{"todos":[{"content":"Lo', 'ok","status":"comp', 'leted"},{', '"content":"Go"}]}'),
    ],
    { predict },
    "todos",
  );
  const go = { content: "Go", status: "pending" };
  expect(todos.seen.slice(-5)).toEqual([
    [{ content: "Lo", status: "pending" }],
    [{ content: "Look", status: "pending" }],
    [{ content: "Look", status: "completed" }],
    [{ content: "Look", status: "completed" }, go],
    [{ content: "Look", status: "completed" }, go],
  ]);
});

test("over LangGraph's own API, by declared rules", async () => {
  const thread = new Thread<State>({ threadId: "t" });
  predictState(thread, { predict: { write: { field: "document", argument: "text" } } });
  const seen: unknown[] = [];
  const chunk = (args: string, id?: string) => ({
    event: "messages",
    data: [
      { type: "AIMessageChunk", id: "a", content: "", tool_call_chunks: [{ index: 0, id, name: id && "write", args }] },
      {},
    ],
  });
  const parts = [
    { event: "metadata", data: { run_id: "r" } },
    chunk("", "c"),
    chunk('{"text":"On'),
    chunk('ce"}'),
    {
      event: "values",
      data: {
        messages: [
          { type: "ai", id: "a", content: "", tool_calls: [{ id: "c", name: "write", args: { text: "Once" } }] },
        ],
        document: "Once!",
      },
    },
  ];
  await foldLangGraph(thread, parts as never, { onEvent: () => void seen.push(thread.getState().document) } as never);
  expect(seen).toEqual([undefined, undefined, "On", "Once", "Once!"]);
});

test("listeners hear of it once a task, and a runner takes it as onEvent; dispose ends it", async () => {
  const thread = new Thread<State>({ threadId: "t" });
  const prediction = predictState(thread);
  const shown: unknown[] = [];
  thread.subscribe(({ document }) => void shown.push(document));
  async function* run() {
    for (const event of [started, rules, ...call("write", '{"text":"a', "b", '"}'), finished]) {
      yield event;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  const runner = new AgUiRunner(thread as never, { transport: { run }, onEvent: prediction.onEvent });
  await runner.sendMessage("Hi");
  await new Promise((resolve) => setTimeout(resolve));
  expect(shown.filter((value, at) => value !== shown[at - 1])).toEqual(["a", "ab", undefined]);
  prediction.dispose();
  await runner.sendMessage("Again");
  expect(shown.at(-1)).toBeUndefined();
});

test("a token of a file of 100 KB costs the token", async () => {
  const cost = async (options?: PredictOptions) => {
    const thread = new Thread<State>({ threadId: "t" });
    if (options) predictState(thread, options);
    const parts = Array.from({ length: 5_000 }, () => "twenty letters a part");
    const events = [started, ...call("write_file", '{"file_path":"/a","content":"', ...parts)];
    let looks = 0;
    const before = process.cpuUsage();
    await foldAgUi(thread, events, {
      onEvent: () => void (looks += thread.getState().files?.["/a"]?.content.length ?? 0),
    });
    // The CPU's time: others may have the cores meanwhile.
    const { user, system } = process.cpuUsage(before);
    return { ms: (user + system) / 1_000, looks };
  };
  const all = [];
  for (let round = 0; round < 3; round++) all.push(await cost({ predict: deepAgentRules }));
  expect(all[0]?.looks).toBeGreaterThan(200_000_000);
  // Copying the arguments for each token takes a second and more.
  expect(Math.min(...all.map(({ ms }) => ms))).toBeLessThan(1_000);
});

test.each(['say "hi"', "a\\b\n", "\u00e9\u2028x", "\ud83d\ude00 and \ud83d"])(
  "what is shown of %j is a beginning of it, wherever its escapes are cut",
  async (text) => {
    const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
    const json = JSON.stringify({ text, more: [text] }).replace(/[^\x20-\x7e]/g, escaped);
    const { seen } = await folded([started, rules, ...call("write", ...json)]);
    const shown = seen.filter((one): one is string => typeof one === "string");
    expect(shown.filter((one) => !text.startsWith(one))).toEqual([]);
    expect(shown.at(-1)).toBe(text);
  },
);

test("a server's value that has more than was predicted is no drift; one that lacks something is", async () => {
  const file = { content: "Once", encoding: "utf-8" };
  const events = (files: object) => [
    started,
    ...call("write_file", '{"file_path":"/a.md","content":"Once"}'),
    snapshot({ files }),
    finished,
  ];
  const times = { created_at: "2026-01-01", modified_at: "2026-01-01" };
  const options = { predict: deepAgentRules };
  expect((await folded(events({ "/a.md": { ...file, ...times } }), options, "files")).drifts).toEqual([]);
  for (const files of [{ "/a.md": { ...file, content: "Twice" } }, { "/b.md": file }, {}])
    expect((await folded(events(files), options, "files")).drifts).toHaveLength(1);
});

test.each([
  ["a server's rule", [{ ...rules, value: [{ state_key: "messages", tool: "write", tool_argument: "text" }] }], {}],
  ["messages", [], { write: () => ({ messages: 5 }) }],
  ["a text", [], { write: () => "x" }],
  ["a list", [], { write: () => ["x"] }],
])("a rule that gives no fields is reported once, and changes nothing: %s", async (_, events, predict) => {
  const thread = new Thread<State>({ threadId: "t" });
  const errors: string[] = [];
  thread.on("error", ({ code }) => void errors.push(code));
  const { onEvent } = predictState(thread, { predict: predict as PredictOptions["predict"] });
  const seen = new Set<unknown>();
  const take = (event: object) => {
    onEvent(event);
    seen.add(Array.isArray(thread.getState().messages)).add(Object.keys(thread.getState()).join());
  };
  await foldAgUi(thread, [started, ...events, ...call("write", '{"text":"a', 'b"}')] as never, { onEvent: take });
  expect(errors).toEqual(["INVALID_ARGUMENT"]);
  expect(seen).toEqual(new Set([true, "messages"]));
});

test("wrong arguments are refused", () => {
  expect(() => predictState({} as never)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }) as Error);
  expect(() => predictState(new Thread(), { predicts: {} } as never)).toThrow(/predict/);
});
