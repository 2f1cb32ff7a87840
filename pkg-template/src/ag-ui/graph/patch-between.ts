import { isDict } from "../../shared/dict.js";
import { pointerPart } from "../../shared/json-pointer.js";
import type { PatchOperation } from "../../state/patch.js";

/**
 * Returns the JSON Patch from one value to another. Objects shared by both are skipped, so that the cost is what
 * changed. A list that only grew is patched at its end.
 */
export function patchBetween(before: unknown, after: unknown, path = ""): PatchOperation[] {
  if (Object.is(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return betweenLists(before, after, path);
  if (!isDict(before) || !isDict(after)) return [{ op: "replace", path, value: after } as PatchOperation];
  const operations: PatchOperation[] = [];
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) operations.push({ op: "remove", path: at(path, key) } as PatchOperation);
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    if (Object.hasOwn(before, key)) operations.push(...patchBetween(before[key], value, at(path, key)));
    else operations.push({ op: "add", path: at(path, key), value } as PatchOperation);
  }
  return operations;
}

function betweenLists(before: readonly unknown[], after: readonly unknown[], path: string): PatchOperation[] {
  if (after.length < before.length) return [{ op: "replace", path, value: after } as PatchOperation];
  return [
    ...before.flatMap((item, index) => patchBetween(item, after[index], at(path, index))),
    ...after.slice(before.length).map((value) => ({ op: "add", path: `${path}/-`, value }) as PatchOperation),
  ];
}

const at = (path: string, key: string | number) => `${path}/${pointerPart(key)}`;
