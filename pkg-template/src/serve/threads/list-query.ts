// Which part of a list a request asks for.
import { isDict } from "../../shared/dict.js";
import { sameJson } from "../../shared/same-json.js";
import { Refusal } from "../refusal.js";

/** Whether an object has these fields, with these values. */
export function hasFields(own: unknown, asked: unknown): boolean {
  const fields = isDict(own) ? own : {};
  return Object.entries(isDict(asked) ? asked : {}).every(([key, value]) => sameJson(fields[key], value));
}

/** A number of a request's body or query. */
export function countOf(given: Record<string, unknown>, name: string, otherwise: number): number {
  const count = Number(given[name] ?? otherwise);
  if (!Number.isInteger(count) || count < 0) throw new Refusal(422, `${name} should be a number from 0.`);
  return count;
}

/** Which part of a list is asked for. */
export function rangeOf(given: Record<string, unknown>): [from: number, to: number] {
  const from = countOf(given, "offset", 0);
  return [from, from + countOf(given, "limit", 10)];
}

/**
 * Sorts a list as a request asks; as it is if it names no order.
 *
 * @param orders - The field of each order that can be asked for.
 * @throws {@link Refusal} 422 for another order.
 */
export function ordered<T extends object>(
  list: readonly T[],
  { sort_by: by, sort_order: way }: Record<string, unknown>,
  orders: Readonly<Record<string, keyof T>>,
): T[] {
  if (way != null && way !== "asc" && way !== "desc") throw new Refusal(422, "sort_order should be asc or desc.");
  if (by == null) return [...list];
  const field = typeof by === "string" && Object.hasOwn(orders, by) ? orders[by] : undefined;
  if (field === undefined)
    throw new Refusal(422, `sort_by ${JSON.stringify(by)} is not served: use ${Object.keys(orders).join(", ")}.`);
  const sign = way === "asc" ? 1 : -1;
  const textOf = (one: T) => String(one[field]);
  return [...list].sort((a, b) => sign * (Number(textOf(a) > textOf(b)) - Number(textOf(a) < textOf(b))));
}
