import * as core from "#core";

/** One operation of a JSON Patch (RFC 6902); paths are JSON Pointers (RFC 6901). */
export type PatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: unknown }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/**
 * The document with a JSON Patch applied: all of its operations, or none. The document is not changed, and what no
 * path leads through is the same object in the answer.
 *
 * Only an object's own values are reached, and `__proto__` is refused.
 *
 * @throws {@link ThreadfoldError} `INVALID_PATCH`, `PATCH_PATH_MISSING`, `PATCH_TEST_FAILED`, `FORBIDDEN_KEY`.
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
