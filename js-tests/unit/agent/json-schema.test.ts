// Arguments and answers checked against JSON Schema, compared with ajv.
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { ThreadfoldError } from "threadfold";
import { createAgent, tool } from "threadfold/agent";
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { scripted } from "./records.js";

const FITS = "It fits.";

/**
 * Returns what the model receives when it calls a tool with each of the values. `schema` is that of the argument `v`.
 */
async function told(schema: unknown, values: readonly unknown[], defs: object = {}): Promise<string[]> {
  const parameters = { type: "object", properties: { v: schema }, required: ["v"], $defs: defs };
  const calls = values.map((v, at) => ({ name: "take", args: { v }, id: `c${at}` }));
  const agent = createAgent({
    model: scripted([{ content: "", tool_calls: calls }]),
    tools: [tool({ name: "take", schema: parameters, run: () => FITS })],
  });
  const { messages } = await agent.invoke({ messages: "Go." });
  return messages.filter(({ type }) => type === "tool").map(({ content }) => content as string);
}

/** The lines about one value: none if it fits. */
async function problems(schema: unknown, value: unknown, defs?: object): Promise<string[]> {
  const [said = ""] = await told(schema, [value], defs);
  return said === FITS ? [] : (/with error:\n (.*)\n Please fix/s.exec(said)?.[1] ?? said).split("\n");
}

const KEYS = ["x", "y", "a.b", "n"];
const scalar = fc.constantFrom<unknown>("a", "b", "", 0, 1, 2, 0.5, -1, true, false, null);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const DEFINITIONS = 3;
const TYPES = ["string", "number", "integer", "boolean", "array", "object", "null"];
const refTo = (number: number) => ({ $ref: `#/$defs/d~1${number}` });

/** A schema. `from`: the first definition that it may refer to at once; below a key or an item it may refer to any. */
function schemaFrom(from: number, depth: number): fc.Arbitrary<unknown> {
  const below = () => (depth > 2 ? fc.constant({}) : schemaFrom(0, depth + 1));
  const beside = () => (depth > 2 ? fc.constant(true) : schemaFrom(from, depth + 1));
  const some = (one: fc.Arbitrary<unknown>) => fc.array(one, { minLength: 1, maxLength: 3 });
  const distinct = (one: fc.Arbitrary<unknown>) =>
    fc.uniqueArray(one, { minLength: 1, maxLength: 3, selector: (value) => JSON.stringify(value) });
  const type = fc.oneof(fc.constantFrom(...TYPES), fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1 }));
  const parts: Record<string, fc.Arbitrary<unknown>> = {
    type,
    enum: distinct(json),
    const: json,
    properties: fc.dictionary(fc.constantFrom(...KEYS), below(), { maxKeys: 3, noNullPrototype: true }),
    required: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 2 }),
    items: below(),
    prefixItems: some(below()),
    anyOf: some(beside()),
    oneOf: some(beside()),
    allOf: some(beside()),
    ...(from < DEFINITIONS && { $ref: fc.integer({ min: from, max: DEFINITIONS - 1 }).map((n) => refTo(n).$ref) }),
  };
  const keyword = fc.constantFrom(...Object.keys(parts));
  const whole = fc.uniqueArray(keyword, { minLength: 1, maxLength: 2 }).chain((keys) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, parts[key] as fc.Arbitrary<unknown>])), {
      noNullPrototype: true,
    }),
  );
  return fc.oneof({ weight: 12, arbitrary: whole }, { weight: 1, arbitrary: fc.boolean() });
}

test("the same values fit as ajv takes", async () => {
  const definitions = fc.tuple(...Array.from({ length: DEFINITIONS }, (_, at) => schemaFrom(at + 1, 1)));
  let fitting = 0;
  let all = 0;
  await fc.assert(
    fc.asyncProperty(
      schemaFrom(0, 0),
      definitions,
      fc.array(json, { minLength: 8, maxLength: 8 }),
      async (v, of, values) => {
        const $defs = Object.fromEntries(of.map((schema, at) => [`d/${at}`, schema]));
        const whole = { type: "object", properties: { v }, required: ["v"], $defs };
        const validate = new Ajv2020({ strict: false, logger: false }).compile(whole);
        const expected = values.map((value) => validate({ v: value }));
        const came = await told(v, values, $defs);
        expect(came.map((said) => said === FITS)).toEqual(expected);
        all += values.length;
        fitting += expected.filter(Boolean).length;
      },
    ),
    seeded("JSON Schema", 600),
  );
  console.log(`${fitting} of ${all} values fit`);
  expect(fitting / all).toBeGreaterThan(0.1);
  expect(fitting / all).toBeLessThan(0.9);
});

test("problems are reported in pydantic's words, with their places", async () => {
  const text = { type: "string" };
  expect(await problems({ anyOf: [text, { type: "null" }] }, 1)).toEqual(["v: Input should be a valid string"]);
  expect(await problems({ anyOf: [text, { type: "integer" }] }, null)).toEqual([
    "v: Input should be a valid string",
    "v: Input should be a valid integer",
  ]);
  expect(await problems({ oneOf: [text, { enum: ["a", "b"] }] }, "a")).toEqual([
    "v: Input should fit one of the schemas, not several",
  ]);
  expect(await problems({ const: "a" }, "b")).toEqual(["v: Input should be 'a'"]);
  expect(await problems({ enum: [1, "a", { x: [1] }] }, { x: [2] })).toEqual([
    `v: Input should be 1, 'a' or {"x":[1]}`,
  ]);
  expect(await problems({ enum: [{ x: 1, y: [2] }] }, { y: [2], x: 1 })).toEqual([]);
  expect(await problems({ type: "array", items: { type: "array", items: text } }, [["a"], ["b", 1]])).toEqual([
    "v.1.1: Input should be a valid string",
  ]);
  const node = { type: "object", properties: { next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } } };
  expect(await problems({ $ref: "#/$defs/node" }, { next: { next: { next: 1 } } }, { node })).toEqual([
    "v.next.next.next: Input should be a valid dictionary",
  ]);
  expect(await problems({ allOf: [{ required: ["x"] }, { required: ["x", "y"] }] }, {})).toEqual([
    "v.x: Field required",
    "v.y: Field required",
  ]);
  expect(await problems({ properties: { x: false } }, { x: 1 })).toEqual(["v.x: Input is not permitted"]);
  // A tuple as it was written before `prefixItems`.
  expect(await problems({ items: [text, { type: "integer" }] }, ["a", "b", "c"])).toEqual([
    "v.1: Input should be a valid integer",
  ]);
  const many = { type: "array", items: text };
  expect(await problems(many, Array(1000).fill(1))).toHaveLength(20);
});

test("unknown keywords and references elsewhere in a schema are for the model", async () => {
  for (const schema of [{ $ref: "https://example.com/a.json" }, { $ref: "#anchor" }, { type: "money" }, { minimum: 3 }])
    expect(await problems(schema, 1)).toEqual([]);
});

/** Doubles with each definition. */
const doubling = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { allOf: [next, next], anyOf: [next, next] }];
  }),
);
const nested = (levels: number, around: (inner: unknown) => unknown) => {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = around(value);
  return value;
};

test.each<[string, unknown, object?, unknown?]>([
  ["refers to itself", { $ref: "#/$defs/a" }, { a: { $ref: "#/$defs/a" } }],
  [
    "leads in a circle",
    { $ref: "#/$defs/a" },
    { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { allOf: [{ $ref: "#/$defs/a" }] } },
  ],
  ["doubles", { $ref: "#/$defs/d0" }, { ...doubling, d60: {} }],
  [
    "doubles below keys",
    { $ref: "#/$defs/a" },
    {
      a: {
        anyOf: [
          { properties: { x: { $ref: "#/$defs/a" } }, required: ["no"] },
          { properties: { x: { $ref: "#/$defs/a" } }, required: ["no"] },
        ],
      },
    },
    nested(100, (x) => ({ x })),
  ],
  ["is too deep", nested(100_000, (one) => ({ anyOf: [one] }))],
  [
    "has a value that is too deep",
    { $ref: "#/$defs/a" },
    { a: { items: { $ref: "#/$defs/a" } } },
    nested(5000, (one) => [one]),
  ],
  ["has a deep choice", { const: nested(100_000, (one) => [one]) }, {}, nested(100_000, (one) => [one])],
  ["refers to nothing", { $ref: "#/$defs/no" }],
  ["refers to what objects inherit", { $ref: "#/$defs/__proto__" }],
  ["refers in no way", { $ref: "#/%E0%A4%A" }],
  ["has no list", { anyOf: {} }],
  ["has no list of choices", { enum: "a" }],
  ["has no schema", { allOf: [null] }],
  ["has no fields", { properties: null }, {}, {}],
  [
    "throws",
    {
      get type(): never {
        throw new Error("Not now.");
      },
    },
  ],
])("a schema that %s is an error with a code", async (_, schema, defs = {}, value = 1) => {
  const error: unknown = await told(schema, [value], defs).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ThreadfoldError);
  expect(["INVALID_ARGUMENT", "UNREADABLE_VALUE"]).toContain((error as ThreadfoldError).code);
});
