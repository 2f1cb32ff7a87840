// The fields of a thread's state that a request selects.
import { isDict, type Dict } from "../../shared/dict.js";
import { Refusal } from "../refusal.js";

/**
 * Returns a state with only the selected fields. `values.NAME` selects one field of the values.
 *
 * @throws {@link Refusal} 422 for a selection that is not a list of names.
 */
export function selected(state: object, select: unknown): object {
  if (select == null) return state;
  if (!Array.isArray(select) || !select.every((name) => typeof name === "string"))
    throw new Refusal(422, "select should be a list of fields.");
  const all = state as Dict;
  const values = isDict(all["values"]) ? all["values"] : {};
  const shown: Record<string, unknown> = {};
  let some: [name: string, value: unknown][] | undefined;
  for (const name of new Set<string>(select)) {
    const [field = "", ...rest] = name.split(".");
    const inner = rest.join(".");
    if (inner === "") shown[field] = all[field];
    else if (field !== "values") throw new Refusal(422, `select: only values has fields of its own, not ${field}.`);
    else {
      some ??= [];
      if (Object.hasOwn(values, inner)) some.push([inner, values[inner]]);
    }
  }
  if (some && !("values" in shown)) shown["values"] = Object.fromEntries(some);
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}
