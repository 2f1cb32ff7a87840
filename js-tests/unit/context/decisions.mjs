// `node js-tests/unit/context/decisions.mjs` records the compactions due in conversations that grow message by message,
// in decisions.json. TypeScript's plan (decisions.test.ts) and Rust's (tests/context_decisions.rs) must both give
// these.
import { writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Context, slidingWindow } from "threadfold/context";
import { numbers } from "./corpus.mjs";

/** The policies; tests/context_decisions.rs has the same. */
export const POLICIES = {
  messages: () => new Context({ trigger: { messages: 6 } }),
  tokens: () => new Context({ trigger: { tokens: 60 }, keep: { tokens: 25 }, tokenCounter: "approximate" }),
  "either, and a system prompt": () =>
    new Context({
      trigger: [{ tokens: 80, messages: 4 }, { fraction: 0.5 }],
      maxInputTokens: 200,
      system: "Be brief.",
    }),
  "results cleared first": () =>
    new Context({ trigger: { tokens: 70 }, keep: { messages: 4, tokens: 40 }, clearToolUses: { keep: 1 } }),
  "results and arguments first": () =>
    new Context({
      trigger: { tokens: 90 },
      clearToolUses: { keep: 0, clearToolInputs: true },
      truncateArgs: { tools: ["f"], maxLength: 4, keep: { messages: 2 } },
    }),
  scaled: () => new Context({ trigger: { tokens: 90 }, keep: { tokens: 50 }, useUsageMetadataScaling: true }),
  window: () =>
    slidingWindow({
      windowSize: 3,
      maxTokens: 60,
      compressThreshold: 6,
      tokenThreshold: 80,
      tokenCounter: "estimate",
    }),
};

/**
 * Anything: repeated ids; results that are late, doubled, without a call, or before their call; arguments with invalid
 * JSON.
 */
function conversation(next) {
  const ids = next(3) === 0 ? ["", "a", "b"] : ["a", "b", "c", "d", "e", "f", "g"];
  const id = () => ids[next(ids.length)];
  const words = () => "no ".repeat(next(12));
  const some = (most, make) => Array.from({ length: next(most) }, make);
  const open = [];
  return Array.from({ length: 4 + next(22) }, (_, at) => {
    const named = next(10) > 0 ? { id: `m${at}` } : {};
    if (at === 0 && next(3) === 0) return { ...named, type: "system", content: "Be kind." };
    const roll = next(10);
    if (roll < 3) return { ...named, type: "human", content: words() };
    if (roll < 7 && (open.length > 0 || next(3) === 0)) {
      const tool_call_id = next(8) === 0 ? id() : (open.shift() ?? id());
      return { ...named, type: "tool", content: words(), tool_call_id };
    }
    const tool_calls = some(4, () => ({ id: id(), name: "f", args: { path: "a", text: words() } }));
    for (const call of tool_calls) open.push(call.id);
    const invalid = next(6) === 0 ? { invalid_tool_calls: [{ id: id(), name: "f", args: "{" }] } : {};
    const made = next(2) === 0 ? { response_metadata: { model_provider: next(9) === 0 ? "b" : "a" } } : {};
    const took = next(2) === 0 ? { usage_metadata: { total_tokens: 20 + 9 * at } } : {};
    return { ...named, type: "ai", content: words(), tool_calls, ...invalid, ...made, ...took };
  });
}

/** Views a conversation after each message. A due compaction is carried out at once, except every third time. */
export function looksAt(policy, messages) {
  const context = POLICIES[policy]();
  let record = null;
  let dues = 0;
  return messages.map((_, last) => {
    const view = context.of(messages.slice(0, last + 1), record);
    const said = { sent: view.messages.length, tokens: view.tokens };
    if (!view.due) return said;
    const next = view.due.toRecord("They talked.");
    if (dues++ % 3 < 2) record = next;
    const { cutoff_index, cutoff_id, summarized_id, edited_before, edited_id } = next;
    const due = { cutoff_index, cutoff_id, summarized_id, edited_before, edited_id };
    return { ...said, due: JSON.parse(JSON.stringify({ ...due, summarize: view.due.messages.length })) };
  });
}

const EACH = 12;

if (argv[1] && import.meta.url === pathToFileURL(argv[1]).href) {
  const next = numbers(8);
  const cases = Object.keys(POLICIES).flatMap((policy) =>
    Array.from({ length: EACH }, () => {
      const messages = conversation(next);
      return { policy, messages, looks: looksAt(policy, messages) };
    }),
  );
  const lines = cases.map((one) => JSON.stringify(one)).join(",\n");
  writeFileSync(fileURLToPath(new URL("decisions.json", import.meta.url)), `[\n${lines}\n]\n`);
}
