// Which part of a list a request asks for.
import { isDict } from "../../langgraph/merge.js";
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
