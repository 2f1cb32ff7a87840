// The effects of the file tools on `files`: deepagents' rules and words.
import type { FileData } from "../../state/files.js";
import { contentOf } from "../backends/file-at.js";
import { globOf } from "./glob.js";

/** Files by path. */
export type Files = Readonly<Record<string, FileData>>;

/** The answer of a tool, and the files that it changes. */
export interface FileAnswer {
  readonly said: string;
  readonly failed?: boolean | undefined;
  /** The files to merge; null removes one. */
  readonly files?: Record<string, FileData | null> | undefined;
}

const fail = (said: string): FileAnswer => ({ said: `Error: ${said}`, failed: true });
const missing = (path: string) => fail(`File '${path}' not found`);

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
  const text = contentOf(file);
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

/** Shows lines of a file, of `most` characters at most. */
export function readFile(
  files: Files,
  path: string,
  { offset, limit, most: room }: { offset: number; limit: number; most: number },
): FileAnswer {
  const file = own(files, path);
  if (!file) return missing(path);
  const text = contentOf(file);
  if (file.encoding === "base64") return fail(`File '${path}' is not text.`);
  // A blank text, by the rules of Python's `strip`.
  // oxlint-disable-next-line no-control-regex
  if (!/[^\s\x1c-\x1f\x85]|\ufeff/.test(text)) return { said: EMPTY };
  const [from, most] = [Math.max(0, offset), Math.max(0, limit)];
  if (most === 0) return { said: nothingAsked(limit) };
  // Where Python ends a line. Only the ends of files from elsewhere are changed, to newlines.
  // oxlint-disable-next-line no-control-regex
  const lines = text.split(/(?<=[\n\v\f\x1c-\x1e\x85\u2028\u2029]|\r(?!\n))/);
  if (from >= lines.length) return fail(`Line offset ${from} exceeds file length (${lines.length} lines)`);
  const end = Math.min(from + most, lines.length);
  const rows = lines.slice(from, end).join("").replace(/\r\n?/g, "\n").split("\n");
  if (rows.at(-1) === "") rows.pop();
  while (rows.length < end - from) rows.push("");
  const body = rows.join("\n");

  const note = offset < 0 ? [clamped(offset)] : [];
  const shown = (rows: string, last: number, ...fields: string[]) =>
    [...note, `@@ ${[`lines ${from + 1}-${last} of ${lines.length}`, ...fields].join(" | ")} @@`, rows].join("\n");
  const next = (last: number) => (last < lines.length ? [`next offset ${last}`] : []);
  const whole = shown(body, end, ...next(end));
  if (whole.length < room) return { said: whole };
  let length = body.length;
  for (let last = end; last > from; last--) {
    const head = shown("", last, ...next(last), "truncated due to size");
    if (head.length + length <= room) return { said: head + body.slice(0, length) };
    length -= (rows[last - 1 - from] as string).length + 1;
  }
  // No offset shows the rest of a line that is too long.
  const first = rows[0] as string;
  const cut = (size: number) =>
    shown(first.slice(0, size), from + 1, "truncated mid-line", `${size} of ${first.length} chars`);
  return { said: cut(Math.max(0, Math.min(first.length, room + first.length - cut(first.length).length))) };
}

const EMPTY = "System reminder: File exists but has empty contents";
const nothingAsked = (limit: number) =>
  `System reminder: no lines were read because \`limit\` was ${limit}. The file was not inspected and may have contents; retry with \`limit\` >= 1 to read it.`;
const clamped = (offset: number) =>
  `[Requested offset ${offset} is before the start of the file; read from line 1 instead.]`;

const CUT = "... [results truncated, try being more specific with your parameters]";

const atMost = (text: string) => (text.length > MOST ? `${text.slice(0, MOST - CUT.length - 1)}\n${CUT}` : text);

function listed(paths: readonly string[]): string {
  if (paths.length === 0) return "No files found";
  let room = MOST - CUT.length - 4;
  // Each with its quotes and what parts it from the next.
  const end = paths.findIndex((path) => (room -= path.length + 4) < 0);
  return JSON.stringify(end < 0 ? paths : [...paths.slice(0, end), CUT]);
}

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

export function globFiles(files: Files, pattern: string, path: Optional): FileAnswer {
  const matches = globOf(pattern);
  if (typeof matches === "string") return fail(matches);
  const found = under(files, path).filter(([, relative]) => matches(relative));
  const when = ([key]: readonly [string, string]) => own(files, key)?.modified_at ?? "";
  found.sort((a, b) => (when(a) < when(b) ? 1 : when(a) > when(b) ? -1 : 0));
  return { said: listed(found.map(([key]) => key)) };
}

export function grepFiles(
  files: Files,
  pattern: string,
  { path, glob, mode, most }: { path: Optional; glob: Optional; mode: string; most: number },
): FileAnswer {
  if (most < 1) return { said: "max_count should be 1 or more.", failed: true };
  const matches = glob ? globOf(glob) : () => true;
  if (typeof matches === "string") return { said: matches, failed: true };
  let room = most;
  let isWhole = true;
  const found = under(files, path)
    .filter(([key, relative]) => matches(relative) && own(files, key)?.encoding !== "base64")
    .map(([key]) => {
      const lines = contentOf(own(files, key) as FileData).split("\n");
      const all = lines.flatMap((line, at) => (line.includes(pattern) ? [`  ${at + 1}: ${line}`] : []));
      const shown = all.slice(0, room);
      room -= shown.length;
      isWhole &&= shown.length === all.length;
      return [key, shown] as const;
    })
    .filter(([, lines]) => lines.length > 0)
    .sort(([a], [b]) => byCodePoint(a, b));
  if (found.length === 0)
    return { said: looksLikeRegex(pattern) ? `No matches found\n\n${LITERAL}` : "No matches found" };
  const shown = found.map(([key, lines]) => {
    if (mode === "count") return `${key}: ${lines.length}`;
    return mode === "content" ? [`${key}:`, ...lines].join("\n") : key;
  });
  const said = atMost(shown.join("\n"));
  return { said: isWhole ? said : `${said}\n\n${STOPPED}` };
}

type Optional = string | null | undefined;

/** Alternatives, repeated wildcards and escapes: these are hardly meant literally. */
const looksLikeRegex = (pattern: string) => /[|]|[.][*+]|\\[.wWdDsSbB(){}[\]|+*?^$]/.test(pattern);

const STOPPED = "Note: there are more matches. Narrow the search, or raise max_count, to see the rest.";
const LITERAL =
  "Note: grep matches literal text, not regex. Search for the text as it stands; for alternatives, search for each.";

const byCodePoint = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The files below a path, each with its path from there. */
function under(files: Files, given: Optional): (readonly [key: string, relative: string])[] {
  const path = given ?? "/";
  if (own(files, path)) return [[path, path.slice(path.lastIndexOf("/") + 1)]];
  const folder = path === "/" ? "/" : `${path}/`;
  return Object.keys(files).flatMap((key) =>
    key.startsWith(folder) ? [[key, key.slice(folder.length)] as const] : [],
  );
}

const own = (files: Files, path: string): FileData | undefined =>
  Object.hasOwn(files, path) ? files[path] : undefined;
