// The README's programs match the real ones.
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksOf, root } from "../examples/blocks.js";
import { cleanUp, complaints, prepare } from "../examples/run.js";
import { agUiChat, langGraphChat } from "./readme-chat.js";

beforeAll(prepare);
afterAll(cleanUp);

test("the README's chat is examples/chat, which runs in Chromium", () => {
  const chat = agUiChat();
  const blocks = blocksOf(join(root, "README.md")).filter(({ language }) => language === "tsx");
  expect(blocks.map(({ code }) => `${code}\n`)).toEqual([chat]);
  expect(chat.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(40);
});

test("the README's diff makes the chat one of LangGraph's", async () => {
  const code = langGraphChat();
  expect(code).not.toMatch(/AgUiRunner|toolCalls|\.role/);
  const block = { name: "chat", language: "tsx" as const, code: code.replace(", type AgUiState", "") };
  expect(await complaints([block])).toEqual(new Map());
  expect(await complaints([{ ...block, code: code.replace("message.type ===", "message.role ===") }])).not.toEqual(
    new Map(),
  );
}, 120_000);
