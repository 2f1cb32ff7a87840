// Random declarations, states and updates: most fit the schema, many nearly, some not at all.
import * as fc from "fast-check";
import { addMessages, field, type Field } from "threadfold";
import { outcome } from "../../support/errors.js";
import { fieldSpec, gather, held, updateOf, type Kind, type State } from "../../support/state-specs.js";

/** The field that every generated schema has, to see afterwards whether it still works. */
export const PROBE = "probe";

const ODD_NAME = fc.constantFrom("", "0", "constructor", "toString", "__proto__", "é\ud800", "__overwrite__");

const WORD = fc.constantFrom<unknown[]>(
  "1",
  "__remove_all__",
  "remove",
  "ai",
  "user",
  "tool",
  "pending",
  "constructor",
  null,
  undefined,
  0,
  true,
);

/** Data of any shape, with the names that the core looks for. */
export const anything: fc.Arbitrary<unknown> = fc.anything({
  key: fc.constantFrom(
    "id",
    "type",
    "role",
    "content",
    "name",
    "status",
    "tool_calls",
    "kwargs",
    "lc",
    "value",
    "__overwrite__",
    "__proto__",
    "x",
  ),
  values: [WORD, WORD, fc.integer(), fc.double(), fc.string({ unit: "binary" }), fc.bigInt()],
  maxDepth: 3,
  maxKeys: 4,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** Reducers as users write them, and as they should not. */
const reducers: Record<string, (current: never, update: never) => unknown> = {
  gather,
  first: (current) => current,
  nothing: () => undefined,
  throwing() {
    throw new Error("no");
  },
  "throwing nothing"() {
    throw undefined;
  },
  "calling back"(_, update) {
    return [
      addMessages([], "hi").length,
      "error" in outcome(() => addMessages([], { type: "remove", id: "?" })),
      update,
    ];
  },
};

export interface Declared {
  kind: Kind;
  options: object;
  reducer: string;
}

const wrongOptions = fc.oneof(
  { weight: 30, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({ input: WORD, guard: WORD, rules: WORD, prefer: WORD, default: WORD }, { requiredKeys: [] }),
  },
);

const declared: fc.Arbitrary<Declared> = fc
  .tuple(fieldSpec, fc.constantFrom(...Object.keys(reducers)), wrongOptions)
  .map(([{ kind, options }, reducer, wrong]) => ({ kind, reducer, options: { ...options, ...wrong } }));

/** Fields of these names, and rarely of odd ones. */
export function declarations(...names: string[]): fc.Arbitrary<[string, Declared][]> {
  const name = fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: ODD_NAME });
  return fc.uniqueArray(fc.tuple(name, declared), { selector: ([name]) => name, minLength: 1, maxLength: 5 });
}

export function fieldsOf(declarations: [string, Declared][]): Record<string, Field<unknown>> {
  const make = field as unknown as Record<Kind, (...options: unknown[]) => Field<unknown>>;
  const fields = declarations.map(([name, { kind, options, reducer }]) => [
    name,
    kind === "reducer" ? make.reducer(reducers[reducer], { default: () => 0, ...options }) : make[kind](options),
  ]);
  return { ...Object.fromEntries(fields), [PROBE]: field.append() };
}

/** An object with values for some of the fields, by their kinds, or by none; rarely no object at all. */
function partial(
  declarations: [string, Declared][],
  fitting: (kind: Kind) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const absent = Symbol("absent");
  const values = declarations.map(([name, { kind }]) =>
    fc
      .oneof(
        { weight: 5, arbitrary: fitting(kind) },
        { weight: 2, arbitrary: anything },
        { weight: 1, arbitrary: anything.map((value) => ({ __overwrite__: value })) },
        { weight: 1, arbitrary: fc.array(anything, { maxLength: 3 }) },
        { weight: 2, arbitrary: fc.constant(absent) },
      )
      .map((value) => [name, value]),
  );
  const stranger = fc.option(anything, { nil: absent, freq: 3 }).map((value) => ["stranger", value]);
  const object = fc
    .tuple(...values, stranger)
    .map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== absent)) as State);
  return fc.oneof({ weight: 30, arbitrary: object as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: anything });
}

export const stateFor = (declarations: [string, Declared][]) => partial(declarations, (kind) => held[kind]);
export const updateFor = (declarations: [string, Declared][]) => partial(declarations, updateOf);
