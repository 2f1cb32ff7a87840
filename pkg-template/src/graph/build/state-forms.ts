// Accepts every declaration of a graph's state: a schema of threadfold, or any form of langgraph.js.
import { field, overwrite } from "../../state/fields.js";
import type { Schema } from "../../state/schema.js";
import { StateGraphInputError } from "./graph-errors.js";
import type { Values } from "../types.js";

/** A field as `defineSchema` takes it, with what langgraph.js knows besides. */
export interface DeclaredField {
  readonly kind: string;
  readonly input?: boolean | undefined;
  readonly output?: boolean | undefined;
  readonly private?: boolean | undefined;
  /** The initial value of a field with a reducer. */
  readonly default?: (() => unknown) | undefined;
  /** The initial value of a field that an update replaces, if a zod object gives one. */
  readonly begins?: (() => unknown) | undefined;
  /** For a DeltaChannel: after how many updates its value is saved whole. */
  readonly every?: number | undefined;
  /** Returns a value that is written to the field as it has to be. @throws for one that the field does not take. */
  readonly check?: ((value: unknown) => unknown) | undefined;
}

/** A state's fields, and the schema of threadfold that they come from. */
export interface Declared {
  readonly fields: Readonly<Record<string, DeclaredField>>;
  readonly schema?: Schema<unknown>;
  /** Checks and completes what a caller gives. */
  readonly parse?: (values: object) => object | Promise<object>;
  /** Checks the values written to these fields. */
  readonly check?: (update: Values) => Values | Promise<Values>;
}

/** Has updates checked. Returns a promise if that takes time. */
export function checkedAll(
  updates: readonly Values[],
  check: NonNullable<Declared["check"]>,
): readonly Values[] | Promise<readonly Values[]> {
  return all(updates.map(check));
}

/** Waits for those that take time. Returns the list itself if none does. */
function all<T>(given: readonly (T | Promise<T>)[]): readonly T[] | Promise<readonly T[]> {
  return given.some((one) => one instanceof Promise) ? Promise.all(given) : (given as readonly T[]);
}

/** Where `withLangGraph` of langgraph.js keeps the reducers of zod schemas: its `schemaMetaRegistry`. */
export interface ZodRegistry {
  get(schema: object): { reducer?: { fn: Reducer; schema?: object }; default?: () => unknown } | undefined;
}

type Reducer = (current: never, update: never) => unknown;
type DeltaReducer = (current: unknown, updates: unknown[]) => unknown;

/** A channel of langgraph.js. Only the fields that describe its behaviour are read. */
interface Channel {
  readonly lc_graph_name?: string;
  readonly operator?: Reducer;
  readonly initialValueFactory?: () => unknown;
  readonly guard?: boolean;
}

interface ZodObject {
  readonly shape: Readonly<Record<string, ZodField>>;
  extend(shape: object): ZodObject;
  partial(): ZodObject;
  parse(values: unknown): object;
}

interface ZodField {
  readonly "~standard"?: { validate(value: unknown): { issues?: unknown; value?: unknown } | Promise<unknown> };
  readonly lg_reducer_schema?: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isSchema = (value: object): value is Schema<unknown> =>
  "fields" in value && typeof (value as { step?: unknown }).step === "function";

const isZod = (value: object): value is ZodObject =>
  isObject((value as { shape?: unknown }).shape) && typeof (value as { parse?: unknown }).parse === "function";

const isStateSchema = (value: object): value is { getChannels(): Record<string, Channel>; validateInput: never } =>
  typeof (value as { getChannels?: unknown }).getChannels === "function";

/** Returns whether a value declares a state. */
export function isDeclaration(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false;
  if (isSchema(value as never) || isZod(value) || isStateSchema(value)) return true;
  if (value["lc_graph_name"] === "AnnotationRoot") return true;
  const parts = Object.values(value);
  return parts.length > 0 && parts.every((part) => typeof part === "function" || isChannel(part));
}

const isChannel = (value: unknown): value is Channel => isObject(value) && value["lg_is_channel"] === true;

/**
 * Returns the fields of a declaration in any form that a StateGraph accepts; undefined for anything but a declaration.
 *
 * @throws `StateGraphInputError` for a field of a kind that a StateGraph does not take.
 */
export const declaredFields = (declaration: unknown): Declared["fields"] | undefined =>
  isDeclaration(declaration) ? declared(declaration, false).fields : undefined;

/** Returns the fields that a declaration stands for. `whole` is whether a caller has to give all of them. */
export function declared(given: unknown, whole: boolean, registry?: ZodRegistry): Declared {
  if (!isObject(given)) throw new StateGraphInputError();
  if (isSchema(given as never)) {
    const schema = given as unknown as Schema<unknown>;
    const fields = schema.fields as Record<string, DeclaredField>;
    const check = checkOf(fields);
    return { fields, schema, ...(check && { parse: check as never, check }) };
  }
  if (isStateSchema(given)) {
    const parse = (values: object) => (given.validateInput as (values: object) => Promise<Values>).call(given, values);
    return { fields: ofChannels(given.getChannels()), parse, check: parse };
  }
  if (isZod(given)) return ofZod(given, whole, registry);
  const { spec, channels } = given as { spec?: object; channels?: object };
  if (given["lc_graph_name"] === "AnnotationRoot" && isObject(spec)) return { fields: ofChannels(spec) };
  if (isObject(channels)) return { fields: ofChannels(channels) };
  if (isDeclaration(given)) return { fields: ofChannels(given) };
  throw new StateGraphInputError();
}

/** Returns what checks an update of these fields; undefined if none of them checks. */
function checkOf(fields: Readonly<Record<string, DeclaredField>>): Declared["check"] {
  if (!Object.values(fields).some(({ check }) => check)) return undefined;
  return (update) => {
    const keys = Object.keys(update);
    const values = all(
      keys.map((key) => {
        const check = Object.hasOwn(fields, key) ? fields[key]?.check : undefined;
        return check ? check(update[key]) : update[key];
      }),
    );
    const checked = (values: readonly unknown[]) => Object.fromEntries(keys.map((key, at) => [key, values[at]]));
    return values instanceof Promise ? values.then(checked) : checked(values);
  };
}

function ofChannels(channels: object): Record<string, DeclaredField> {
  return Object.fromEntries(
    Object.entries(channels).map(([key, given]) => [
      key,
      ofChannel(key, typeof given === "function" ? given() : given),
    ]),
  );
}

function ofChannel(key: string, channel: unknown): DeclaredField {
  if (channel === null || channel === undefined) return field.replace() as DeclaredField;
  const { lc_graph_name: kind, operator, initialValueFactory: begins, guard } = channel as Channel;
  switch (kind) {
    case "LastValue":
      return { ...(field.replace() as DeclaredField), begins };
    case "BinaryOperatorAggregate":
      return field.reducer(operator as never, { default: begins as never }) as DeclaredField;
    case "DeltaChannel": {
      const { reducer, snapshotFrequency: every } = channel as Channel & {
        reducer: DeltaReducer;
        snapshotFrequency: number;
      };
      const one = (value: unknown, update: unknown) => reducer(value, [update]);
      return { ...(field.reducer(one as never, { default: begins as never }) as DeclaredField), every };
    }
    case "EphemeralValue":
      return field.ephemeral({ guard }) as DeclaredField;
    case "UntrackedValue":
      return { ...(field.untracked({ guard }) as DeclaredField), begins };
    case "AnyValue":
      return field.reducer((_: unknown, last: unknown) => last) as DeclaredField;
    case undefined: {
      const { reducer, value, default: initial } = channel as { reducer?: Reducer; value?: Reducer; default?: never };
      const by = reducer ?? value;
      if (by) return field.reducer(by as never, { default: initial }) as DeclaredField;
      return field.replace() as DeclaredField;
    }
    default:
      throw new StateGraphInputError(`The field '${key}' is a ${kind}, which a StateGraph does not take.`);
  }
}

function ofZod(zod: ZodObject, whole: boolean, registry: ZodRegistry | undefined): Declared {
  /** The update types of fields with reducers, where they differ from the values. */
  const reduced: Record<string, object> = {};
  const fields = Object.entries(zod.shape).map(([key, part]): [string, DeclaredField] => {
    const meta = registry?.get(part);
    if (meta?.reducer) {
      if (meta.reducer.schema) reduced[key] = meta.reducer.schema;
      return [key, field.reducer(meta.reducer.fn as never, { default: meta.default as never })] as never;
    }
    if (part.lg_reducer_schema && !registry)
      throw new StateGraphInputError(
        `The reducer of '${key}' is in langgraph.js: give new StateGraph(state, { registry: schemaMetaRegistry }).`,
      );
    return [key, { ...(field.replace() as DeclaredField), begins: meta?.default }];
  });
  const updates = Object.keys(reduced).length > 0 ? zod.extend(reduced) : zod;
  const [values, some] = [zod.partial(), updates.partial()];
  const taken = whole ? updates : some;
  const check = (update: Values): Values => {
    const checked: Record<string, unknown> = { ...update };
    for (const [key, value] of Object.entries(update)) {
      if (!Object.hasOwn(zod.shape, key)) continue;
      const isWhole = isObject(value) && "__overwrite__" in value;
      const parsed = (isWhole ? values : some).parse({ [key]: isWhole ? value["__overwrite__"] : value }) as Values;
      if (key in parsed) checked[key] = isWhole ? overwrite(parsed[key]) : parsed[key];
    }
    return checked;
  };
  return { fields: Object.fromEntries(fields), parse: (given) => taken.parse(given), check };
}
