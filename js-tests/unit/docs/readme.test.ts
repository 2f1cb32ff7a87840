// The programs of the README and of docs/start.md match the real ones.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksOf, root } from "../examples/blocks.js";
import { cleanUp, complaints, prepare } from "../examples/run.js";
import { agUiChat, langGraphChat, shortestChat } from "./chats.js";

beforeAll(prepare);
afterAll(cleanUp);

const chatsOf = (...path: string[]) =>
  blocksOf(join(root, ...path))
    .filter(({ language }) => language === "tsx")
    .map(({ code }) => `${code}\n`);

test("the README's chat is the demo page's, which runs in Chromium", () => {
  expect(chatsOf("README.md")).toEqual([shortestChat()]);
});

test("the README can be read in a minute", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  expect(text.split("\n").length).toBeLessThanOrEqual(120);
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(700);
});

test("the chat of docs/start.md is examples/chat, which runs in Chromium", () => {
  const chat = agUiChat();
  expect(chatsOf("docs", "start.md")).toEqual([chat]);
  expect(chat.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(40);
});

test("its diff makes the chat one of LangGraph's", async () => {
  const code = langGraphChat();
  expect(code).not.toMatch(/AgUiRunner|toolCalls|\.role/);
  const block = { name: "chat", language: "tsx" as const, code: code.replace(", type AgUiState", "") };
  expect(await complaints([block])).toEqual(new Map());
  expect(await complaints([{ ...block, code: code.replace("message.type ===", "message.role ===") }])).not.toEqual(
    new Map(),
  );
}, 120_000);
