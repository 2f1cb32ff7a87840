import { constants, lstat, readdir, rm, rmdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ThreadfoldError } from "../../shared/errors.js";
import type { FileData } from "../../state/files.js";
import { contentOf } from "./file-at.js";
import {
  codeOf,
  foldersAbove,
  homeOf,
  isDenied,
  isMissing,
  opened,
  type Place,
  placeOf,
  refused,
} from "./folder-place.js";
import type { FileBackend, FileInfo } from "./types.js";

/**
 * Keeps files in a folder of the disk, in Node. `/notes/a.md` is `notes/a.md` in it. Nothing outside is read or written:
 * a path that leads out is `INVALID_ARGUMENT`, also by a symbolic link whose target does not exist yet. Links within the
 * folder are followed. A file that is not UTF-8 text is read as base64. A folder goes with its last file.
 *
 * Reading a file without permission, or one of more than 256 MB, is `INVALID_ARGUMENT`, as is writing without permission.
 * `list` leaves out folders that may not be read.
 *
 * Another program may swap a folder for a link while a file is opened. On Linux it gets no content, as the place of the
 * open file is compared; elsewhere that leaves a moment. Hard links are the file itself.
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
    read: (path) => permitted(path, "read", async () => inTurn(await placeOf(root, path), () => read(root, path))),
    write: (path, file) =>
      file
        ? permitted(path, "written", async () => inTurn(await placeOf(root, path), () => write(root, path, file)))
        : permitted(path, "removed", async () =>
            inTurn(await placeOf(root, path, { last: false }), () => remove(root, path)),
          ),
    list: (prefix) => list(root, prefix),
  };
}

/** Does the work on a path. Refuses the path if the system denies it. */
async function permitted<T>(path: string, done: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDenied(error) ? refused(path, `may not be ${done}: ${String(codeOf(error))}`) : error;
  }
}

/** The last work on each place, of all backends: two writes at once would mix, and a read see half a file. */
const turns = new Map<string, Promise<unknown>>();

/** Does the work once the earlier work on the same file has ended. */
async function inTurn<T>({ at }: Place, work: () => Promise<T>): Promise<T> {
  const turn = (turns.get(at) ?? Promise.resolve()).then(work, work);
  turns.set(at, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(at) === turn) turns.delete(at);
  }
}

/** The longest file that is read, in bytes: as base64 it is still a text that the engine can hold. */
const MOST_READ = 256 * 1024 * 1024;

async function read(root: string, path: string): Promise<FileData | undefined> {
  try {
    const handle = await opened(root, path, constants.O_RDONLY);
    if (!handle) return undefined;
    try {
      const { size, birthtime, mtime } = await handle.stat();
      if (size > MOST_READ) throw refused(path, `has ${size} bytes: it is too long to read`);
      const bytes = await handle.readFile();
      const times = { created_at: birthtime.toISOString(), modified_at: mtime.toISOString() };
      try {
        const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
        return { content, encoding: "utf-8", ...times };
      } catch {
        return { content: bytes.toString("base64"), encoding: "base64", ...times };
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A folder may be removed, as empty, while a file is about to be written to it. */
const TRIES = 5;

async function write(root: string, path: string, file: FileData): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      const handle = await opened(root, path, constants.O_WRONLY | constants.O_CREAT);
      if (!handle) throw refused(path, "is a folder or a device, not a file");
      try {
        await handle.truncate(0);
        await handle.writeFile(contentOf(file), file.encoding === "base64" ? "base64" : "utf8");
      } finally {
        await handle.close();
      }
      return;
    } catch (error) {
      if (codeOf(error) === "ENOTDIR") throw refused(path, "is below a file");
      if (codeOf(error) !== "ENOENT" || left === 0) throw error;
    }
  }
}

async function remove(root: string, path: string): Promise<void> {
  const { at, stats } = await placeOf(root, path, { last: false });
  if (!stats) return;
  if (stats.isDirectory()) throw refused(path, "is a folder, not a file");
  await rm(at, { force: true });
  for (const folder of foldersAbove(await homeOf(root), at)) {
    try {
      await rmdir(folder);
    } catch {
      // It has other files.
      return;
    }
  }
}

async function list(root: string, prefix: string): Promise<FileInfo[]> {
  const found: FileInfo[] = [];
  // Only folders that the prefix leads to, or that are below it; a link to a folder only if the prefix goes through it.
  const walk = async (path: string, at: string): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true }).catch((error: unknown) => {
      // Without its own folder the backend has nothing: the model should know why.
      if (isDenied(error) && path === "/") throw refused(path, `may not be read: ${String(codeOf(error))}`);
      if (isMissing(error) || isDenied(error)) return [];
      throw error;
    });
    for (const entry of entries) {
      const one = `${path}${entry.name}`;
      const leadsTo = prefix === one || prefix.startsWith(`${one}/`);
      if (!leadsTo && !one.startsWith(prefix)) continue;
      // A path is walked from its start only for a link: a folder may be deep.
      const place = entry.isSymbolicLink() ? await placeIfAny(root, one) : await unlinked(join(at, entry.name));
      if (place?.stats?.isFile() && one.startsWith(prefix))
        found.push({ path: one, modified_at: place.stats.mtime.toISOString(), size: place.stats.size });
      else if (place?.stats?.isDirectory() && (leadsTo || !entry.isSymbolicLink())) await walk(`${one}/`, place.at);
    }
  };
  await walk("/", await homeOf(root));
  return found;
}

/** A place that had no link when its folder was read. Without permission it has no `stats`. */
async function unlinked(at: string): Promise<Place> {
  const stats = await lstat(at).catch((error: unknown) => {
    if (isMissing(error) || isDenied(error)) return undefined;
    throw error;
  });
  return { at, stats };
}

/** The place of a path; undefined where it leads out, or may not be read. */
async function placeIfAny(root: string, path: string): Promise<Place | undefined> {
  try {
    return await placeOf(root, path);
  } catch (error) {
    if (error instanceof ThreadfoldError || isDenied(error)) return undefined;
    throw error;
  }
}
