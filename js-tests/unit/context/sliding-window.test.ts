// A sliding window, over a graph that keeps no record: the next compaction starts from the list itself.
import { addMessages, type LangChainMessage, Thread } from "threadfold";
import { langChainSummarization, slidingWindow } from "threadfold/context";
import { describe, expect, test } from "vitest";
import { present } from "../../support/present.js";

type Message = LangChainMessage & { id: string };

const system: Message = { type: "system", id: "sys", content: "Be brief." };
const said = (at: number): Message => ({ type: at % 2 ? "ai" : "human", id: `m${at}`, content: `${at}` });
const context = slidingWindow({
  windowSize: 4,
  compressThreshold: 8,
  maxTokens: 1000,
  tokenThreshold: 2000,
  summarize: true,
});

/** The list of a graph that has summarized so many times, and the history of a thread that follows its server. */
function compressed(times: number) {
  const thread = new Thread({ history: "full" });
  let messages: Message[] = [system];
  const lists: Message[][] = [];
  for (let at = 0; lists.length < times; at++) {
    messages = addMessages(messages, [said(at)]);
    const { due } = context.of(messages);
    if (due) {
      messages = addMessages(messages, due.toUpdate(`Summary ${lists.length + 1}.`) as Message[]);
      lists.push(messages);
    }
    thread.receive({ type: "values", values: { messages } });
  }
  return { lists, thread };
}

const texts = (messages: readonly { content?: unknown }[]) => messages.map(({ content }) => content);

describe("a window whose summaries are in the list", () => {
  test("has one summary, which the next one replaces", () => {
    const { lists } = compressed(3);
    expect(lists.map(texts)).toEqual([
      ["Be brief.", "[对话历史摘要]\nSummary 1.", "4", "5", "6", "7"],
      ["Be brief.", "[对话历史摘要]\nSummary 2.", "7", "8", "9", "10"],
      ["Be brief.", "[对话历史摘要]\nSummary 3.", "10", "11", "12", "13"],
    ]);
  });

  test("passes the earlier summary, which the next one replaces, to the summarizer", () => {
    const { lists } = compressed(1);
    let messages = present(lists[0]);
    for (let at = 8; at < 11; at++) messages = addMessages(messages, [said(at)]);
    expect(present(context.of(messages).due).messages[0]).toBe(messages[1]);
  });

  test("is known by a thread that keeps the full history, after a system prompt", () => {
    const { thread } = compressed(3);
    const all = Array.from({ length: 14 }, (_, at) => `${at}`);
    expect(texts(thread.history)).toEqual(["Be brief.", ...all]);
    expect(thread.getState().messages.length).toBe(6);
    expect(context.of(thread).conversation_summary).toBe("Summary 3.");
  });

  test("leaves a summary of your own as it is", () => {
    const messages = Array.from({ length: 9 }, (_, at) => said(at));
    const own = { type: "human", content: "So far." };
    expect(present(context.of(messages).due).toUpdate(own)[1]).toBe(own);
  });

  test("says if a summary is due at once", () => {
    const windowOf = (windowSize: number) =>
      slidingWindow({ windowSize, compressThreshold: 4, maxTokens: 1000, tokenThreshold: 2000 }).warning;
    expect([windowOf(4), windowOf(3)]).toEqual([expect.stringMatching(/^keep\.messages is 4, .* at 5/), undefined]);
    const keeping = (messages: number) =>
      langChainSummarization({ trigger: { messages: 4 }, keep: { messages } }).warning;
    expect([keeping(3), keeping(2)]).toEqual([expect.stringMatching(/^keep\.messages is 3/), undefined]);
  });
});
