// Event streams whose ids name nothing: several parts share one. No part is skipped silently.
import { Thread, type ThreadfoldError } from "threadfold";
import { foldAgUi } from "threadfold/ag-ui";
import { foldLangGraph } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";

const response = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });

const delta = (text: string) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: text });
const RUN = [
  { type: "RUN_STARTED", threadId: "t", runId: "r" },
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
  ...["ha", "ha", "ha", "!"].map(delta),
  { type: "TEXT_MESSAGE_END", messageId: "m" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r" },
];

const PARTS = [
  { event: "metadata", data: { run_id: "r" } },
  ...["ha", "ha", "ha", "!"].map((content) => ({
    event: "messages",
    data: [{ type: "AIMessageChunk", id: "m", content }, { langgraph_node: "a" }],
  })),
  { event: "values", data: { messages: [{ type: "ai", id: "m", content: "hahaha!" }] } },
];

const IDS: [name: string, idAt: (at: number) => unknown][] = [
  ["one id for all", () => "r"],
  ["two in turn", (at) => at % 2],
  ["ids that begin anew", (at) => at % 4],
  ["an id of the next as well", (at) => Math.floor(at / 2)],
];

function told(thread: Thread<never>): string[] {
  const said: string[] = [];
  thread.on("error", ({ message }: ThreadfoldError) => said.push(message));
  return said;
}

describe.each(IDS)("a body with %s is folded", (_, idAt) => {
  const agUi = RUN.map((event, at) => `id: ${String(idAt(at))}\ndata: ${JSON.stringify(event)}\n\n`);
  const langGraph = PARTS.map(
    ({ event, data }, at) => `id: ${String(idAt(at))}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
  );

  test("in AG-UI", async () => {
    const thread = new Thread();
    const errors = told(thread as never);
    expect(await foldAgUi(thread, response(agUi.join("")))).toMatchObject({ status: "finished" });
    expect([thread.getState().messages.map(({ content }) => content), errors]).toEqual([["hahaha!"], []]);
  });

  test("in LangGraph's API, also without a state at the end", async () => {
    for (const parts of [langGraph, langGraph.slice(0, -1)]) {
      const thread = new Thread();
      const errors = told(thread as never);
      await foldLangGraph(thread, response(parts.join("")));
      expect([thread.getState().messages.map(({ content }) => content), errors]).toEqual([["hahaha!"], []]);
    }
  });
});

test("one part that comes twice, with its id, is one", async () => {
  const parts = RUN.map((event, at) => `id: ${at}\ndata: ${JSON.stringify(event)}\n\n`);
  const twice = [...parts.slice(0, 5), ...parts.slice(3)];
  const thread = new Thread();
  await foldAgUi(thread, response(twice.join("")));
  expect(thread.getState().messages.map(({ content }) => content)).toEqual(["hahaha!"]);
});

test("a stream with one id for all that is joined again loses nothing, or says that parts may be missing", async () => {
  const parts = RUN.map((event) => `id: r\ndata: ${JSON.stringify(event)}\n\n`);
  for (let cut = 1; cut < parts.length; cut++) {
    const thread = new Thread();
    const errors = told(thread as never);
    await foldAgUi(thread, response(parts.slice(0, cut).join("")));
    await foldAgUi(thread, response(parts.slice(cut).join("")), { join: true });
    const [message] = thread.getState().messages;
    if (message?.content === "hahaha!") expect(errors).toEqual([]);
    else expect(errors).toContainEqual(expect.stringContaining('different parts with the id "r"'));
  }
});

test("runs of one body number their parts each for itself", async () => {
  const runs = ["r1", "r2"].flatMap((runId) =>
    RUN.map((event) => ({
      ...event,
      ...("runId" in event && { runId }),
      ...("messageId" in event && { messageId: runId }),
    })),
  );
  const body = runs.map((event, at) => `id: ${at % RUN.length}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const thread = new Thread();
  await foldAgUi(thread, response(body), { until: "stream" });
  expect(thread.getState().messages.map(({ content }) => content)).toEqual(["hahaha!", "hahaha!"]);
  expect(thread.run).toMatchObject({ id: "r2", lastEventId: String(RUN.length - 1) });
});
