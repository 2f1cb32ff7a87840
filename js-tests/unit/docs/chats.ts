// The chats of the README and of docs/start.md, and the LangGraph version that the page's diff makes of its chat.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../examples/blocks.js";

const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");

/** The chat of the demo page, as the README has it: with the address of `npx threadfold agent`. */
export const shortestChat = (): string =>
  read("www", "src", "shortest", "ag-ui.tsx").replace('"/agent"', '"http://localhost:8000/agent"');

/** The chat of the example, which has a proxy, as docs/start.md has it. */
export const agUiChat = (): string =>
  read("examples", "chat", "src", "chat.tsx").replace('"/agent"', '"http://localhost:8000/agent"');

export function langGraphChat(): string {
  const [diff = ""] = /(?<=```diff\n)[^]*?(?=```)/.exec(read("docs", "start.md")) ?? [];
  let code = agUiChat();
  for (const [removed, added] of changesOf(diff)) {
    if (!code.includes(removed)) throw new Error(`The page's diff removes what is not in the chat: ${removed}`);
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
