import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { ThreadfoldError } from "../../shared/errors.js";
import type { FileData } from "../../state/files.js";
import { contentOf } from "./file-at.js";
import type { FileBackend, FileInfo } from "./types.js";

/**
 * Keeps files in a folder of the disk, in Node. `/notes/a.md` is `notes/a.md` in it. Nothing outside is read or written,
 * not by a symbolic link either. A file that is not UTF-8 text is read as base64.
 *
 * @example
 * ```ts
 * import { mkdtemp, readFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { folderBackend } from "threadfold/agent/node";
 *
 * const folder = await mkdtemp(join(tmpdir(), "agent-"));
 * await folderBackend(folder).write("/notes/a.md", { content: "Hi" });
 * console.log(await readFile(join(folder, "notes", "a.md"), "utf8")); // Hi
 * ```
 */
export function folderBackend(folder: string): FileBackend {
  if (typeof folder !== "string" || folder === "")
    throw new ThreadfoldError("INVALID_ARGUMENT", "folderBackend: expected the path of a folder.");
  const root = resolve(folder);
  return {
    read: (path) => read(root, path),
    write: (path, file) => (file ? write(root, path, file) : remove(root, path)),
    list: (prefix) => list(root, prefix),
  };
}

/** The absolute place of a path, whose nearest existing folder is within the root. */
async function placeOf(root: string, path: string): Promise<string> {
  const place = resolve(join(root, path));
  const home = await realpath(root).catch(() => root);
  let nearest: string | undefined;
  for (let at = place; nearest === undefined; at = dirname(at))
    nearest = await realpath(at).catch((error: unknown) => {
      if (isMissing(error) && at !== dirname(at)) return undefined;
      throw error;
    });
  const isWithin = (one: string, of: string) => one === of || one.startsWith(of.endsWith(sep) ? of : of + sep);
  // Above the root only while the root itself is not there.
  if (isWithin(place, root) && (isWithin(nearest, home) || isWithin(home, nearest))) return place;
  throw new ThreadfoldError("INVALID_ARGUMENT", `folderBackend: '${path}' leads out of the folder.`);
}

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;
const isMissing = (error: unknown) => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";

async function read(root: string, path: string): Promise<FileData | undefined> {
  try {
    const place = await placeOf(root, path);
    const [bytes, { birthtime, mtime }] = await Promise.all([readFile(place), stat(place)]);
    const times = { created_at: birthtime.toISOString(), modified_at: mtime.toISOString() };
    try {
      const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      return { content, encoding: "utf-8", ...times };
    } catch {
      return { content: await readFile(place, "base64"), encoding: "base64", ...times };
    }
  } catch (error) {
    if (isMissing(error) || codeOf(error) === "EISDIR") return undefined;
    throw error;
  }
}

async function write(root: string, path: string, file: FileData): Promise<void> {
  const place = await placeOf(root, path);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, contentOf(file), file.encoding === "base64" ? "base64" : "utf8");
}

async function remove(root: string, path: string): Promise<void> {
  await rm(await placeOf(root, path), { force: true });
}

async function list(root: string, prefix: string): Promise<FileInfo[]> {
  const found: FileInfo[] = [];
  // Only folders that the prefix leads to, or that are below it. Links are not followed.
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const entry of entries) {
      const one = `${path}${entry.name}`;
      if (entry.isDirectory() && (`${one}/`.startsWith(prefix) || prefix.startsWith(`${one}/`) || prefix === one))
        await walk(`${one}/`);
      else if (entry.isFile() && one.startsWith(prefix))
        found.push({ path: one, modified_at: (await stat(join(root, one))).mtime.toISOString() });
    }
  };
  await walk("/");
  return found;
}
