// JSON Patch as plainly as it can be written, on a copy.
import { Refused } from "./reducers.js";

export interface Operation {
  op: string;
  path: string;
  value?: unknown;
}

/** The document after `add`, `replace`, `remove` and `test`. */
export function patched<T>(document: T, operations: readonly Operation[]): T {
  // By way of JSON: a structured clone of one object in two places is in both.
  const copy = { root: JSON.parse(JSON.stringify(document)) as unknown };
  for (const operation of operations) apply(copy, operation);
  return copy.root as T;
}

function apply(copy: { root: unknown }, { op, path, value }: Operation): void {
  const tokens = path.split("/").slice(1).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = tokens.pop();
  if (last === undefined) {
    copy.root = structuredClone(value);
    return;
  }
  let parent = copy.root;
  for (const token of tokens) parent = child(parent, token);
  if (typeof parent !== "object" || parent === null) throw new Refused("PATCH_PATH_MISSING");
  if (op === "add") add(parent, last, structuredClone(value));
  else {
    const held = child(parent, last);
    if (op === "test" && JSON.stringify(held) !== JSON.stringify(value)) throw new Refused("PATCH_TEST_FAILED");
    if (op === "replace") (parent as Record<string, unknown>)[last] = structuredClone(value);
    if (op === "remove") {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete (parent as Record<string, unknown>)[last];
    }
  }
}

function child(parent: unknown, token: string): unknown {
  if (typeof parent !== "object" || parent === null || !Object.hasOwn(parent, token)) {
    throw new Refused("PATCH_PATH_MISSING");
  }
  return (parent as Record<string, unknown>)[token];
}

function add(parent: object, token: string, value: unknown): void {
  if (!Array.isArray(parent)) (parent as Record<string, unknown>)[token] = value;
  else parent.splice(token === "-" ? parent.length : Number(token), 0, value);
}
