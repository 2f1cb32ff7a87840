// A file at a path, and its text.
import type { FileData } from "../../state/files.js";
import type { CompositeBackend } from "./types.js";

type Files = Readonly<Record<string, FileData>>;

/** Returns the file at a path of the backend, or without one of the state; undefined if there is none. */
export async function fileAt(
  backend: CompositeBackend | undefined,
  path: string,
  ofState: Files,
): Promise<FileData | undefined> {
  const files = backend ? await backend.files("file", path, ofState) : ofState;
  return Object.hasOwn(files, path) ? files[path] : undefined;
}

/** Returns what a file holds: text, or base64 where its `encoding` says so. */
export const contentOf = ({ content }: FileData): string =>
  typeof content === "string" ? content : content.join("\n");
