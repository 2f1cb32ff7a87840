import { field } from "../../state/fields.js";
import type { FileData } from "../../state/files.js";
import { Command } from "../../graph/build/command.js";
import { numberOr, wrong } from "../../context/options.js";
import { checkOptions } from "../../shared/options.js";
import { ThreadfoldError } from "../../shared/errors.js";
import {
  deleteFile,
  editFile,
  type FileAnswer,
  type Files,
  globFiles,
  grepFiles,
  listFiles,
  pathOf,
  readFile,
  writeFile,
} from "../tools/files.js";
import { CHARS_PER_TOKEN, withoutLargeResults } from "../tools/large-results.js";
import { callsOf, type Fields, lastTurn, toolMessage } from "../message.js";
import { createMiddleware } from "./middleware.js";
import { keepsFiles } from "../stack-files.js";
import { withPrompt } from "./request-changes.js";
import { objectSchema } from "../tools/schema-checks.js";
import { isCommand, tool, withUpdate } from "../tools/tools.js";
import type { CompositeBackend, FilesNeeded } from "../backends/types.js";
import type { PlainTool, ToolOutcome } from "../types.js";

/** Options of {@link createFilesystemMiddleware}. */
export interface FilesystemOptions {
  /** The instructions to the model about its files. */
  readonly systemPrompt?: string | undefined;
  /** Files that are elsewhere than in the state: see `compositeBackend` of `threadfold/agent/backends`. */
  readonly backend?: CompositeBackend | undefined;
  /** The model's descriptions of the tools, by the tool's name. */
  readonly customToolDescriptions?: Readonly<Record<string, string>> | undefined;
  /**
   * A tool result longer than four times this many characters goes to the file `/large_tool_results/ID`. The model gets
   * its path, and its first and last lines. `read_file` shows no more at once. 20,000; null moves none.
   */
  readonly toolTokenLimitBeforeEvict?: number | null | undefined;
}

const PROMPT = `## Files
You have files of your own: \`ls\`, \`read_file\`, \`write_file\`, \`edit_file\`, \`delete\`, \`glob\`, \`grep\`. All paths are absolute and begin with \`/\`. Read a file before you edit it.`;

// oxlint-disable-next-line typescript/no-explicit-any -- the schema has checked them
type Work = (files: Files, args: Record<string, any>, most: number) => FileAnswer;

type FileTool = readonly [name: string, description: string, schema: object, work: Work];

/** The files that a tool has to know, if they are not in the state. The others need one. */
const NEEDED: Readonly<Record<string, FilesNeeded>> = {
  ls: "names",
  delete: "folder",
  glob: "names",
  grep: "contents",
};

/** Makes a tool over `files`, which shows so many characters at most. A path is brought into one form first. */
function fileTool(
  [name, description, schema, work]: FileTool,
  own: string | undefined,
  most: number,
  backend: CompositeBackend | undefined,
): PlainTool<Fields> {
  return tool<Fields>({
    name,
    description: own ?? description,
    schema,
    run: async (given, { state, toolCall }) => {
      const args = { ...given };
      for (const key of ["path", "file_path"]) {
        const value = args[key];
        if (typeof value !== "string") continue;
        const came = pathOf(value);
        if (!("path" in came)) return toolMessage(toolCall, came.said, "error");
        args[key] = came.path;
      }
      const path = (args["file_path"] ?? args["path"] ?? "/") as string;
      const known = await backend?.files(NEEDED[name] ?? "file", path, filesOf(state)).catch(refusalOf);
      if (typeof known === "string") return toolMessage(toolCall, known, "error");
      const { said, failed, files } = work(known ?? filesOf(state), args as never, most);
      const message = toolMessage(toolCall, said, failed ? "error" : "success");
      return files ? new Command({ update: { files, messages: [message] } }) : message;
    },
  });
}

/** The answer to the model for a path that its backend does not take. Any other error fails the run. */
function refusalOf(error: unknown): string {
  if (error instanceof ThreadfoldError && error.code === "INVALID_ARGUMENT") return `Error: ${error.message}`;
  throw error;
}

const filesOf = (state: Fields) => (state["files"] ?? {}) as Files;

const string = { type: "string" };
const integer = { type: "integer" };
/** An argument that a model may also leave out with a null. */
const optional = { type: ["string", "null"] };
const MODES = { ...string, enum: ["files_with_matches", "content", "count"] };

const TOOLS: readonly FileTool[] = [
  [
    "ls",
    "Lists the files and folders in a folder.",
    objectSchema({ path: string }),
    (files, { path }) => listFiles(files, path),
  ],
  [
    "read_file",
    "Reads a file: up to 100 lines, from line `offset` on, unless `limit` says otherwise.",
    objectSchema({ file_path: string }, { offset: integer, limit: integer }),
    (files, { file_path, offset = 0, limit = 100 }, most) => readFile(files, file_path, { offset, limit, most }),
  ],
  [
    "write_file",
    "Writes a file: a new one, or in the place of the one that is there.",
    objectSchema({ file_path: string, content: string }),
    (files, { file_path, content }) => writeFile(files, file_path, content),
  ],
  [
    "edit_file",
    "Replaces a text in a file. `old_string` has to be exact, and in the file once, unless `replace_all` is true.",
    objectSchema({ file_path: string, old_string: string, new_string: string }, { replace_all: { type: "boolean" } }),
    (files, { file_path, old_string, new_string, replace_all = false }) =>
      editFile(files, file_path, old_string, new_string, replace_all),
  ],
  [
    "delete",
    "Deletes a file, or a folder with all that is in it.",
    objectSchema({ file_path: string }),
    (files, { file_path }) => deleteFile(files, file_path),
  ],
  [
    "glob",
    "Finds files by a pattern such as `*.md` or `src/**/*.ts`, the newest first.",
    objectSchema({ pattern: string }, { path: optional }),
    (files, { pattern, path }) => globFiles(files, pattern, path),
  ],
  [
    "grep",
    "Finds the lines that have a text, literally. `glob` says in which files, `max_count` how many lines at most.",
    objectSchema(
      { pattern: string },
      { path: optional, glob: optional, output_mode: MODES, max_count: { type: ["integer", "null"] } },
    ),
    (files, { pattern, path, glob, output_mode: mode = "files_with_matches", max_count: most }) =>
      grepFiles(files, pattern, { path, glob, mode, most: most ?? 1000 }),
  ],
];

const NAMES = new Set(TOOLS.map(([name]) => name));
const LIMIT = "toolTokenLimitBeforeEvict";

const CHANGING = new Set(["write_file", "edit_file", "delete"]);

/** The path that a call changes, if it changes one. */
function changedPath({ name, args }: { readonly name: string; readonly args: Fields }): string | undefined {
  const given = args["file_path"];
  if (!CHANGING.has(name) || typeof given !== "string") return undefined;
  const came = pathOf(given);
  return "path" in came ? came.path : undefined;
}

/** The calls of a turn: the place of the first with an id, and of the first that changes a path. */
interface Changes {
  readonly ids: ReadonlyMap<unknown, number>;
  readonly paths: ReadonlyMap<string, number>;
}
const known = new WeakMap<object, Changes>();

/** The files that the calls of the last turn change. Reads the calls once for all of them. */
function changesOfTurn(messages: Parameters<typeof lastTurn>[0]): Changes {
  const { ai } = lastTurn(messages);
  let changes = ai && known.get(ai);
  if (changes) return changes;
  const [ids, paths] = [new Map<unknown, number>(), new Map<string, number>()];
  for (const [place, call] of callsOf(ai).entries()) {
    if (!ids.has(call.id)) ids.set(call.id, place);
    const path = changedPath(call);
    if (path !== undefined && !paths.has(path)) paths.set(path, place);
  }
  changes = { ids, paths };
  if (ai) known.set(ai, changes);
  return changes;
}

/** Writes the files of an update to their backends. Those that belong to the state stay in it. */
async function kept(
  backend: CompositeBackend,
  outcome: ToolOutcome,
  call: Parameters<typeof toolMessage>[0],
): Promise<ToolOutcome> {
  const files = isCommand(outcome) ? (outcome.update as Fields | undefined)?.["files"] : undefined;
  if (!files) return outcome;
  const rest = await backend.keep(files as Record<string, FileData | null>).catch(refusalOf);
  if (typeof rest === "string") return toolMessage(call, rest, "error");
  return withUpdate(outcome, (update) => {
    const { files: _, ...others } = update;
    return Object.keys(rest).length > 0 ? { ...others, files: rest } : others;
  });
}

/**
 * Gives an agent files, as deepagents' `createFilesystemMiddleware` does over a graph's state. It adds the field
 * `files`, and the tools `ls`, `read_file`, `write_file`, `edit_file`, `delete`, `glob` and `grep`. A null in an update
 * of `files` deletes.
 *
 * Calls of one turn run in parallel. If two change one path, the second gets an error. Long results of all other tools
 * go to files.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`.
 *
 * @example
 * ```ts
 * import { createAgent, createFilesystemMiddleware } from "threadfold/agent";
 *
 * const args = { file_path: "/plan.md", content: "1. Rest" };
 * const agent = createAgent({
 *   model: async (messages) =>
 *     messages.at(-1)?.type === "tool" ? "Written." : { content: "", tool_calls: [{ id: "c1", name: "write_file", args }] },
 *   middleware: [createFilesystemMiddleware()],
 * });
 * const { files, messages } = await agent.invoke({ messages: "Write a plan." });
 * console.log(files?.["/plan.md"]?.content, messages[2]?.content); // 1. Rest Updated file /plan.md
 * ```
 */
export function createFilesystemMiddleware(options: FilesystemOptions = {}) {
  const { systemPrompt = PROMPT, customToolDescriptions: own = {}, toolTokenLimitBeforeEvict, backend } = options;
  checkOptions("createFilesystemMiddleware", options, [
    "systemPrompt",
    "backend",
    "customToolDescriptions",
    "toolTokenLimitBeforeEvict",
  ]);
  if (backend && typeof backend.keep !== "function")
    throw wrong("backend", "one of compositeBackend, of threadfold/agent/backends");
  const given = toolTokenLimitBeforeEvict === null ? 0 : numberOr(toolTokenLimitBeforeEvict, 20_000, LIMIT);
  if (given < 0) throw wrong(LIMIT, "a number from 0 on, or null");
  /** As deepagents, it takes 0 for none. */
  const limit = given || Infinity;
  const made = createMiddleware({
    name: "FilesystemMiddleware",
    stateSchema: { files: field.files<FileData>() },
    tools: TOOLS.map((one) => fileTool(one, own[one[0]], CHARS_PER_TOKEN * limit, backend)),
    wrapModelCall: (request, handler) => handler(withPrompt(request, systemPrompt)),
    wrapToolCall: async (request, handler) => {
      const { toolCall, state } = request;
      const path = changedPath(toolCall);
      if (path !== undefined) {
        const { ids, paths } = changesOfTurn(state.messages);
        if ((paths.get(path) ?? Infinity) < (ids.get(toolCall.id) ?? Infinity)) {
          const said = "Error: parallel file mutations to the same path are not allowed.";
          return toolMessage(toolCall, said, "error");
        }
      }
      const outcome = await handler(request);
      // The results of its own tools are short enough, or the model has to see them.
      const shown = NAMES.has(toolCall.name) ? outcome : await withoutLargeResults(outcome, filesOf(state), limit);
      return backend ? kept(backend, shown, toolCall) : shown;
    },
  });
  return keepsFiles(made, backend);
}
