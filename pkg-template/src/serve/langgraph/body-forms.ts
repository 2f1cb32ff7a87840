// Schemas for the parts of a request's body, the same in every request that has them.
import { isDict } from "../../langgraph/merge.js";
import { Refusal } from "../refusal.js";

type Form = readonly [name: string, fits: (value: unknown) => boolean, form: string];

const isObject: Form[1] = isDict;

const BODY: readonly Form[] = [
  ["thread_id", (value) => typeof value === "string" && value !== "", "a string"],
  ["metadata", isObject, "an object"],
  ["config", isObject, "an object"],
  ["command", isObject, "an object"],
  ["ids", (value) => Array.isArray(value), "a list of the threads' ids"],
  ["stream_steps", (value) => typeof value === "boolean", "true or false"],
];

const CONFIG: readonly Form[] = [
  ["configurable", isObject, "an object"],
  ["recursion_limit", (value) => Number.isInteger(value) && (value as number) > 0, "a whole number from 1"],
  ["tags", (value) => Array.isArray(value) && value.every((tag) => typeof tag === "string"), "a list of strings"],
];

/** Features of a LangGraph server that this one lacks. They are refused, because ignoring them would go unnoticed. */
const NOT_SERVED = ["supersteps", "after_seconds", "webhook", "ttl"];

const MAX_RECURSION_LIMIT = 1_000;

/**
 * Checks a request's body. Null fields count as absent.
 *
 * @param most - The most that it may ask for as its recursion limit.
 * @throws {@link Refusal} 422 for a part that would be passed over otherwise, or be taken for another.
 */
export function checkForms(body: Readonly<Record<string, unknown>>, most = MAX_RECURSION_LIMIT): void {
  check(body, BODY, "");
  for (const name of NOT_SERVED) if (body[name] != null) throw new Refusal(422, `${name} is not served.`);
  if (body["strict_resume"] === true)
    throw new Refusal(
      422,
      "strict_resume is not served here: answers over protocol v2 (threads/ID/commands) are strict.",
    );
  const config = (body["config"] ?? {}) as typeof body;
  check(config, CONFIG, "config.");
  if (Number(config["recursion_limit"] ?? 0) > most)
    throw new Refusal(422, `config.recursion_limit should be at most ${most}.`);
}

function check(given: Readonly<Record<string, unknown>>, forms: readonly Form[], of: string): void {
  for (const [name, fits, form] of forms) {
    const value = given[name] ?? undefined;
    if (value !== undefined && !fits(value)) throw new Refusal(422, `${of}${name} should be ${form}.`);
  }
}
