// The arguments of a tool and the answer of a model, held against their schema: JSON Schema, or one of zod, Valibot, ….
import { ThreadfoldError } from "../../shared/errors.js";
import { reading } from "../../shared/reading.js";
import { JsonChecks, line } from "./json-schema.js";
import { isZod3, zod3JsonSchema } from "./zod-3.js";
import type { Fields } from "../message.js";
import type { AnySchema, StandardSchema } from "../types.js";

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
  if (isZod3(schema)) return zod3JsonSchema(schema);
  const json = schema["~standard"].jsonSchema?.input({ target: "draft-07" }) ?? schema.toJSONSchema?.();
  if (json) return json;
  throw new ThreadfoldError(
    "INVALID_ARGUMENT",
    `The schema of '${name}' has no JSON Schema form. Give it as JSON Schema.`,
  );
}

/**
 * Returns the value as the schema has it, or a line for each problem. At once for JSON Schema.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, `UNREADABLE_VALUE` for JSON Schema that nothing can be held against.
 */
export function check(schema: AnySchema | undefined, value: unknown): Outcome | Promise<Outcome> {
  if (!schema) return { value };
  if (isStandard(schema)) return validated(schema, value);
  const problems = reading(() => new JsonChecks(schema).problems(value));
  return problems.length > 0 ? problems : { value };
}
type Outcome = { value: unknown } | string[];

async function validated(schema: StandardSchema, value: unknown): Promise<Outcome> {
  const came = await schema["~standard"].validate(value);
  if (!came.issues) return { value: came.value };
  return came.issues.map(({ message, path }) => line((path ?? []).map(keyOf).join("."), message));
}

const keyOf = (part: unknown) => String(typeof part === "object" && part !== null ? (part as Fields)["key"] : part);
