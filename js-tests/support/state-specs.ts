// Generated schemas, states and updates that fit them.
import * as fc from "fast-check";
import { defineSchema, field, type Field, type Schema } from "threadfold";

export type Kind =
  "messages" | "tools" | "todos" | "files" | "replace" | "append" | "merge" | "ephemeral" | "untracked" | "reducer";
export type State = Record<string, unknown>;
export type AnySchema = Schema<Record<string, Field<unknown>>>;

export interface FieldSpec {
  kind: Kind;
  options: { input?: boolean; output?: boolean; private?: boolean; guard?: boolean; rules?: string; prefer?: string };
}

export type SchemaSpec = Record<string, FieldSpec>;

const flag = fc.boolean();
const visibility = { input: flag, output: flag, private: fc.constant(false) };
const options: Record<Kind, fc.Arbitrary<FieldSpec["options"]>> = {
  messages: fc.record({ ...visibility, rules: fc.constantFrom("langgraph", "deepagents") }, { requiredKeys: [] }),
  tools: fc.record({ ...visibility, prefer: fc.constantFrom("first", "last") }, { requiredKeys: [] }),
  todos: fc.record(visibility, { requiredKeys: [] }),
  files: fc.record(visibility, { requiredKeys: [] }),
  replace: fc.record({ ...visibility, private: flag }, { requiredKeys: [] }),
  append: fc.record(visibility, { requiredKeys: [] }),
  merge: fc.record(visibility, { requiredKeys: [] }),
  ephemeral: fc.record({ ...visibility, guard: flag }, { requiredKeys: [] }),
  untracked: fc.record({ ...visibility, guard: flag }, { requiredKeys: [] }),
  reducer: fc.record(visibility, { requiredKeys: [] }),
};

export const KINDS = Object.keys(options) as Kind[];

export const fieldSpec: fc.Arbitrary<FieldSpec> = fc
  .constantFrom(...KINDS)
  .chain((kind) => options[kind].map((options) => ({ kind, options })));

export const schemaSpec: fc.Arbitrary<SchemaSpec> = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "e"), fieldSpec, {
  minKeys: 1,
  noNullPrototype: true,
});

/** The reducer of generated schemas: pure, and it takes any values. */
export function gather(current: unknown, update: unknown): unknown {
  return [current, update];
}

export function schemaOf(spec: SchemaSpec): AnySchema {
  const make = field as unknown as Record<Kind, (...options: unknown[]) => Field<unknown>>;
  const fields = Object.entries(spec).map(([name, { kind, options }]) => [
    name,
    kind === "reducer" ? make.reducer(gather, options) : make[kind](options),
  ]);
  return defineSchema(Object.fromEntries(fields));
}

const json = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown[]>(null, true, 0, 1, "", "s") },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown[]>([], {}, [1, { x: 1 }], { x: [{}] }).map((value) => structuredClone(value)),
  },
);
const id = fc.constantFrom("1", "2", "3");
const message = fc.record({ type: fc.constantFrom("human", "ai", "system"), id, content: fc.constantFrom("x", "y") });
const change = fc.oneof(
  { weight: 5, arbitrary: message as fc.Arbitrary<object> },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("remove"), id }) },
);
const tool = fc.record({ name: fc.constantFrom("p", "q", ""), description: fc.constantFrom("x", "y") });
const todo = fc.record({ content: fc.constantFrom("x", "y"), status: fc.constantFrom("pending", "completed") });
const path = fc.constantFrom("/a", "/b", "/c");
const file = fc.record({ content: fc.constantFrom("x", "y") });
const dictionary = fc.dictionary(fc.constantFrom("p", "q", "r"), json, { noNullPrototype: true });

/** A value that a field of this kind may hold. */
export const held: Record<Kind, fc.Arbitrary<unknown>> = {
  messages: fc.uniqueArray(message, { selector: ({ id }) => id }),
  tools: fc.uniqueArray(tool, { selector: ({ name }) => name }),
  todos: fc.array(todo, { maxLength: 3 }),
  files: fc.dictionary(path, file, { noNullPrototype: true }),
  replace: json,
  append: fc.array(json, { maxLength: 3 }),
  merge: dictionary,
  ephemeral: json,
  untracked: json,
  reducer: json,
};

const updates: Record<Kind, fc.Arbitrary<unknown>> = {
  ...held,
  messages: fc.oneof(fc.array(change, { maxLength: 4 }), change),
  files: fc.dictionary(path, fc.option(file), { noNullPrototype: true }),
};

const overwritten = (kind: Kind) => held[kind].map((value) => ({ __overwrite__: value }));
const REDUCED: Kind[] = ["messages", "tools", "files", "append", "merge", "reducer"];

/** An update of a field of this kind: its own form, or, where there is a reducer, an overwrite. */
export function updateOf(kind: Kind): fc.Arbitrary<unknown> {
  if (!REDUCED.includes(kind)) return updates[kind];
  return fc.oneof({ weight: 9, arbitrary: updates[kind] }, { weight: 1, arbitrary: overwritten(kind) });
}

function partial(spec: SchemaSpec, values: (kind: Kind) => fc.Arbitrary<unknown>): fc.Arbitrary<State> {
  const fields = Object.entries(spec).map(([name, { kind }]) => [name, values(kind)]);
  return fc.record(
    { ...Object.fromEntries(fields), stranger: json } as Record<string, fc.Arbitrary<unknown>>,
    {
      requiredKeys: [],
      noNullPrototype: true,
    } as never,
  );
}

export const partialState = (spec: SchemaSpec) => partial(spec, (kind) => held[kind]);
export const partialUpdate = (spec: SchemaSpec) => partial(spec, updateOf);
