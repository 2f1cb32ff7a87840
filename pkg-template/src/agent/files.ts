// What the tools of a virtual file system do to `files`: deepagents' rules and words.
import type { FileData } from "threadfold";
import { globOf } from "./glob.js";

/** Files by path. */
export type Files = Readonly<Record<string, FileData>>;

/** What a tool answers, and the files that it changes. */
export interface FileAnswer {
  readonly said: string;
  readonly failed?: boolean | undefined;
  /** The files to merge; null removes one. */
  readonly files?: Record<string, FileData | null> | undefined;
}

const fail = (said: string): FileAnswer => ({ said: `Error: ${said}`, failed: true });
const missing = (path: string) => fail(`File '${path}' not found`);

const textOf = ({ content }: FileData): string => (typeof content === "string" ? content : content.join("\n"));

/** The path in one form, or why it has none. */
export function pathOf(given: string): { path: string } | FileAnswer {
  const parts = given.split("\\").join("/").split("/");
  if (parts.includes("..") || given.startsWith("~")) return fail(`Path traversal not allowed: ${given}`);
  if (/^[a-zA-Z]:/.test(given))
    return fail(
      `Windows absolute paths are not supported: ${given}. Please use virtual paths starting with / (e.g., /workspace/file.txt)`,
    );
  const names = parts.filter((name) => name !== "" && name !== ".");
  // As Python's normpath has it, of nothing at all a dot is left.
  const nothing = given.startsWith("/") ? "/" : "/.";
  return { path: names.length > 0 ? `/${names.join("/")}` : nothing };
}

/** The time of the last write: `glob` sorts by it, so no two writes have the same. */
let lastWrite = 0;

const newFile = (content: string, was: FileData | undefined): FileData => {
  lastWrite = Math.max(Date.now(), lastWrite + 1);
  const now = new Date(lastWrite).toISOString();
  return { content, encoding: "utf-8", created_at: was?.created_at ?? now, modified_at: now };
};

export function writeFile(files: Files, path: string, content: string): FileAnswer {
  return { said: `Updated file ${path}`, files: { [path]: newFile(content, own(files, path)) } };
}

export function editFile(files: Files, path: string, from: string, to: string, all: boolean): FileAnswer {
  const file = own(files, path);
  if (!file) return missing(path);
  if (file.encoding === "base64") return fail("Cannot edit binary files with text replacements.");
  if (from === "") return fail("old_string cannot be empty. Provide the exact text to replace.");
  const text = textOf(file);
  const pieces = text.split(from);
  const count = pieces.length - 1;
  if (count === 0) {
    const bare = from.slice(0, -1);
    if (from.endsWith("\n") && bare !== "" && text.endsWith(bare)) {
      const often = text.split(bare).length - 1;
      const newline = "old_string ends with a newline, but the file does not end with a newline.";
      return fail(
        often === 1
          ? `${newline} Retry with the trailing newline removed from old_string (and from new_string if it also ends with a newline).`
          : `${newline} With the trailing newline removed, old_string would appear ${often} times in the file. Retry with the trailing newline removed and add surrounding context so the match is unique.`,
      );
    }
    return fail(`String not found in file: '${from}'`);
  }
  if (count > 1 && !all)
    return fail(
      `String '${from}' appears ${count} times in file. Use replace_all=True to replace all instances, or provide a more specific string with surrounding context.`,
    );
  return {
    said: `Successfully replaced ${count} instance(s) of the string in '${path}'`,
    files: { [path]: newFile(pieces.join(to), file) },
  };
}

export function deleteFile(files: Files, path: string): FileAnswer {
  const base = path.replace(/\/+$/, "");
  const gone = Object.keys(files).filter((key) => key === base || key.startsWith(`${base}/`));
  if (gone.length === 0) return missing(path);
  return { said: `Deleted ${path}`, files: Object.fromEntries(gone.map((key) => [key, null])) };
}

/** As much as the model is shown at once. */
const MOST = 80_000;

export function readFile(files: Files, path: string, offset: number, limit: number): FileAnswer {
  const file = own(files, path);
  if (!file) return missing(path);
  const text = textOf(file);
  if (file.encoding === "base64") return fail(`File '${path}' is not text.`);
  if (text.trim() === "") return { said: EMPTY };
  const [from, most] = [Math.max(0, offset), Math.max(0, limit)];
  if (most === 0) return { said: nothingAsked(limit) };
  // Where Python ends a line.
  // oxlint-disable-next-line no-control-regex
  const lines = text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
  if (lines.at(-1) === "") lines.pop();
  if (from >= lines.length) return fail(`Line offset ${from} exceeds file length (${lines.length} lines)`);
  let end = Math.min(from + most, lines.length);
  let size = 0;
  for (let at = from; at < end; at++) {
    size += (lines[at] as string).length + 1;
    if (size > MOST && at > from) end = at;
  }
  const fields = [`lines ${from + 1}-${end} of ${lines.length}`];
  if (end < lines.length) fields.push(`next offset ${end}`);
  const note = offset < 0 ? [clamped(offset)] : [];
  const shown = lines.slice(from, end).join("\n");
  return { said: [...note, `@@ ${fields.join(" | ")} @@`, shown.slice(0, MOST)].join("\n") };
}

const EMPTY = "System reminder: File exists but has empty contents";
const nothingAsked = (limit: number) =>
  `System reminder: no lines were read because \`limit\` was ${limit}. The file was not inspected and may have contents; retry with \`limit\` >= 1 to read it.`;
const clamped = (offset: number) =>
  `[Requested offset ${offset} is before the start of the file; read from line 1 instead.]`;

const listed = (paths: readonly string[]): string => (paths.length > 0 ? JSON.stringify(paths) : "No files found");

export function listFiles(files: Files, path: string): FileAnswer {
  const folder = path.endsWith("/") ? path : `${path}/`;
  const found = new Set<string>();
  for (const key of Object.keys(files)) {
    if (!key.startsWith(folder)) continue;
    const rest = key.slice(folder.length);
    const slash = rest.indexOf("/");
    found.add(slash < 0 ? key : `${folder}${rest.slice(0, slash + 1)}`);
  }
  return { said: listed([...found].sort(byCodePoint)) };
}

export function globFiles(files: Files, pattern: string, path: string | undefined): FileAnswer {
  const matches = globOf(pattern);
  if (!matches) return fail(traversal(pattern));
  const found = under(files, path).filter(([, relative]) => matches(relative));
  const when = ([key]: readonly [string, string]) => own(files, key)?.modified_at ?? "";
  found.sort((a, b) => (when(a) < when(b) ? 1 : when(a) > when(b) ? -1 : 0));
  return { said: listed(found.map(([key]) => key)) };
}

export function grepFiles(
  files: Files,
  pattern: string,
  { path, glob, mode }: { path: string | undefined; glob: string | undefined; mode: string },
): FileAnswer {
  const matches = glob ? globOf(glob) : () => true;
  if (!matches) return { ...fail(traversal(glob as string)), said: traversal(glob as string) };
  const found = under(files, path)
    .filter(([key, relative]) => matches(relative) && own(files, key)?.encoding !== "base64")
    .map(([key]) => {
      const lines = textOf(own(files, key) as FileData).split("\n");
      return [key, lines.flatMap((line, at) => (line.includes(pattern) ? [`  ${at + 1}: ${line}`] : []))] as const;
    })
    .filter(([, lines]) => lines.length > 0)
    .sort(([a], [b]) => byCodePoint(a, b));
  if (found.length === 0) return { said: "No matches found" };
  if (mode === "count") return { said: found.map(([key, { length }]) => `${key}: ${length}`).join("\n") };
  if (mode === "content") return { said: found.map(([key, lines]) => [`${key}:`, ...lines].join("\n")).join("\n") };
  return { said: found.map(([key]) => key).join("\n") };
}

const traversal = (pattern: string) => `Path traversal not allowed in glob pattern '${pattern}'`;
const byCodePoint = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The files below a path, each with its path from there. */
function under(files: Files, path = "/"): (readonly [key: string, relative: string])[] {
  if (own(files, path)) return [[path, path.slice(path.lastIndexOf("/") + 1)]];
  const folder = path === "/" ? "/" : `${path}/`;
  return Object.keys(files).flatMap((key) =>
    key.startsWith(folder) ? [[key, key.slice(folder.length)] as const] : [],
  );
}

const own = (files: Files, path: string): FileData | undefined =>
  Object.hasOwn(files, path) ? files[path] : undefined;
