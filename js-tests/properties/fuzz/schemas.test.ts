// Whole random schemas under random states and updates.
import { inspect } from "node:util";
import * as fc from "fast-check";
import { combineSchemas, defineSchema, ThreadfoldError } from "threadfold";
import { expect, test } from "vitest";
import { outcome, type Outcome } from "../../support/errors.js";
import { frozen } from "../../support/frozen.js";
import { seeded } from "../../support/seed.js";
import type { AnySchema, State } from "../../support/state-specs.js";
import { anything, declarations, fieldsOf, PROBE, stateFor, updateFor } from "./generated.js";

const shown = (value: unknown) => inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null });

/** The outcome of a call with frozen inputs: an answer or a ThreadfoldError. The inputs stay unchanged. */
function called<T>(call: () => T, ...inputs: unknown[]): Outcome<T> {
  const before = inputs.map(shown);
  for (const input of inputs) frozen(input);
  const came = outcome(call);
  expect(inputs.map(shown)).toEqual(before);
  if ("error" in came) {
    if (!(came.error instanceof ThreadfoldError)) throw came.error;
    // Reading these never throws, so that only a write to one of them, which is frozen, could.
    if (came.error.code === "UNREADABLE_VALUE")
      expect(String(came.error.cause)).toMatch(/cannot be copied|no well-formed text/);
  }
  return came;
}

/** Plain data with valid text as names, which no filter refuses. Half a surrogate pair is not valid text. */
function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === null || prototype === Object.prototype) &&
    !Object.keys(value).some((key) => /\p{Surrogate}/u.test(key))
  );
}

/** Every key is either passed on as it is, or named. */
function checkFiltered(given: unknown, came: Outcome<{ values: object; dropped: string[] }>): void {
  if ("error" in came) {
    expect(isPlain(given)).toBe(false);
    return;
  }
  const { values, dropped } = came.answer;
  expect([...Object.keys(values), ...dropped].sort()).toEqual(Object.keys(given as State).sort());
  for (const [key, value] of Object.entries(values)) expect(Object.is(value, (given as State)[key])).toBe(true);
}

/** Fields that no update named keep their value, and no field appears from nowhere. */
function checkUntouched(state: unknown, updates: unknown[], came: Outcome<State>): void {
  if ("error" in came) return;
  const written = new Set(updates.flatMap((update) => Object.keys(update as State)));
  for (const [key, value] of Object.entries(came.answer)) {
    if (!written.has(key)) expect(Object.is(value, (state as State)[key])).toBe(true);
  }
}

/** Throws unless a schema still works. */
function probe(schema: AnySchema): void {
  expect(schema.merge({ [PROBE]: [1] }, { [PROBE]: [2] })).toEqual({ [PROBE]: [1, 2] });
  expect(schema.step({ [PROBE]: [1] }, [{ [PROBE]: [2] }, { [PROBE]: [3] }])).toEqual({ [PROBE]: [1, 2, 3] });
  expect(({} as { x?: unknown }).x).toBeUndefined();
}

function exercise(schema: AnySchema, state: unknown, updates: unknown[]): void {
  const held = state as State;
  for (const update of updates) {
    checkUntouched(
      state,
      [update],
      called(() => schema.merge(held, update as State), state, update),
    );
  }
  checkUntouched(
    state,
    updates,
    called(() => schema.step(held, updates as State[]), state, updates),
  );
  for (const given of [state, ...updates] as State[]) {
    checkFiltered(
      given,
      called(() => schema.input(given), given),
    );
    checkFiltered(
      given,
      called(() => schema.output(given), given),
    );
    checkFiltered(
      given,
      called(() => schema.checkpoint(given), given),
    );
  }
  probe(schema);
}

/** Several updates in a row, as a program would: each folds into the previous result. */
function fold(schema: AnySchema, state: unknown, updates: unknown[]): void {
  let held = state as State;
  for (const update of updates) {
    const came = called(() => schema.merge(held, update as State), held, update);
    if ("answer" in came) held = came.answer;
    const stepped = called(() => schema.step(held, [update as State]), held, update);
    if ("answer" in stepped) held = stepped.answer;
  }
}

const fields = declarations("a", "b", "c", "d", "messages");
/** Those of a second schema: one name in common. */
const otherFields = declarations("d", "e", "f", "g", "h");
const whole = fields.chain((declared) =>
  fc.tuple(fc.constant(declared), otherFields, stateFor(declared), fc.array(updateFor(declared), { maxLength: 4 })),
);

test("schemas answer or refuse any input, change none of it, and still work", () => {
  const tally = new Map<string, number>();
  const count = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);
  const law = fc.property(whole, ([declared, more, state, updates]) => {
    const made = called(() => defineSchema(fieldsOf(declared)));
    if ("error" in made) return count("refused");
    count("made");
    using schema = made.answer;
    exercise(schema, state, updates);
    fold(schema, state, updates);

    const other = called(() => defineSchema(fieldsOf(more)));
    if ("error" in other) return;
    using second = other.answer;
    const combined = called(() => combineSchemas(schema, second, schema) as AnySchema);
    if ("error" in combined) {
      expect(combined.error).toMatchObject({ code: "INVALID_SCHEMA" });
      count("in conflict");
    } else {
      count("combined");
      using both = combined.answer;
      exercise(both, state, updates);
    }
    probe(schema);
    probe(second);
  });
  const settings = seeded("whole schemas", 2_000);
  fc.assert(law, settings);
  console.log(Object.fromEntries(tally));
  // Otherwise the generator no longer covers the subject.
  expect(tally.get("made")).toBeGreaterThan(settings.numRuns / 2);
  expect(tally.get("combined")).toBeGreaterThan(settings.numRuns / 20);
});

test("an invalid schema is refused", () => {
  const law = fc.property(anything, fc.dictionary(fc.constantFrom("a", "b"), anything), (fields, oneByOne) => {
    called(() => defineSchema(fields as never), fields);
    called(() => defineSchema(oneByOne as never), oneByOne);
    called(() => combineSchemas(...([fields, oneByOne] as never[])), fields, oneByOne);
  });
  fc.assert(law, seeded("no schemas", 2_000));
});
