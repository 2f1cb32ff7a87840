// The four principles of an agent's record, by their own names.
import { Context, contextMessages, fullMessages, slidingWindow } from "threadfold/context";
import { expect, test } from "vitest";
import { frozen } from "../../support/frozen.js";
import { present } from "../../support/present.js";
import { Dice, KINDS, type Message } from "./conversations.js";

const context = new Context<Message>({ trigger: { messages: 12 }, keep: { messages: 4 } });

interface State {
  messages: readonly Message[];
  _summarization_event?: unknown;
}

/** An agent's turns: its request and its state, at each model call. */
function run(seed: number): { state: State; sent: readonly Message[] }[] {
  const dice = new Dice(seed);
  const said = Array.from({ length: 12 }, (_, part) => {
    const text = JSON.stringify(KINDS.plain(dice)).replaceAll(/"c(\d+)"/g, `"c${part}-$1"`);
    return JSON.parse(text) as Message[];
  })
    .flat()
    .map((message, at) => ({ ...message, id: `m${at}` }));
  let state: State = { messages: [] };
  return said.map((message) => {
    state = frozen({ ...state, messages: [...state.messages, message] });
    const { due } = context.of(state as never);
    if (due) state = { ...state, _summarization_event: due.toRecord(`Summary of ${due.cutoff}.`) };
    return { state, sent: context.of(state as never).messages };
  });
}

const runs = Array.from({ length: 10 }, (_, seed) => run(seed));
const steps = runs.flat();

test("compression touches only what the model is sent", () => {
  expect(steps.some(({ sent, state }) => sent.length < state.messages.length)).toBe(true);
  for (const { state } of steps)
    expect(Object.keys(state).sort()).toEqual(
      state._summarization_event ? ["_summarization_event", "messages"] : ["messages"],
    );
  for (const one of runs) for (const [at, { state }] of one.entries()) expect(state.messages.length).toBe(at + 1);
});

test("the complete history is never shortened", () => {
  for (const one of runs) {
    for (const [at, { state }] of one.entries()) {
      const next = one[at + 1]?.state ?? state;
      expect(fullMessages<Message>(next as never).slice(0, at + 1)).toEqual(fullMessages(state as never));
      expect(fullMessages(state as never)).toBe(state.messages);
    }
  }
});

test("nothing is ever in one of the two and not in the other", () => {
  for (const { state, sent } of steps) {
    // Every message sent is from the history, but for the one summary, and the summary stands for the rest of the
    // history.
    const own = sent.filter((message) => state.messages.includes(message));
    expect(sent.length - own.length).toBe(state._summarization_event ? 1 : 0);
    expect(own).toEqual(state.messages.slice(state.messages.length - own.length));
  }
});

test("restoring starts from the complete history and reaches the same context", () => {
  for (const { state, sent } of steps) {
    const restored = JSON.parse(JSON.stringify(state)) as State;
    expect(contextMessages(restored as never)).toEqual(sent);
    expect(
      new Context<Message>({ trigger: { messages: 12 }, keep: { messages: 4 } }).of(restored as never).due,
    ).toBeNull();
  }
});

test("a state and a view use the names that others know", () => {
  const { state, sent } = present(steps.findLast(({ state }) => state._summarization_event));
  const view = context.of(state as never);
  expect(view.compression_applied).toBe(true);
  expect(view.conversation_summary).toMatch(/^Summary of \d+\.$/);
  expect(contextMessages(state as never)).toEqual(sent);
  // A framework that keeps both lists: the full one counts.
  const both = { messages: sent, full_messages: state.messages };
  expect(fullMessages(both as never)).toBe(state.messages);
  expect(context.of([]).compression_applied).toBe(false);
  expect(context.of([]).conversation_summary).toBeNull();
});

test("a sliding window keeps system messages and one summary, and fits its tokens", () => {
  const window = slidingWindow({
    windowSize: 4,
    compressThreshold: 8,
    maxTokens: 60,
    tokenThreshold: 100,
    summarize: true,
  });
  expect(window.warning).toBeUndefined();
  expect(slidingWindow().warning).toMatch(/^keep\.tokens is 4000, which is due at 3001/);
  let record = null;
  const messages: object[] = [{ type: "system", content: "Be brief." }];
  for (let at = 0; at < 40; at++) {
    messages.push({ type: at % 2 ? "ai" : "human", content: `message ${at}`, id: `m${at}` });
    const { due } = window.of(messages, record);
    if (due) record = window.compact(due, `until ${due.cutoff}`);
    const { messages: sent, usage, conversation_summary } = window.of(messages, record);
    expect(sent.filter((message) => (message as Message).type === ("system" as never)).length).toBe(record ? 2 : 1);
    expect(sent.length).toBeLessThanOrEqual(record ? 9 : 8);
    if (due) {
      expect(usage.tokens).toBeLessThanOrEqual(60 + usage.summary);
      expect(conversation_summary).toBe(`until ${due.cutoff}`);
      expect((sent[1] as Message).content).toBe(`[对话历史摘要]\nuntil ${due.cutoff}`);
    }
  }
  expect(record).not.toBeNull();
});

test("a sliding window compresses strictly above its thresholds", () => {
  const of = (bytes: number) => slidingWindow().of([{ type: "human", content: "x".repeat(bytes) }]);
  expect([of(11_987).tokens, of(11_988).tokens]).toEqual([3000, 3001]);
  const many = (count: number) =>
    slidingWindow().of(Array.from({ length: count }, () => ({ type: "human", content: "" })));
  expect([many(30).due, many(31).due?.messages.length]).toEqual([null, 11]);
  expect(many(31).due?.toRecord("It has no summary.").summary_message).toBeNull();
  expect(
    slidingWindow().of([
      { type: "human", content: "é你😀" },
      { type: "ai", content: null },
    ]).tokens,
  ).toBe(2 + 4 + 4);
});
