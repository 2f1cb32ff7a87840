// Long results of tools go to files, by the rules of deepagents' filesystem middleware.
import { textOf } from "../../state/message-content.js";
import { type Files, writeFile } from "./files.js";
import { type Fields, typeOf } from "../message.js";
import { isCommand, withUpdate } from "./tools.js";
import type { ToolOutcome } from "../types.js";

/** deepagents' estimate. */
export const CHARS_PER_TOKEN = 4;

/** Moves the results in what a tool returned that are longer than `tokens` to files; a note and a preview stay. */
export async function withoutLargeResults(outcome: ToolOutcome, files: Files, tokens: number): Promise<ToolOutcome> {
  const messages = isCommand(outcome) ? (outcome.update as Fields | undefined)?.["messages"] : [outcome];
  if (!Array.isArray(messages) || !(messages as unknown[]).some((message) => isLong(message, tokens))) return outcome;
  // Most agents never need it. A result that cannot be moved stays in place, as in deepagents: the tool has run.
  const module = await import("../../context/offload.js").catch(() => undefined);
  if (!module) return outcome;
  const written = {};
  const shown = (messages as object[]).map((message) => {
    if (!isLong(message, tokens)) return message;
    const moved = module.offload([message], { toolTokens: tokens, humanTokens: null, excludeTools: [] });
    for (const [path, text] of Object.entries(moved.files)) Object.assign(written, writeFile(files, path, text).files);
    return moved.messages[0] === message ? message : serialisedAs(moved.messages[0] as object);
  });
  return withUpdate(outcome, (update) => ({
    ...update,
    messages: shown,
    files: { ...(update["files"] as object | undefined), ...written },
  }));
}

/** Whether a message is a result that may be too long: blocks are joined by newlines, and a pair counts as one. */
function isLong(message: unknown, tokens: number): boolean {
  if (typeOf(message) !== "tool") return false;
  const { content } = message as Fields;
  const joints = Array.isArray(content) ? content.length : 0;
  return textOf(message as object).length + joints > CHARS_PER_TOKEN * tokens;
}

/** An instance of `@langchain/core`'s is saved by its constructor arguments. */
function serialisedAs(message: object): object {
  const { lc_kwargs, content } = message as { lc_kwargs?: object; content?: unknown };
  return lc_kwargs ? Object.assign(message, { lc_kwargs: { ...lc_kwargs, content } }) : message;
}
