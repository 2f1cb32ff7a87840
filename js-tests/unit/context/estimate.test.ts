import { readFileSync } from "node:fs";
import { assert, property, string } from "fast-check";
import { estimateMessageTokens, estimateTokens, messageTokens, scanMessage, scanTokens } from "threadfold/context";
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { numbers } from "./corpus.mjs";
import { estimateErrors, summary, table } from "./estimate-table.mjs";

test("is near o200k on every kind of text", () => {
  const rows = estimateErrors(estimateTokens);
  console.log(table(rows));
  expect(rows.length).toBeGreaterThanOrEqual(12);
  const [ours, quarter, tokenx] = summary(rows);
  expect(ours?.mean).toBeLessThanOrEqual(0.06);
  expect(ours?.worst).toBeLessThanOrEqual(0.12);
  expect(quarter?.mean).toBeGreaterThan(0.12);
  expect(tokenx?.mean).toBeGreaterThan(0.06);
});

// tests/context_estimate.rs makes the same texts, and asserts the same digest.
const answers = JSON.parse(readFileSync(new URL("estimates.json", import.meta.url), "utf8")) as {
  texts: number;
  digest: string;
};

/** Characters next to each other's borders: of every class, and its first and last ones. */
const EDGES = [
  [0x61, 0x7a, 0x41, 0x5a, 0x30, 0x39, 0x20, 0x09, 0x0a, 0x0d],
  [0x60, 0x7b, 0x40, 0x5b, 0x2f, 0x3a, 0x00, 0x1f, 0x7f, 0x22],
  [0x80, 0xe9, 0x24f, 0x250, 0x3b1, 0x416, 0x52f, 0x530, 0x5d0, 0x627],
  [0x8ff, 0x900, 0x915, 0x2014, 0x2fff, 0x3000, 0x3002, 0x303f, 0x3040, 0x30a2],
  [0x30ff, 0x3100, 0x33ff, 0x3400, 0x4f60, 0x9fff, 0xa000, 0xabff, 0xac00, 0xd55c],
  [0xd7af, 0xd7b0, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfeff, 0xff00],
  [0xff01, 0xffef, 0xfff0, 0xffff, 0xd83d, 0xde00, 0x65, 0x74, 0x61, 0x31],
];

function* texts(count: number): Generator<{ units: number[]; cut: number }> {
  const next = numbers(8);
  for (let at = 0; at < count; at++) {
    const rows = next(3) === 0 ? EDGES.length : 1 + next(EDGES.length);
    const length = next(40);
    const units: number[] = [];
    for (let unit = 0; unit < length; unit++) {
      const row = EDGES[next(rows)] ?? [];
      // Some anywhere; some again and again, for the length of runs.
      const roll = next(8);
      if (roll === 0) units.push(next(0x10000));
      else if (roll < 4 && unit > 0) units.push(units[unit - 1] ?? 0);
      else units.push(row[next(row.length)] ?? 0);
    }
    yield { units, cut: next(length + 1) };
  }
}

test("gives Rust's numbers for random texts, in one piece and in two", () => {
  let digest = 0;
  const add = (number: number) => {
    digest = Math.imul(digest ^ number, 0x01000193);
  };
  let made = 0;
  for (const { units, cut } of texts(answers.texts)) {
    made++;
    const whole = scanTokens(String.fromCharCode(...units));
    const start = scanTokens(String.fromCharCode(...units.slice(0, cut)));
    const rest = scanTokens(String.fromCharCode(...units.slice(cut)), start.state);
    if (start.sum + rest.sum !== whole.sum || rest.state !== whole.state)
      expect.fail(`${JSON.stringify(units)} cut at ${cut}`);
    for (const number of [start.sum, start.state, whole.sum, whole.state]) add(number);
  }
  expect(made).toBe(100_000);
  expect((digest >>> 0).toString(16).padStart(8, "0")).toBe(answers.digest);
});

test("an appended text adds its own scan to a message's", () => {
  assert(
    property(string({ unit: "binary" }), string({ unit: "binary" }), (text, more) => {
      for (const content of [(whole: string) => whole, (whole: string) => [{ type: "text", text: whole }]]) {
        const start = scanMessage({ type: "ai", name: "bob", content: content(text) });
        const whole = scanMessage({ type: "ai", name: "bob", content: content(text + more) });
        const rest = scanTokens(more, start.state);
        expect(start.sum + rest.sum).toBe(whole.sum);
        expect(rest.state).toBe(whole.state);
      }
    }),
    seeded("an appended text", 400),
  );
});

test("a message costs its text, its calls, the call that it answers, its media and itself", () => {
  const args = { a: 6, b: "é" };
  const json = JSON.stringify(args);
  const call = { id: "c1", name: "multiply", args };
  const openAi = { id: "c1", type: "function", function: { name: "multiply", arguments: json } };
  const sum = (...texts: string[]) => texts.reduce((all, text) => all + scanTokens(text).sum, 0);
  expect(scanMessage("hello").sum).toBe(400 + sum("hello"));
  for (const message of [
    { type: "ai", content: "so", tool_calls: [call] },
    { id: "1", role: "assistant", content: "so", toolCalls: [openAi] },
    {
      type: "ai",
      content: [
        { type: "text", text: "so" },
        { type: "tool_use", ...call },
      ],
      tool_calls: [call],
    },
  ])
    expect(scanMessage(message).sum).toBe(800 + sum("so", "multiply", json));
  expect(scanMessage({ type: "tool", content: "42", tool_call_id: "call_1" }).sum).toBe(400 + sum("42", "call_1"));
  const image = [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }];
  expect(estimateMessageTokens({ type: "human", content: image })).toBe(4 + 85);
  expect(estimateMessageTokens({ type: "human", content: image }, { tokensPerImage: 1000 })).toBe(1004);
  const thinking = { type: "thinking", thinking: "hm" };
  expect(scanMessage({ type: "ai", content: [thinking] }).sum).toBe(400 + sum(JSON.stringify(thinking)));
  expect(estimateMessageTokens({ role: "activity", id: "1", content: {} })).toBe(0);
});

test("counts and estimates the messages of a file as Rust does", () => {
  const path = new URL("messages.json", import.meta.url);
  const cases = JSON.parse(readFileSync(path, "utf8")) as { message: never; tokens: number; hundredths: number }[];
  for (const { message, tokens, hundredths } of cases)
    expect({ message, tokens: messageTokens(message), hundredths: scanMessage(message).sum }).toEqual({
      message,
      tokens,
      hundredths,
    });
  expect(cases.length).toBeGreaterThan(50);
});
