// The arguments of a tool and the answer of a model, held against their schema: JSON Schema, or one of zod, Valibot, ….
import { ThreadfoldError } from "../errors.js";
import type { Fields } from "./message.js";

/** A schema of the Standard Schema kind: zod's, Valibot's, ArkType's. */
export interface StandardSchema<T = unknown> {
  readonly "~standard": {
    validate(value: unknown): Checked<T> | Promise<Checked<T>>;
    readonly jsonSchema?: { input(options: { target: string }): object } | undefined;
    readonly types?: { readonly output: T } | undefined;
  };
  toJSONSchema?(): object;
}

type Checked<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** JSON Schema, or a schema of the Standard Schema kind. */
export type AnySchema<T = unknown> = object | StandardSchema<T>;

const isStandard = (schema: object): schema is StandardSchema => "~standard" in schema;

/** Makes the JSON Schema of an object, of the schemas of its fields. */
export const objectSchema = (required: object, optional: object = {}) => ({
  type: "object",
  properties: { ...required, ...optional },
  required: Object.keys(required),
});

/** Returns the schema as JSON Schema, for a model. */
export function jsonSchemaOf(schema: AnySchema | undefined, name: string): object {
  if (!schema) return { type: "object", properties: {} };
  if (!isStandard(schema)) return schema;
  const json = schema["~standard"].jsonSchema?.input({ target: "draft-07" }) ?? schema.toJSONSchema?.();
  if (json) return json;
  throw new ThreadfoldError("INVALID_VALUE", `The schema of '${name}' cannot say itself as JSON Schema: give that.`);
}

/** Returns the value as the schema has it, or a line for each problem. At once for JSON Schema. */
export function check(schema: AnySchema | undefined, value: unknown): Outcome | Promise<Outcome> {
  if (!schema) return { value };
  if (isStandard(schema)) return validated(schema, value);
  const problems = problemsOf(schema as Fields, value, "");
  return problems.length > 0 ? problems : { value };
}
type Outcome = { value: unknown } | string[];

async function validated(schema: StandardSchema, value: unknown): Promise<Outcome> {
  const came = await schema["~standard"].validate(value);
  if (!came.issues) return { value: came.value };
  return came.issues.map(({ message, path }) => line((path ?? []).map(keyOf).join("."), message));
}

const keyOf = (part: unknown) => String(typeof part === "object" && part !== null ? (part as Fields)["key"] : part);
const line = (path: string, message: string) => (path ? `${path}: ${message}` : message);

type Kind = readonly [is: (value: unknown) => boolean, name: string];
const KINDS: Readonly<Record<string, Kind>> = {
  string: [(value) => typeof value === "string", "string"],
  number: [(value) => typeof value === "number", "number"],
  integer: [Number.isInteger, "integer"],
  boolean: [(value) => typeof value === "boolean", "boolean"],
  array: [Array.isArray, "list"],
  object: [(value) => typeof value === "object" && value !== null && !Array.isArray(value), "dictionary"],
  null: [(value) => value === null, "null"],
};

/** What of JSON Schema a model gets wrong: kinds, missing fields, enums; in the words that pydantic has for it. */
function problemsOf(schema: Fields, value: unknown, path: string): string[] {
  const {
    type,
    properties,
    required,
    items,
    enum: names,
  } = schema as {
    type?: unknown;
    properties?: Record<string, Fields>;
    required?: readonly string[];
    items?: Fields;
    enum?: readonly unknown[];
  };
  if (names && !names.includes(value)) {
    const all = names.map((name) => `'${String(name)}'`);
    const last = all.pop();
    return [line(path, `Input should be ${all.length > 0 ? `${all.join(", ")} or ${last}` : last}`)];
  }
  const kinds = [type]
    .flat()
    .flatMap((one) => (Object.hasOwn(KINDS, String(one)) ? [KINDS[one as string] as Kind] : []));
  const [usual] = kinds;
  if (usual && !kinds.some(([is]) => is(value))) return [line(path, `Input should be a valid ${usual[1]}`)];
  const below = (key: string | number) => (path ? `${path}.${key}` : String(key));
  if (Array.isArray(value)) return items ? value.flatMap((item, at) => problemsOf(items, item, below(at))) : [];
  if (typeof value !== "object" || value === null || !properties) return [];
  const own = value as Fields;
  return Object.entries(properties).flatMap(([key, one]) => {
    if (Object.hasOwn(own, key)) return problemsOf(one, own[key], below(key));
    return required?.includes(key) ? [`${below(key)}: Field required`] : [];
  });
}
