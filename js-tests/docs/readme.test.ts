// What the README shows of programs is what they are.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocksOf, root } from "../examples/blocks.js";

test("the README's chat is examples/chat, which runs in Chromium", () => {
  const chat = readFileSync(join(root, "examples", "chat", "src", "chat.tsx"), "utf8");
  const blocks = blocksOf(join(root, "README.md")).filter(({ language }) => language === "tsx");
  expect(blocks.map(({ code }) => `${code}\n`)).toEqual([chat]);
  expect(chat.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(40);
});
