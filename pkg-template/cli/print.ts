// States and messages, readable on a terminal.
import { textOf } from "threadfold";
import { isDict, type Dict } from "./read.js";

/** About how wide a line gets before a value in it is cut. */
const WIDTH = 100;

/** A value in one line, cut where it gets long. */
export function brief(value: unknown, width = WIDTH): string {
  const json = (typeof value === "string" ? value : JSON.stringify(value)) ?? String(value);
  const line = json.replace(/\s+/g, " ");
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

/**
 * Escapes control characters, and those that change the writing direction, as JSON does. The printed text is foreign, and
 * must not control the terminal.
 */
export const printable = (text: string): string =>
  text.replace(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

export const plural = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;

/** The author of a message, as its own form names it. */
export const speaker = (message: Dict): string => String(message["role"] ?? message["type"] ?? "message");

/** The tool calls of a message, in either form. */
export function callsOf(message: Dict): { id: string; name: string; args: unknown }[] {
  const calls = [message["toolCalls"], message["tool_calls"]].find(Array.isArray) ?? [];
  return (calls as Dict[]).map((call) => {
    const made = isDict(call["function"]) ? call["function"] : call;
    return { id: String(call["id"]), name: String(made["name"]), args: made["args"] ?? made["arguments"] };
  });
}

/** The lines of a conversation: its messages with their authors, and its calls with their results. */
export function conversation(messages: readonly Dict[]): string[] {
  const width = Math.max(0, ...messages.map((message) => speaker(message).length));
  const pad = " ".repeat(width + 2);
  return messages.flatMap((message) => {
    const answers = message["toolCallId"] ?? message["tool_call_id"];
    const text = textOf(message as never).trimEnd();
    const lines = [...(text === "" ? [] : text.split("\n")), ...callsOf(message).map(shownCall)];
    if (answers !== undefined) lines[0] = `← ${lines[0] ?? ""}`;
    return (lines.length > 0 ? lines : ["(empty)"]).map((line, at) =>
      at === 0 ? `${speaker(message).padEnd(width)}  ${line}` : pad + line,
    );
  });
}

const shownCall = ({ name, args }: { name: string; args: unknown }) => `→ ${name}(${brief(args, WIDTH - 20)})`;

const MARKS: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[~]", pending: "[ ]" };

/** The lines of a whole state: the conversation, the todos, and the other fields in brief. */
export function stateLines(state: Dict): string[] {
  const { messages, todos, ...rest } = state;
  const said = Array.isArray(messages) ? conversation(messages.filter(isDict)) : [];
  const planned = (Array.isArray(todos) ? todos.filter(isDict) : []).map(
    ({ status, content }) => `${MARKS[String(status)] ?? `[${brief(status)}]`} ${brief(content)}`,
  );
  const fields = Object.entries(rest)
    .filter(([, value]) => !isEmpty(value))
    .map(([name, value]) => `${name}: ${brief(value)}`);
  return blocks(said, planned.length > 0 ? ["todos", ...indented(planned)] : [], fields);
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Blocks of lines with an empty line between them. */
export const blocks = (...parts: readonly (readonly string[])[]): string[] =>
  parts.filter((lines) => lines.length > 0).flatMap((lines, at) => (at === 0 ? [...lines] : ["", ...lines]));

export const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

/** Counts by name, the most frequent first. */
export const tally = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
