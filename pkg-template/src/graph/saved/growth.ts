// Finds the lists that only got longer: savers then store the new items, without comparing.
import type { StateFields } from "../build/state-fields.js";
import type { Values } from "../types.js";

/** Returns what lists were before a super-step that only appended to them; undefined if there is none. */
export function growth(
  fields: StateFields,
  before: Values,
  after: Values,
  updates: readonly Values[],
): Record<string, readonly unknown[]> | undefined {
  let grown: Record<string, readonly unknown[]> | undefined;
  for (const key of fields.lists) {
    const [was, now] = [before[key], after[key]];
    if (was === now || !Array.isArray(was) || !Array.isArray(now)) continue;
    let written = 0;
    for (const update of updates) {
      if (!Object.hasOwn(update, key)) continue;
      const value = update[key];
      written += Array.isArray(value) ? value.length : 1;
    }
    // A message that is replaced adds none, one that is removed takes one away.
    if (now.length === was.length + written) (grown ??= {})[key] = was;
  }
  return grown;
}
