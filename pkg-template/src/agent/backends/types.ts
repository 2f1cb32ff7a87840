// Files that are elsewhere than in the state.
import type { FileData } from "../../state/files.js";

/** A place for files. Its paths begin with `/`, and have no `..` in them. */
export interface FileBackend {
  /**
   * Returns a file; undefined for a path without one. The model gets the text of an `INVALID_ARGUMENT`, and `grep` leaves that
   * file out. Any other error fails the run.
   */
  read(path: string): FileData | undefined | Promise<FileData | undefined>;
  /** Writes a file; null removes it. */
  write(path: string, file: FileData | null): void | Promise<void>;
  /** Returns the files whose paths begin with `prefix`, in any order. */
  list(prefix: string): readonly FileInfo[] | Promise<readonly FileInfo[]>;
}

/** A file of a list. */
export interface FileInfo {
  readonly path: string;
  /** When it was last written, in ISO 8601: `glob` sorts by it. */
  readonly modified_at?: string | undefined;
  /** Its length in bytes: `grep` leaves out files of more than 10 MB. */
  readonly size?: number | undefined;
}

/**
 * The files that a tool has to know. `file`: the one at the path. `folder`: the names of those at or below it, on the
 * same backend. `names`: the same on all backends. `contents`: with what is in them.
 */
export type FilesNeeded = "file" | "folder" | "names" | "contents";

/** The files of an agent, wherever they are: `compositeBackend` of `threadfold/agent/backends` makes it. */
export interface CompositeBackend {
  /** Returns files by path; `ofState` has those of the state. */
  files(
    needed: FilesNeeded,
    path: string,
    ofState: Readonly<Record<string, FileData>>,
  ): Promise<Readonly<Record<string, FileData>>>;
  /** Writes files to their backends. Returns those that belong to the state. */
  keep(files: Readonly<Record<string, FileData | null>>): Promise<Record<string, FileData | null>>;
}
