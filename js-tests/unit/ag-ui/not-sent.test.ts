// A failed update waits for its retry: no run sends it, and it stays shown.
import type { Message, RunAgentInput } from "@ag-ui/client";
import { defineSchema, field, removeMessage, Thread, type ThreadState } from "threadfold";
import { foldAgUi, runInput } from "threadfold/ag-ui";
import { FoldHttpAgent } from "threadfold/ag-ui/client";
import { expect, test } from "vitest";
import { finished, response, started, text } from "./agents.js";

type Open = ThreadState<Message> & Record<string, unknown>;

const question: Message = { id: "q", role: "user", content: "Q" };
const other: Message = { id: "q2", role: "user", content: "Q2" };
const EARLIER = [
  started("r0"),
  ...text("a", "A"),
  ...text("b", "B"),
  { type: "STATE_SNAPSHOT", snapshot: { mood: "calm" } },
  finished("r0"),
];

async function threadWith(): Promise<Thread<Open>> {
  const thread = new Thread<Open>({ threadId: "t1" });
  await foldAgUi(thread, EARLIER);
  return thread;
}

const sentBy = (thread: Thread<Open>) => {
  const { messages, state } = runInput(thread);
  return [messages.map((message) => (message as Message).content), state];
};

test("neither its messages nor its fields are sent, until it is retried", async () => {
  const thread = await threadWith();
  const failed = thread.optimistic({ messages: [question], mood: "sad", note: 1 });
  failed.fail(new Error("no"));
  thread.optimistic({ messages: [other], hue: "red" });
  const shown = thread.getState();
  expect(sentBy(thread)).toEqual([["A", "B", "Q2"], { hue: "red" }]);
  expect(runInput(thread, { state: "whole" }).state).toEqual({ mood: "calm", hue: "red" });
  expect(thread.getState()).toBe(shown);
  expect(failed.status).toBe("failed");
  failed.retry();
  expect(sentBy(thread)).toEqual([["A", "B", "Q", "Q2"], { mood: "sad", note: 1, hue: "red" }]);
});

test("fields that it changed and removed are sent with the server's value, or a later update's", async () => {
  const thread = await threadWith();
  const edit = thread.optimistic({
    messages: [{ id: "a", role: "assistant", content: "edited" }, removeMessage("b")] as never,
  });
  const later = thread.optimistic({ messages: [{ id: "a", role: "assistant", content: "edited again" }] });
  edit.fail(new Error("no"));
  expect(sentBy(thread)[0]).toEqual(["edited again", "B"]);
  later.fail(new Error("no"));
  expect(sentBy(thread)[0]).toEqual(["A", "B"]);
  expect(thread.getState().messages.map(({ content }) => content)).toEqual(["edited again"]);
});

test("a failed write to a field with a reducer of its own is not sent either", () => {
  const schema = defineSchema({
    messages: field.messages(),
    budget: field.reducer((left: number, spent: number) => left - spent, { default: () => 100 }),
  });
  const thread = new Thread({ threadId: "t1", schema });
  thread.optimistic({ budget: 1 }).fail(new Error("no"));
  expect(runInput(thread).state).toEqual({});
  thread.optimistic({ budget: 5 });
  expect(runInput(thread).state).toEqual({ budget: 5 });
});

test("an update that failed with its request is not sent with the next", async () => {
  const thread = await threadWith();
  thread.optimistic({ messages: [question] });
  await foldAgUi(thread, new Response("boom", { status: 500 })).catch(() => {});
  thread.optimistic({ messages: [other] });
  expect(sentBy(thread)[0]).toEqual(["A", "B", "Q2"]);
});

test("nor does an agent send it: it stays in the agent's messages and state", async () => {
  const sent: RunAgentInput[] = [];
  const agent = new FoldHttpAgent({
    url: "http://made",
    threadId: "t1",
    initialMessages: [question],
    initialState: { mood: "calm" },
    fetch: async (_, { body }) => {
      sent.push(JSON.parse(String(body)) as RunAgentInput);
      return response([
        started(`r${sent.length}`),
        { type: "ACTIVITY_SNAPSHOT", messageId: "v", activityType: "plan", content: {} },
        finished(`r${sent.length}`),
      ]);
    },
  });
  await agent.runAgent();
  const op = agent.thread.optimistic({ messages: [other], mood: "sad", note: 1 });
  op.fail(new Error("no"));
  await agent.runAgent();
  expect(sent[1]).toMatchObject({ messages: [question], state: { mood: "calm" } });
  expect(sent[1]?.state).not.toHaveProperty("note");
  expect(agent.messages.map(({ id }) => id)).toEqual(["q", "v", "q2"]);
  expect(agent.state).toMatchObject({ mood: "sad", note: 1 });
  op.retry();
  await agent.runAgent();
  expect(sent[2]).toMatchObject({ messages: [question, other], state: { mood: "sad", note: 1 } });
});
