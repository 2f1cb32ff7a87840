// Sub-agents of AG-UI 1.0: each has a thread of its own.
import { type AgUiState, textOf, Thread, type Subagent } from "threadfold";
import { foldAgUi, type AgUiEvent } from "threadfold/ag-ui";
import { expect, test, vi } from "vitest";

const started = (id: string, parentToolCallId: string, parentSubagentRunId?: string) => ({
  type: "SUBAGENT_STARTED",
  subagentRunId: id,
  name: "general-purpose",
  parentToolCallId,
  ...(parentSubagentRunId && { parentSubagentRunId }),
});
const says = (id: string, ...deltas: string[]) => [
  { type: "TEXT_MESSAGE_START", messageId: `m-${id}`, role: "assistant", subagentRunId: id },
  ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: `m-${id}`, delta })),
];
const ends = (id: string) => [
  { type: "TEXT_MESSAGE_END", messageId: `m-${id}`, subagentRunId: id },
  { type: "SUBAGENT_FINISHED", subagentRunId: id, result: "Done." },
];
const call = (id: string, parentMessageId: string) => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: "task", parentMessageId },
  { type: "TOOL_CALL_ARGS", toolCallId: id, delta: "{}" },
  { type: "TOOL_CALL_END", toolCallId: id },
];
const ASKING = [{ type: "RUN_STARTED", threadId: "t", runId: "r1" }, ...call("c1", "a"), ...call("c2", "a")];
const RESULT = { type: "TOOL_CALL_RESULT", messageId: "t1", toolCallId: "c1", content: "Done." };
const FINISHED = { type: "RUN_FINISHED", threadId: "t", runId: "r1" };
const fold = (thread: Thread<AgUiState>, events: object[], options?: object) =>
  foldAgUi(thread, events as AgUiEvent[], options);

const X = ["x", "general-purpose", "c1", undefined];
const tree = ({ subagents }: { subagents: readonly Subagent[] }): unknown[] =>
  subagents.map(({ id, name, toolCallId, parentId, thread }) => [
    [id, name, toolCallId, parentId],
    thread.run.status,
    thread.getState().messages.map(textOf),
    ...(thread.subagents.length > 0 ? [tree(thread)] : []),
  ]);

test("each is a thread under its call; the conversation has none of its messages", async () => {
  const thread = new Thread<AgUiState>();
  const errors = vi.fn();
  thread.on("error", errors);
  await fold(thread, [
    ...ASKING,
    started("x", "c1"),
    started("y", "c2"),
    ...says("x", "I ", "wrote."),
    ...says("y", "Pasta"),
    started("z", "c9", "x"),
    ...says("z", "Deep."),
    ...ends("z"),
    ...ends("x"),
    RESULT,
    { type: "SUBAGENT_ERROR", subagentRunId: "y", message: "No pasta" },
    FINISHED,
  ]);
  expect(thread.messageIds).toEqual(["a", "t1"]);
  const name = "general-purpose";
  expect(tree(thread)).toEqual([
    [["x", name, "c1", undefined], "ready", ["I wrote."], [[["z", name, "c9", "x"], "ready", ["Deep."]]]],
    [["y", name, "c2", undefined], "error", ["Pasta"]],
  ]);
  expect(thread.subagents[1]?.thread.run.error?.message).toBe("No pasta");
  expect(errors).not.toHaveBeenCalled();
});

test("a snapshot's messages go to their sub-agents", async () => {
  const thread = new Thread<AgUiState>();
  const messageId = "m-x";
  await fold(thread, [
    ...ASKING,
    started("x", "c1"),
    ...says("x", "I "),
    {
      type: "MESSAGES_SNAPSHOT",
      messages: [
        { id: "q", role: "user", content: "Go" },
        { id: messageId, role: "assistant", content: "I wrote.", subagentRunId: "x" },
        { id: "other", role: "assistant", content: "Flat.", subagentRunId: "unknown" },
      ],
    },
    FINISHED,
  ]);
  expect(thread.messageIds).toEqual(["q", "other"]);
  expect(tree(thread)).toEqual([[X, "ready", ["I wrote."]]]);
});

test("an interrupt in one is the run's, and its run's", async () => {
  const thread = new Thread<AgUiState>();
  const interrupt = { id: "i1", reason: "approval", subagentRunId: "x" };
  const end = await fold(thread, [
    ...ASKING,
    started("x", "c1"),
    ...says("x", "May I?"),
    { type: "SUBAGENT_FINISHED", subagentRunId: "x", outcome: { type: "suspended", interruptIds: ["i1"] } },
    { ...FINISHED, outcome: { type: "interrupt", interrupts: [interrupt] } },
  ]);
  expect(end.interrupts.map(({ id }) => id)).toEqual(["i1"]);
  expect(thread.subagents[0]?.thread.run).toMatchObject({ status: "interrupted", interrupts: [interrupt] });
  const again = Thread.fromJSON<AgUiState>(JSON.parse(JSON.stringify(thread)));
  await fold(again, [
    { ...ASKING[0], runId: "r2" },
    started("x", "c1"),
    { type: "TEXT_MESSAGE_START", messageId: "m2", role: "assistant", subagentRunId: "x" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m2", delta: "I did.", subagentRunId: "x" },
    { type: "SUBAGENT_FINISHED", subagentRunId: "x" },
    { ...FINISHED, runId: "r2" },
  ]);
  expect(tree(again)).toEqual([[X, "ready", ["May I?", "I did."]]]);
});

test("a cut stream is joined after a sub-agent's event, also after a reload", async () => {
  const texts = Array.from({ length: 400 }, (_, at) => `${at} `);
  const run = [...ASKING, started("x", "c1"), ...says("x", ...texts), ...ends("x"), RESULT, FINISHED];
  const sent = (list: object[], from: number) =>
    new Response(list.map((event, at) => `id: ${from + at}\ndata: ${JSON.stringify(event)}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  for (const cut of [10, 11, 150, 410]) {
    let thread = new Thread<AgUiState>();
    expect((await foldAgUi(thread, sent(run.slice(0, cut), 1))).status).toBe("disconnected");
    if (cut % 2 === 0) thread = Thread.fromJSON(JSON.parse(JSON.stringify(thread)));
    expect(thread.run.lastEventId).toBe(String(cut));
    expect((await foldAgUi(thread, sent(run.slice(cut), cut + 1), { join: true })).status).toBe("finished");
    expect(tree(thread)).toEqual([[X, "ready", [texts.join("")]]]);
  }
});
