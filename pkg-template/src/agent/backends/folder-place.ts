// Where a path of a folder's backend is on the disk: links are followed here, by hand, and never by the system.
import { constants, type FileHandle, lstat, mkdir, open, readlink, realpath, type Stats } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { ThreadfoldError } from "../../shared/errors.js";

/** Linux follows as many links before it gives up. */
const MOST_LINKS = 40;
const MOVED = "was moved while it was opened";

/** A place on the disk, whose path has no links. */
export interface Place {
  readonly at: string;
  /** Undefined if nothing is there. */
  readonly stats: Stats | undefined;
}

interface Following {
  /** Whether a link at the end of the path is followed. Otherwise the place is the link's. */
  readonly last?: boolean;
  /** Whether missing folders above the place are made. */
  readonly makes?: boolean;
}

/** Returns the folder itself, without links. Its name stays as given while it is not there. */
export const homeOf = (root: string): Promise<string> => realpath(root).catch(() => root);

/**
 * Returns the place of a path, part by part.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` if the path or one of its links leads out of the folder, whether or
 *   not something is there.
 */
export async function placeOf(root: string, path: string, following: Following = {}): Promise<Place> {
  const { last = true, makes = false } = following;
  // Elsewhere a backslash and a drive's colon lead out, too.
  if (path.includes("\0") || (sep !== "/" && /[\\:]/.test(path))) throw refused(path, "leads out of the folder");
  if (makes) await mkdir(root, { recursive: true });
  const home = await homeOf(root);
  let rest = partsOf(path, home, resolve(join(home, path)));
  let [at, links] = [home, 0];
  let stats = await statsOf(home, path);
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(at, part);
    stats = await statsOf(next, path);
    if (!stats && makes && rest.length > 0) {
      await mkdir(next).catch(unless("EEXIST"));
      stats = await statsOf(next, path);
    }
    if (stats?.isSymbolicLink() && (last || rest.length > 0)) {
      if (++links > MOST_LINKS) throw refused(path, "goes through too many links");
      const link = await readlink(next).catch(() => {
        throw refused(path, MOVED);
      });
      const target = resolve(at, link);
      rest = [...partsOf(path, home, isWithin(target, root) ? join(home, relative(root, target)) : target), ...rest];
      [at, stats] = [home, await statsOf(home, path)];
    } else at = next;
  }
  return { at, stats };
}

/**
 * Opens the file at a path. A folder above it may become a link meanwhile, so the place of the open file is compared
 * with the one that was found.
 *
 * @returns undefined for anything but a file.
 */
export async function opened(root: string, path: string, flags: number): Promise<FileHandle | undefined> {
  const makes = (flags & constants.O_CREAT) !== 0;
  const { at, stats } = await placeOf(root, path, { makes });
  if (stats ? !stats.isFile() : !makes) return undefined;
  const handle = await open(at, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)).catch(
    (error: unknown) => {
      throw codeOf(error) === "ELOOP" ? refused(path, "leads out of the folder") : error;
    },
  );
  try {
    if (!(await isAt(handle, at, root, path))) throw refused(path, MOVED);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Whether an open file is the one at a place. Linux knows where it was opened; elsewhere the path is walked again. */
async function isAt(handle: FileHandle, at: string, root: string, path: string): Promise<boolean> {
  const actual = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (actual !== undefined) return actual === at;
  const [is, { stats: now }] = [await handle.stat(), await placeOf(root, path)];
  return now?.ino === is.ino && now.dev === is.dev;
}

/** The folders above a place, the innermost first, without the folder of the backend. */
export function foldersAbove(home: string, at: string): string[] {
  const above: string[] = [];
  for (let one = dirname(at); one !== home && isWithin(one, home); one = dirname(one)) above.push(one);
  return above;
}

export const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;
export const isMissing = (error: unknown) => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";

/** Whether the system denies the access. */
export const isDenied = (error: unknown) => ["EACCES", "EPERM", "EROFS"].includes(String(codeOf(error)));

export const refused = (path: string, why: string) =>
  new ThreadfoldError("INVALID_ARGUMENT", `folderBackend: '${path.slice(0, 200)}' ${why}.`);

const isWithin = (one: string, of: string) => one === of || one.startsWith(of.endsWith(sep) ? of : of + sep);

function partsOf(path: string, home: string, place: string): string[] {
  if (!isWithin(place, home)) throw refused(path, "leads out of the folder");
  return relative(home, place)
    .split(sep)
    .filter((part) => part !== "");
}

async function statsOf(place: string, path: string): Promise<Stats | undefined> {
  try {
    return await lstat(place);
  } catch (error) {
    if (codeOf(error) === "ENAMETOOLONG") throw refused(path, "is too long for the disk");
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const unless =
  (...codes: string[]) =>
  (error: unknown) => {
    if (!codes.includes(String(codeOf(error)))) throw error;
  };
