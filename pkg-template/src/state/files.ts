import * as core from "#core";

/** A file of DeepAgents' virtual file system. Its content is not checked. */
export interface FileData {
  content: string | readonly string[];
  encoding?: "utf-8" | "base64" | undefined;
  mimeType?: string | undefined;
  created_at?: string | undefined;
  modified_at?: string | undefined;
}

/**
 * Lays the files of `right` over those of `left`, as DeepAgents does; null in `right` deletes a path. Null for a side
 * counts as no files. Returns `left` itself when nothing changes.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` if a side is not an object.
 *
 * @example
 * ```ts
 * import { mergeFiles } from "threadfold";
 *
 * const files = mergeFiles({ "/a.md": { content: "a" } }, { "/a.md": null, "/b.md": { content: "b" } });
 * console.log(Object.keys(files)); // [ '/b.md' ]
 * ```
 */
export function mergeFiles<F = FileData>(
  left: Readonly<Record<string, F>> | null | undefined,
  right: Readonly<Record<string, F | null>> | null | undefined,
): Record<string, F> {
  return core.call(() => core.value(core.mergeFiles(core.hold(left), core.hold(right))));
}
