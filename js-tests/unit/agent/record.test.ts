// The agent record: each field of it has its place, and four principles hold. docs/agent.md has the table.
import { textOf, type LangChainMessage } from "threadfold";
import {
  type AgentEvent,
  createAgent,
  humanInTheLoopMiddleware,
  scratchpadMiddleware,
  summarizationMiddleware,
  tool,
} from "threadfold/agent";
import { contextMessages, fullMessages } from "threadfold/context";
import { Command, INTERRUPT, MemorySaver } from "threadfold/graph";
import { expect, test } from "vitest";

const thread = { threadId: "t" };

test("every field of the record has its place", async () => {
  const events: [string, AgentEvent][] = [];
  const note = (name: string) => (event: AgentEvent) => void events.push([name, event]);
  const agent = createAgent({
    id: "agent-1",
    name: "ada",
    systemPrompt: "Be brief.",
    model: (messages) =>
      messages.at(-1)?.type === "tool"
        ? { content: "It is 4.", response_metadata: { finish_reason: "stop" } }
        : { content: "", tool_calls: [{ id: "c1", name: "add", args: { a: 2, b: 2 } }] },
    tools: [tool({ name: "add", run: ({ a, b }: { a: number; b: number }) => a + b })],
    maxIterations: 5,
    middleware: [humanInTheLoopMiddleware({ interruptOn: { add: true } }), scratchpadMiddleware()],
    checkpointer: new MemorySaver(),
    onModelStart: note("model"),
    onModelEnd: note("answer"),
    onToolStart: note("tool"),
    onToolEnd: note("result"),
  });
  expect(agent.name).toBe("ada");

  // pending_action: the interrupt.
  const asked = await agent.invoke({ messages: "2 + 2?" }, { ...thread, context: { user: "u1" } });
  const [pending] = asked[INTERRUPT] as { value: { action_requests: object[] } }[];
  expect(pending?.value.action_requests).toMatchObject([{ name: "add", args: { a: 2, b: 2 } }]);
  expect((await agent.getState(thread)).next).toEqual(["HumanInTheLoopMiddleware.after_model"]);

  const resumed = new Command({ resume: { decisions: [{ type: "approve" }] } });
  const { messages } = await agent.invoke(resumed, { ...thread, context: { user: "u1" } });
  // last_response, last_content; the author.
  expect(messages.at(-1)).toMatchObject({ type: "ai", name: "ada", content: "It is 4." });
  // Private fields are in no result, and in the state: the scratchpad, bounded.
  const { values, metadata } = await agent.getState(thread);
  const state = values as Record<string, unknown> & { messages: LangChainMessage[] };
  expect((state["scratchpad"] as { node: string }[]).map(({ node }) => node)).toEqual(["model", "tools", "model"]);
  expect(Object.keys(asked)).not.toContain("scratchpad");
  // messages, full_messages; the step and callbacks report the iteration.
  expect(fullMessages(state)).toBe(state.messages);
  expect(typeof (metadata as { step: number }).step).toBe("number");

  expect(events.map(([name]) => name)).toEqual(["model", "answer", "tool", "result", "model", "answer"]);
  const [start, answer, call, result] = events.map(([, event]) => event as AgentEvent & Record<string, unknown>);
  expect(start).toMatchObject({ id: "agent-1", name: "ada", threadId: "t", iteration: 1, context: { user: "u1" } });
  expect((start as { messages?: object[] } | undefined)?.messages?.[0]).toEqual({
    type: "system",
    content: "Be brief.",
  });
  expect(answer).toMatchObject({ runId: start?.runId, message: { tool_calls: [{ name: "add" }] } });
  // tool_calls and tool_results.
  expect(call).toMatchObject({ toolCall: { name: "add", args: { a: 2, b: 2 } } });
  expect(result).toMatchObject({ result: expect.anything() as object });
  expect(result?.runId).not.toBe(start?.runId);
  expect(events.at(-1)?.[1]).toMatchObject({ finishReason: "stop", iteration: 1 });
});

test("a callback gets the failure, and the run fails", async () => {
  const heard: unknown[] = [];
  const agent = createAgent({
    model: () => Promise.reject(new Error("503")),
    onError: ({ error }) => void heard.push((error as Error).message),
  });
  await expect(agent.invoke({ messages: "Hi" })).rejects.toThrow("503");
  expect(heard).toEqual(["503"]);
});

test("maxIterations ends a run that never stops", async () => {
  let at = 0;
  const agent = createAgent({
    model: () => ({ content: "", tool_calls: [{ id: `c${at++}`, name: "again", args: {} }] }),
    tools: [tool({ name: "again", run: () => "Again." })],
    maxIterations: 3,
  });
  const { messages } = await agent.invoke({ messages: "Go" });
  expect(at).toBe(3);
  expect(textOf(messages.at(-1) as object)).toBe("Model call limits exceeded: run limit (3/3)");
});

/** An agent whose conversation is compressed: the model's messages, and the kept ones. */
function compressing(checkpointer = new MemorySaver()) {
  const sent: LangChainMessage[][] = [];
  const agent = createAgent({
    model: (messages) => {
      sent.push([...messages]);
      return `Answer ${messages.length}`;
    },
    middleware: [summarizationMiddleware({ model: () => "Summary.", trigger: { messages: 6 }, keep: { messages: 2 } })],
    checkpointer,
  });
  const say = async (from: number, to: number) => {
    for (let n = from; n < to; n++) await agent.invoke({ messages: `Question ${n}` }, thread);
  };
  const state = async () => (await agent.getState(thread)).values as { messages: LangChainMessage[] };
  return { agent, sent, say, state };
}

test("compression touches only what the model is sent", async () => {
  const { sent, say, state } = compressing();
  await say(0, 6);
  const all = (await state()).messages.map(textOf);
  expect(all.filter((text) => text.startsWith("Question"))).toEqual([0, 1, 2, 3, 4, 5].map((n) => `Question ${n}`));
  expect(Math.max(...sent.map(({ length }) => length))).toBeLessThan(7);
  expect(sent.flat().map(textOf).join()).toContain("Summary.");
  expect(all.join()).not.toContain("Summary.");
});

test("the complete history is never shortened", async () => {
  const { say, state } = compressing();
  let before: readonly object[] = [];
  for (let n = 0; n < 8; n++) {
    await say(n, n + 1);
    const { messages } = await state();
    expect(messages.slice(0, before.length)).toEqual(before);
    expect(messages).toHaveLength(2 * (n + 1));
    before = messages;
  }
});

test("nothing is in one of the two and not in the other", async () => {
  const { say, state, sent } = compressing();
  await say(0, 8);
  const values = await state();
  const full = new Set(fullMessages(values).map(textOf));
  const summaries = contextMessages(values).filter((message) => !full.has(textOf(message)));
  expect(summaries).toHaveLength(1);
  // The context consists of its summary and messages of the history, and its last messages are the history's.
  expect(contextMessages(values).slice(-2)).toEqual(fullMessages(values).slice(-2));
  expect(sent.length).toBe(8);
});

test("restoring starts from the complete history and reaches the same context", async () => {
  const checkpointer = new MemorySaver();
  const one = compressing(checkpointer);
  await one.say(0, 7);
  const expected = contextMessages(await one.state());
  const other = compressing(checkpointer);
  expect(contextMessages(await other.state())).toEqual(expected);
  await other.say(7, 8);
  expect(other.sent[0]?.map(textOf).at(-1)).toBe("Question 7");
  expect(other.sent[0]?.length).toBeLessThan(7);
  expect((await other.state()).messages).toHaveLength(16);
});
