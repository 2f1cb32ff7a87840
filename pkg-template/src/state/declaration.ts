// Checks the fields of a schema and hands them to the core, which knows their kinds by numbers.
import * as core from "#core";
import { field as fieldKinds } from "../../generated/numbers.js";
import * as WAYS from "../../generated/numbers/ways.js";
import { ThreadfoldError } from "../shared/errors.js";
import { unreadable } from "../shared/reading.js";
import { numberOf, PREFERENCES, RULES } from "../shared/choices.js";

const KINDS = Object.keys(fieldKinds);

/** Makes the core's schema of these fields. */
export function schemaOf(fields: unknown): core.RawSchema {
  const raw = core.call(() => new core.RawSchema());
  try {
    if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        "A schema's fields should be an object, such as { messages: field.messages() }.",
      );
    }
    for (const key of Object.keys(fields)) add(raw, key, (fields as Record<string, unknown>)[key]);
    return raw;
  } catch (cause) {
    raw.free();
    if (cause instanceof ThreadfoldError) throw cause;
    throw unreadable(cause, "the fields");
  }
}

function add(raw: core.RawSchema, key: string, field: unknown): void {
  // Half a surrogate pair becomes another character on the way to the core, and the key another key.
  if (/\p{Surrogate}/u.test(key)) throw new TypeError("a key is no well-formed text");
  if (field === undefined) return;
  const read = (name: string): unknown =>
    typeof field === "object" && field !== null && Object.hasOwn(field, name) ? field[name as never] : undefined;
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = read(name);
    if (value === undefined) return otherwise;
    if (typeof value === "boolean") return value;
    throw new ThreadfoldError("INVALID_ARGUMENT", `${key}.${name} should be true or false.`);
  };
  const shown = !flag("private", false);
  const ways =
    (flag("input", true) && shown ? WAYS.input : 0) +
    (flag("output", true) && shown ? WAYS.output : 0) +
    (flag("guard", true) ? WAYS.guard : 0);
  const kind = read("kind");
  if (kind === "reducer") {
    addReducer(raw, key, ways, read("reducer"), read("default"));
    return;
  }
  const number = KINDS.indexOf(kind as string);
  if (number < 0) {
    throw new ThreadfoldError("INVALID_SCHEMA", `The field '${key}' should be made by a function of 'field'.`);
  }
  const by =
    kind === "messages"
      ? numberOf(read("rules"), `${key}.rules`, RULES)
      : kind === "tools"
        ? numberOf(read("prefer"), `${key}.prefer`, PREFERENCES)
        : 0;
  core.call(() => raw.add(core.hold(key), number, ways, by, 0, 0));
}

function addReducer(raw: core.RawSchema, key: string, ways: number, reducer: unknown, initial: unknown): void {
  if (typeof reducer !== "function")
    throw new ThreadfoldError("INVALID_ARGUMENT", `${key}.reducer should be a function.`);
  if (initial !== undefined && typeof initial !== "function") {
    throw new ThreadfoldError("INVALID_ARGUMENT", `${key}.default should be a function.`);
  }
  const number = functionNumber(reducer);
  const name = nameOf(reducer);
  core.call(() =>
    raw.add(core.hold(key), fieldKinds.reducer, ways, core.root({ reducer, initial }), number, core.hold(name)),
  );
}

const functionNumbers = new WeakMap<Function, number>();
let functions = 0;

/** Returns the same number for the same function. */
function functionNumber(fn: Function): number {
  let number = functionNumbers.get(fn);
  if (number === undefined) functionNumbers.set(fn, (number = functions++));
  return number;
}

/** Returns what errors call a function. A proxy may throw when it is asked for its name. */
function nameOf(fn: Function): string {
  try {
    const name: unknown = fn.name;
    if (typeof name === "string" && name !== "") return name;
  } catch {
    // It has none, then.
  }
  return "a function";
}
