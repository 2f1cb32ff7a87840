// Moves content that is too long for a context to files. src/context/offload.rs is the same in Rust.
import { answeredCall, callId, callName, toolCallsOf } from "./call-fields.js";
import { blockText, firstChars, freeField, idOf, withFields } from "./edited.js";
import { fieldsOf, kindOf } from "./message-parts.js";
import { checkOptions } from "../shared/options.js";
import { listed, numberOr, optionsOf, reading, wrong } from "./options.js";
import { preview } from "./preview.js";
import { codePoints, dictOr } from "./python-text.js";
import { sha256 } from "./sha256.js";

/** The options of {@link offload}. */
export interface OffloadOptions {
  /** Moves a tool's result of more than four times this many characters: 20,000; null moves none. */
  readonly toolTokens?: number | null | undefined;
  /** Moves the last message of the user so: 50,000. */
  readonly humanTokens?: number | null | undefined;
  /** The tools whose results stay: the file tools of deepagents. */
  readonly excludeTools?: readonly string[] | undefined;
  /** The folder in which the files go: `/`. */
  readonly root?: string | undefined;
}

/** The result of {@link offload}. */
export interface Offloaded<M> {
  /** The files to write, by their paths. */
  readonly files: Record<string, string>;
  /** The context: the messages with moved content replaced by its file's path and a preview. */
  readonly messages: M[];
  /**
   * The messages to update the state with: the user's with the path of its file in `additional_kwargs.lc_evicted_to`.
   * Their text stays in the state, and is replaced in each context.
   */
  readonly tagged: M[];
}

const EXCLUDED = ["ls", "glob", "grep", "read_file", "edit_file", "write_file", "delete"];
const CHARS_PER_TOKEN = 4;
const TAG = "lc_evicted_to";

/**
 * Moves long results of tools, and a long last message of the user, to files, by the rules and in the words of
 * deepagents. It writes nothing: give `files` to your file system or to `mergeFiles`.
 *
 * Returns `messages` itself in `messages` if there is nothing to move. Blocks other than text stay. The files are named
 * by the ids of calls and messages, where deepagents makes up a name for the user's.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, `INVALID_MESSAGE`, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { offload } from "threadfold/context/offload";
 *
 * const { files, messages } = offload([{ type: "tool", tool_call_id: "c1", content: "x\n".repeat(50_000) }]);
 * console.log(Object.keys(files)); // [ '/large_tool_results/c1' ]
 * console.log(messages[0]?.content.slice(0, 21)); // Tool result too large
 * ```
 */
export function offload<M extends object>(messages: readonly M[], options?: OffloadOptions): Offloaded<M> {
  return reading(() => moved(listed(messages), limitsOf("offload", options), false));
}

/**
 * Makes the `offload` of a `Context`: long old messages are moved to files, including user messages at any position.
 * `due.files` has the files to write.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, `UNREADABLE_VALUE`.
 *
 * @example
 * ```ts
 * import { Context } from "threadfold/context";
 * import { offloading } from "threadfold/context/offload";
 *
 * const context = new Context({ trigger: { tokens: 1000 }, offload: offloading({ toolTokens: 200 }) });
 * const messages = [
 *   { id: "m1", type: "ai", content: "", tool_calls: [{ id: "c1", name: "search", args: {} }] },
 *   { id: "m2", type: "tool", tool_call_id: "c1", content: "a result ".repeat(900) },
 * ];
 * const { due } = context.of(messages);
 * console.log(Object.keys(due!.files), due!.summarize); // [ '/large_tool_results/c1' ] false
 * const view = context.of(messages, context.compact(due!, null));
 * console.log(view.tokens < 1000, view.due); // true null
 * ```
 */
export function offloading(options?: OffloadOptions): <M extends object>(messages: readonly M[]) => Offloaded<M> {
  const limits = reading(() => limitsOf("offloading", options));
  return (messages) => reading(() => moved(listed(messages), limits, true));
}

interface Limits {
  readonly ofTools: number;
  readonly ofHumans: number;
  readonly excluded: readonly unknown[];
  readonly start: string;
}

function limitsOf(call: string, options: OffloadOptions | undefined): Limits {
  const { toolTokens, humanTokens, excludeTools, root } = optionsOf(options);
  checkOptions(call, optionsOf(options), ["toolTokens", "humanTokens", "excludeTools", "root"]);
  const excluded: unknown = excludeTools ?? EXCLUDED;
  if (!Array.isArray(excluded)) throw wrong("excludeTools", "a list of names");
  const folder: unknown = root ?? "/";
  if (typeof folder !== "string") throw wrong("root", "the path of a folder");
  return {
    ofTools: tokensOf(toolTokens, 20_000, "toolTokens"),
    ofHumans: tokensOf(humanTokens, 50_000, "humanTokens"),
    excluded,
    start: folder.replace(/\/+$/, ""),
  };
}

/** So many tokens; 0 moves nothing. */
function tokensOf(given: number | null | undefined, usual: number, what: string): number {
  const tokens = given === null ? 0 : numberOr(given, usual, what);
  if (tokens < 0) throw wrong(what, "a number from 0 on, or null");
  return tokens;
}

/**
 * Moves long content: tool results, and the user's last message. In a context that is moved again as it grows, it moves
 * all user messages. Content that was moved already stays.
 */
function moved<M extends object>(
  list: readonly M[],
  { ofTools, ofHumans, excluded, start }: Limits,
  again: boolean,
): Offloaded<M> {
  const names = new Map<unknown, unknown>();
  const files: [path: string, text: string][] = [];
  const tagged: M[] = [];
  let made: M[] | undefined;
  for (const [at, message] of list.entries()) {
    const kind = kindOf(message, at);
    for (const call of toolCallsOf(message, at)?.calls ?? []) names.set(callId(call), callName(call));
    const text = textOf(message);
    if (NOTES.some((note) => text.startsWith(note))) continue;
    // A position would be another one when the list is cut.
    const place = () => (again ? sha256(text).slice(0, 16) : at);
    let short: M | undefined;
    if (kind === "tool") {
      const id = answeredCall(fieldsOf(message)) ?? "";
      if (!isLong(text, ofTools) || excluded.includes(names.get(id) || fieldsOf(message)["name"])) continue;
      const path = `${start}/large_tool_results/${id ? safe(id) : unknownName(message, () => `unknown-${place()}`)}`;
      files.push([path, text]);
      short = replaced(message, toolNote(id, path, text));
    } else if (kind === "human" && ofHumans > 0) {
      const field = freeField(message, "additional_kwargs");
      const free = dictOr(fieldsOf(message)[field]);
      const moved = free[TAG];
      if (typeof moved === "string" && moved !== "") {
        short = replaced(message, humanNote(moved, text));
      } else if ((again || at === list.length - 1) && isLong(text, ofHumans)) {
        const path = `${start}/conversation_history/${unknownName(message, () => `message-${place()}`)}.md`;
        files.push([path, text]);
        const tag = withFields(message, { [field]: { ...free, [TAG]: path } });
        tagged.push(tag);
        short = replaced(tag, humanNote(path, text));
      }
    }
    if (short) (made ??= list.slice())[at] = short;
  }
  // Not by assignment: a path may be `__proto__`.
  return { files: Object.fromEntries(files), messages: made ?? (list as M[]), tagged };
}

function textOf(message: object): string {
  const { content } = fieldsOf(message);
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.flatMap((block) => blockText(block) ?? []).join("\n");
}

function isLong(text: string, tokens: number): boolean {
  const most = tokens * CHARS_PER_TOKEN;
  return tokens > 0 && text.length > most && codePoints(text) > most;
}

/** Returns the message with a note in place of its text; other content stays. */
function replaced<M extends object>(message: M, note: string): M {
  const { content } = fieldsOf(message);
  const others = Array.isArray(content) ? content.filter((block) => blockText(block) === undefined) : [];
  return withFields(message, { content: others.length > 0 ? [{ type: "text", text: note }, ...others] : note });
}

/** An id as the name of a file. */
const safe = (id: string) =>
  new TextEncoder().encode(id).length > 128 ? `call-${sha256(id)}` : id.replace(/[./\\]/g, "_");

/** The name of the file of a message that answers no call: deepagents makes one up. */
function unknownName(message: object, name: () => string): string {
  const id = idOf(message);
  return typeof id === "string" && id !== "" ? safe(id) : name();
}

/** How the notes begin. */
const NOTES = [
  "Tool result too large, the result of this tool call ",
  "Message content too large and was saved ",
] as const;

const toolNote = (id: string, path: string, text: string) => {
  const short = firstChars(id, 32);
  return `${NOTES[0]}${short === id ? id : `${short}...`} was saved in the filesystem at this path: ${path}

You can read the result from the filesystem by using the read_file tool, but make sure to only read part of the result at a time.

You can do this by specifying an offset and limit in the read_file tool call. For example, to read the first 100 lines, you can use the read_file tool with offset=0 and limit=100.

${preview(text, "result")}
`;
};

const humanNote = (path: string, text: string) =>
  `${NOTES[1]}to the filesystem at: ${path}

You can read the full content using the read_file tool with pagination (offset and limit parameters).

${preview(text, "content")}
`;
