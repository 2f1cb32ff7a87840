import { type FileData, field } from "threadfold";
import { Command } from "threadfold/graph";
import { refuseOthers } from "../../context/options.js";
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
} from "../files.js";
import { callsOf, type Fields, lastTurn, toolMessage } from "../message.js";
import { createMiddleware } from "../middleware.js";
import { withPrompt } from "../prompt.js";
import { type PlainTool, tool } from "../tools.js";

/** Options of {@link createFilesystemMiddleware}. */
export interface FilesystemOptions {
  /** What the model is told about its files. */
  readonly systemPrompt?: string | undefined;
  /** What it is told about a tool, by the tool's name. */
  readonly customToolDescriptions?: Readonly<Record<string, string>> | undefined;
}

const PROMPT = `## Files
You have files of your own: \`ls\`, \`read_file\`, \`write_file\`, \`edit_file\`, \`delete\`, \`glob\`, \`grep\`. All paths are absolute and begin with \`/\`. Read a file before you edit it.`;

const text = { type: "string" };
const schemaOf = (properties: object, required: readonly string[]) => ({ type: "object", properties, required });

// oxlint-disable-next-line typescript/no-explicit-any -- the schema has checked them
type Work = (files: Files, args: Record<string, any>) => FileAnswer;

/** A tool over `files`. The fields of `paths` are paths, which are brought into one form first. */
function fileTool(
  name: string,
  description: string,
  schema: object,
  paths: readonly string[],
  work: Work,
): PlainTool<Fields> {
  return tool<Fields>({
    name,
    description,
    schema,
    run: (given, { state, toolCall }) => {
      const args = { ...given };
      for (const key of paths) {
        const value = args[key];
        if (typeof value !== "string") continue;
        const came = pathOf(value);
        if (!("path" in came)) return toolMessage(toolCall, came.said, "error");
        args[key] = came.path;
      }
      const { said, failed, files } = work((state["files"] ?? {}) as Files, args as never);
      const message = toolMessage(toolCall, said, failed ? "error" : "success");
      return files ? new Command({ update: { files, messages: [message] } }) : message;
    },
  });
}

const TOOLS = [
  fileTool(
    "ls",
    "Lists the files and folders in a folder.",
    schemaOf({ path: text }, ["path"]),
    ["path"],
    (files, { path }) => listFiles(files, path),
  ),
  fileTool(
    "read_file",
    "Reads a file: up to 100 lines, from line `offset` on, unless `limit` says otherwise.",
    schemaOf({ file_path: text, offset: { type: "integer" }, limit: { type: "integer" } }, ["file_path"]),
    ["file_path"],
    (files, { file_path, offset = 0, limit = 100 }) => readFile(files, file_path, offset, limit),
  ),
  fileTool(
    "write_file",
    "Writes a file: a new one, or in the place of the one that is there.",
    schemaOf({ file_path: text, content: text }, ["file_path", "content"]),
    ["file_path"],
    (files, { file_path, content }) => writeFile(files, file_path, content),
  ),
  fileTool(
    "edit_file",
    "Replaces a text in a file. `old_string` has to be exact, and in the file once, unless `replace_all` is true.",
    schemaOf({ file_path: text, old_string: text, new_string: text, replace_all: { type: "boolean" } }, [
      "file_path",
      "old_string",
      "new_string",
    ]),
    ["file_path"],
    (files, { file_path, old_string, new_string, replace_all }) =>
      editFile(files, file_path, old_string, new_string, Boolean(replace_all)),
  ),
  fileTool(
    "delete",
    "Deletes a file, or a folder with all that is in it.",
    schemaOf({ file_path: text }, ["file_path"]),
    ["file_path"],
    (files, { file_path }) => deleteFile(files, file_path),
  ),
  fileTool(
    "glob",
    "Finds files by a pattern such as `*.md` or `src/**/*.ts`, the newest first.",
    schemaOf({ pattern: text, path: text }, ["pattern"]),
    ["path"],
    (files, { pattern, path }) => globFiles(files, pattern, path),
  ),
  fileTool(
    "grep",
    "Finds the lines that have a text, literally. `glob` says in which files.",
    schemaOf(
      {
        pattern: text,
        path: text,
        glob: text,
        output_mode: { type: "string", enum: ["files_with_matches", "content", "count"] },
      },
      ["pattern"],
    ),
    ["path"],
    (files, { pattern, path, glob, output_mode: mode = "files_with_matches" }) =>
      grepFiles(files, pattern, { path, glob, mode }),
  ),
];

const CHANGING = new Set(["write_file", "edit_file", "delete"]);

/** The path that a call changes, if it changes one. */
export function changedPath({ name, args }: { readonly name: string; readonly args: Fields }): string | undefined {
  const given = args["file_path"];
  if (!CHANGING.has(name) || typeof given !== "string") return undefined;
  const came = pathOf(given);
  return "path" in came ? came.path : undefined;
}

/**
 * Gives an agent files, as deepagents' `createFilesystemMiddleware` does over a graph's state: the field `files`, and the
 * tools `ls`, `read_file`, `write_file`, `edit_file`, `delete`, `glob` and `grep`. A null in an update of `files` deletes.
 *
 * Calls of one turn run side by side; two that change one path do not: the second is told so.
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
  const { systemPrompt = PROMPT, customToolDescriptions: own = {}, ...others } = options;
  refuseOthers(others);
  return createMiddleware({
    name: "FilesystemMiddleware",
    stateSchema: { files: field.files<FileData>() },
    tools: TOOLS.map((one) => ({ ...one, description: own[one.name] ?? one.description })),
    wrapModelCall: (request, handler) => handler(withPrompt(request, systemPrompt)),
    wrapToolCall: (request, handler) => {
      const { toolCall, state } = request;
      const path = changedPath(toolCall);
      if (path !== undefined) {
        for (const call of callsOf(lastTurn(state.messages).ai)) {
          if (call.id === toolCall.id) break;
          if (changedPath(call) !== path) continue;
          const said = "Error: parallel file mutations to the same path are not allowed.";
          return toolMessage(toolCall, said, "error");
        }
      }
      return handler(request);
    },
  });
}
