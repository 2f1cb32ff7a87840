// The README's chat, and the LangGraph version that its diff makes of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../examples/blocks.js";

const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");

export const agUiChat = (): string => read("examples", "chat", "src", "chat.tsx");

export function langGraphChat(): string {
  const [diff = ""] = /(?<=```diff\n)[^]*?(?=```)/.exec(read("README.md")) ?? [];
  let code = agUiChat();
  for (const [removed, added] of changesOf(diff)) {
    if (!code.includes(removed)) throw new Error(`The README's diff removes what is not in the chat: ${removed}`);
    code = code.replace(removed, () => added);
  }
  return code;
}

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
