import * as core from "#core";

/** One operation of a JSON Patch (RFC 6902); paths are JSON Pointers (RFC 6901). */
export type PatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/**
 * Applies a JSON Patch to a document: all of its operations, or none. Returns the patched document, in which whatever no
 * path leads through is the same object as before; the document that you gave is not changed.
 *
 * Reaches an object's own values only, and refuses `__proto__` and a path with half a surrogate pair.
 *
 * @throws {@link ThreadfoldError} `INVALID_PATCH`, `PATCH_FAILED`, `FORBIDDEN_KEY`.
 *
 * @example
 * ```ts
 * import { applyPatch } from "threadfold";
 *
 * const before = { steps: [{ done: false }], notes: { text: "…" } };
 * const after = applyPatch(before, [{ op: "replace", path: "/steps/0/done", value: true }]);
 * console.log(after.steps[0]?.done, after.notes === before.notes); // true true
 * ```
 */
export function applyPatch<T, Patched = T>(document: T, operations: readonly PatchOperation[]): Patched {
  return core.call(() => core.value(core.applyPatch(core.hold(document), core.hold(operations))));
}
