// What the README shows of programs is what they are.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksOf, root } from "../examples/blocks.js";
import { cleanUp, complaints, prepare } from "../examples/run.js";

const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");

beforeAll(prepare);
afterAll(cleanUp);

test("the README's chat is examples/chat, which runs in Chromium", () => {
  const chat = read("examples", "chat", "src", "chat.tsx");
  const blocks = blocksOf(join(root, "README.md")).filter(({ language }) => language === "tsx");
  expect(blocks.map(({ code }) => `${code}\n`)).toEqual([chat]);
  expect(chat.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(40);
});

/** The removed and the added lines of each change of a diff. */
function changesOf(diff: string): [removed: string, added: string][] {
  const lines = (change: string, sign: string) =>
    change
      .split("\n")
      .filter((line) => line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  return (diff.match(/(^-.*\n)+(^\+.*\n)+/gm) ?? []).map((change) => [lines(change, "-"), lines(change, "+")]);
}

test("the README's diff makes the chat one of LangGraph's", async () => {
  const [diff = ""] = /(?<=```diff\n)[^]*?(?=```)/.exec(read("README.md")) ?? [];
  let code = read("examples", "chat", "src", "chat.tsx");
  for (const [removed, added] of changesOf(diff)) {
    expect(code).toContain(removed);
    code = code.replace(removed, () => added);
  }
  expect(code).not.toMatch(/AgUiRunner|toolCalls|\.role/);
  const block = { name: "chat", language: "tsx" as const, code: code.replace(", type AgUiState", "") };
  expect(await complaints([block])).toEqual(new Map());
  expect(await complaints([{ ...block, code: code.replace("message.type ===", "message.role ===") }])).not.toEqual(
    new Map(),
  );
}, 120_000);
