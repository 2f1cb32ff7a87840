// The presets' default thresholds, each from both sides: CONTEXT's are LangChain's and deepagents'.
import { countTokens, deepAgentsSummarization, langChainSummarization, truncateToolArgs } from "threadfold/context";
import { offload } from "threadfold/context/offload";
import { expect, test } from "vitest";
import { present } from "../../support/present.js";

/** A message of so many tokens by Python's count. */
const said = (tokens: number, at = 0) => ({ type: "human", id: `m${at}`, content: "x".repeat(4 * (tokens - 4)) });
const some = (count: number, tokens: number) => Array.from({ length: count }, (_, at) => said(tokens, at));

test("deepagents compacts above 95 % of the input less what the model writes", () => {
  for (const [written, most] of [
    [0, 950],
    [50, 900],
  ] as const) {
    const context = deepAgentsSummarization({
      maxInputTokens: 1000,
      maxOutputTokens: written,
      trigger: { messages: 99 },
      keep: { messages: 1 },
      truncateArgs: null,
    });
    const dueAt = (tokens: number) => context.of([said(tokens - 100, tokens), said(100, 1)]).due !== null;
    expect([dueAt(most), dueAt(most + 1)]).toEqual([false, true]);
  }
});

test("LangChain summarizes no more than the last 4,000 tokens", () => {
  const context = langChainSummarization({ trigger: { messages: 2 }, keep: { messages: 1 } });
  const summarized = (count: number) => present(context.of(some(count, 500)).due).messages;
  expect(summarized(9).map(({ id }) => id)).toEqual(some(8, 500).map(({ id }) => id));
  expect(countTokens(summarized(10) as never)).toBeLessThanOrEqual(4000);
});

test("a fraction is rounded down", () => {
  const context = (maxInputTokens: number) =>
    langChainSummarization({ maxInputTokens, trigger: { fraction: 0.5 }, keep: { messages: 1 } });
  expect([16, 17, 18].map((most) => context(most).of(some(2, 4)).due !== null)).toEqual([true, true, false]);
});

test("arguments of more than 2,000 characters are truncated", () => {
  const call = (length: number) => ({
    type: "ai",
    content: "",
    tool_calls: [{ id: "c", name: "write_file", args: { content: "x".repeat(length) } }],
  });
  const isCut = (length: number) => {
    const list = [call(length), said(5)];
    return truncateToolArgs(list, { trigger: { messages: 1 }, keep: { messages: 1 } }) !== list;
  };
  expect([isCut(2000), isCut(2001)]).toEqual([false, true]);
});

test("results of more than 80,000 characters are moved to files", () => {
  const isMoved = (length: number) => {
    const calls = { type: "ai", content: "", tool_calls: [{ id: "c", name: "f", args: {} }] };
    const list = [calls, { type: "tool", content: "x".repeat(length), tool_call_id: "c", name: "f" }];
    return Object.keys(offload(list).files).length > 0;
  };
  expect([isMoved(80_000), isMoved(80_001)]).toEqual([false, true]);
});

test("a small number is written as Python writes it", () => {
  const tokens = (x: number) =>
    countTokens([{ type: "human", content: [{ type: "custom", x }] }] as never, { charsPerToken: 1 });
  expect([0.0001, 0.00001, 1.5e-6].map(tokens)).toEqual([38, 37, 39]);
});
