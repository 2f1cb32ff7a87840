// A zod 3 schema as JSON Schema, for a model to read. zod itself checks the values.
import type { Fields } from "../message.js";

/** A schema of zod 3: its kind is in `_def.typeName`. */
interface Zod3 {
  readonly description?: string | undefined;
  readonly _def: Fields & { readonly typeName: string };
}

/** Whether it is a schema of zod 3, which has no JSON Schema form of its own. */
export const isZod3 = (schema: object): schema is Zod3 =>
  typeof (schema as { _def?: { typeName?: unknown } })._def?.typeName === "string";

/** Returns the schema as JSON Schema. A kind that JSON Schema cannot express permits any value. */
export function zod3JsonSchema(schema: Zod3): object {
  const { _def: def, description } = schema;
  const json = KINDS[def.typeName]?.(def) ?? {};
  return description === undefined ? json : { ...json, description };
}

const of = (def: Fields, key: string) => zod3JsonSchema(def[key] as Zod3);
const all = (schemas: unknown) => [...(schemas as Iterable<Zod3>)].map(zod3JsonSchema);
const inner = (def: Fields) => of(def, "innerType");

const KINDS: Readonly<Record<string, (def: Fields) => object>> = {
  ZodString: () => ({ type: "string" }),
  ZodNumber: ({ checks }) => ({
    type: (checks as Fields[]).some(({ kind }) => kind === "int") ? "integer" : "number",
  }),
  ZodBoolean: () => ({ type: "boolean" }),
  ZodNull: () => ({ type: "null" }),
  ZodLiteral: ({ value }) => ({ const: value }),
  ZodEnum: ({ values }) => ({ enum: values }),
  // A TypeScript enum of numbers has its names as values, too.
  ZodNativeEnum: ({ values }) => ({
    enum: Object.entries(values as object).flatMap(([key, value]) =>
      typeof (values as Fields)[value as string] === "number" && !Number.isNaN(Number(key)) ? [] : [value as unknown],
    ),
  }),
  ZodArray: (def) => ({ type: "array", items: of(def, "type") }),
  ZodTuple: ({ items }) => ({ type: "array", prefixItems: all(items) }),
  ZodRecord: (def) => ({ type: "object", additionalProperties: of(def, "valueType") }),
  ZodUnion: ({ options }) => ({ anyOf: all(options) }),
  ZodDiscriminatedUnion: ({ options }) => ({ anyOf: all(options) }),
  ZodIntersection: (def) => ({ allOf: [of(def, "left"), of(def, "right")] }),
  ZodObject: ({ shape }) => {
    const fields = Object.entries((shape as () => Record<string, Zod3 & { isOptional(): boolean }>)());
    return {
      type: "object",
      properties: Object.fromEntries(fields.map(([key, field]) => [key, zod3JsonSchema(field)])),
      required: fields.filter(([, field]) => !field.isOptional()).map(([key]) => key),
    };
  },
  ZodOptional: inner,
  ZodDefault: inner,
  ZodCatch: inner,
  ZodReadonly: inner,
  ZodNullable: (def) => ({ anyOf: [inner(def), { type: "null" }] }),
  ZodEffects: (def) => of(def, "schema"),
  ZodBranded: (def) => of(def, "type"),
  ZodPipeline: (def) => of(def, "in"),
};
