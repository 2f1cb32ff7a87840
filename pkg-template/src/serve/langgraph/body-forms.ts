// Schemas for the parts of a request's body, the same in every request that has them.
import { isDict } from "../../shared/dict.js";
import { Refusal } from "../refusal.js";

type Form = readonly [name: string, fits: (value: unknown) => boolean, form: string];

const isObject: Form[1] = isDict;
const isText: Form[1] = (value) => typeof value === "string";
const isTexts: Form[1] = (value) => Array.isArray(value) && value.every(isText);
const oneOf = (name: string, ...values: string[]): Form => [
  name,
  (value) => values.includes(value as string),
  `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`,
];
const flag = (name: string): Form => [name, (value) => typeof value === "boolean", "true or false"];
const nodes = (name: string): Form => [
  name,
  (value) => isText(value) || isTexts(value),
  "a list of nodes' names, or *",
];

const BODY: readonly Form[] = [
  ["thread_id", (value) => typeof value === "string" && value !== "", "a string"],
  ["metadata", isObject, "an object"],
  ["config", isObject, "an object"],
  ["command", isObject, "an object"],
  ["ids", (value) => Array.isArray(value), "a list of the threads' ids"],
  ["assistant_id", isText, "a string"],
  ["checkpoint_id", isText, "a string"],
  ["params", isObject, "an object"],
  flag("stream_steps"),
  flag("stream_subgraphs"),
  flag("stream_resumable"),
  flag("checkpoint_during"),
  nodes("interrupt_before"),
  nodes("interrupt_after"),
  oneOf("durability", "sync", "async", "exit"),
  oneOf("if_exists", "raise", "do_nothing"),
  oneOf("if_not_exists", "create", "reject"),
  oneOf("on_completion", "delete", "keep"),
  oneOf("on_disconnect", "continue", "cancel"),
  oneOf("status", "idle", "busy", "interrupted", "error"),
];

const isDestination: Form[1] = (value) => isText(value) || (isDict(value) && isText(value["node"]));
const isPair = (value: unknown) => Array.isArray(value) && value.length === 2 && isText(value[0]);

const COMMAND: readonly Form[] = [
  ["goto", (value) => [value].flat().every(isDestination), "a node's name, { node, input }, or a list of these"],
  [
    "update",
    (value) => (Array.isArray(value) ? value.every(isPair) : isDict(value)),
    "an object of the state's fields",
  ],
];

const CONFIG: readonly Form[] = [
  ["configurable", isObject, "an object"],
  ["recursion_limit", (value) => Number.isInteger(value) && (value as number) > 0, "a whole number from 1"],
  ["tags", isTexts, "a list of strings"],
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
  check((body["command"] ?? {}) as typeof body, COMMAND, "command.");
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
