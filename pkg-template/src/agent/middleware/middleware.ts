import { ThreadfoldError } from "../../shared/errors.js";
import { defineSchema, type Schema, type Fields as SchemaFields, type StateOf } from "../../state/schema.js";
import { StateGraph } from "../../graph/state-graph.js";
import { checkOptions } from "../../shared/options.js";
import type {
  AgentState,
  Checked,
  FieldsOf,
  JumpTarget,
  Middleware,
  NodeHook,
  Runtime,
  StandardSchema,
  StateForm,
} from "../types.js";

/**
 * Makes a middleware: fields of the state, tools, and hooks around the loop of an agent, by the names that LangChain
 * gives them. `beforeAgent`, `beforeModel`, `afterModel` and `afterAgent` are nodes of the graph; `wrapModelCall` and
 * `wrapToolCall` are around what the nodes `model` and `tools` do.
 *
 * A hook that returns `jumpTo` goes another way, if it declares that: `{ canJumpTo: ["end"], hook }`.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a middleware without a name, and for hooks that there are not.
 *
 * @example
 * ```ts
 * import { createAgent, createMiddleware } from "threadfold/agent";
 *
 * const polite = createMiddleware({
 *   name: "Polite",
 *   wrapModelCall: (request, handler) => handler({ ...request, systemPrompt: "Be polite." }),
 *   beforeModel: {
 *     canJumpTo: ["end"],
 *     hook: ({ messages }) => (messages.length > 10 ? { jumpTo: "end" } : undefined),
 *   },
 * });
 * const model = async (messages: readonly { content: unknown }[]) => `I was told: ${String(messages[0]?.content)}`;
 * const { messages } = await createAgent({ model, middleware: [polite] }).invoke({ messages: "Hi" });
 * console.log(messages.at(-1)?.content); // I was told: Be polite.
 * ```
 */
export function createMiddleware<const S extends StateForm<SchemaFields> = Record<never, never>, Context = unknown>(
  middleware: Middleware<FieldsOf<S>, AgentState & StateOf<FieldsOf<S>>, Context> & {
    readonly stateSchema?: S | undefined;
  },
): Middleware<FieldsOf<S>> {
  return checked(middleware);
}

/** Returns a stack in which each given middleware replaces the one of its name. The others are appended. */
export function replacing(stack: readonly Middleware[], given: readonly Middleware[]): Middleware[] {
  const named = new Map(given.map((one) => [one?.name, one]));
  const names = new Set(stack.map(({ name }) => name));
  return [...stack.map((one) => named.get(one.name) ?? one), ...given.filter((one) => !names.has(one?.name))];
}

/** The name of `steeringMiddleware`. Its place is the first: a jump of it skips no other hook, as one that counts calls. */
const STEERING = "SteeringMiddleware";

/** Returns a stack in which what the user sends into a run passes every other middleware. */
export const steeringFirst = (stack: readonly Middleware[]): Middleware[] => [
  ...stack.filter(({ name }) => name === STEERING),
  ...stack.filter(({ name }) => name !== STEERING),
];

const PARTS = ["name", "stateSchema", "contextSchema", "tools"];
const HOOKS = ["beforeAgent", "beforeModel", "afterModel", "afterAgent", "wrapModelCall", "wrapToolCall"];

/** The mark of langchain.js middleware. */
const OF_LANGCHAIN = Symbol.for("AgentMiddleware");

/** Returns a middleware that has a name, and no hook that is misspelt. */
export function checked<M extends Middleware>(middleware: M): M {
  const { name } = middleware ?? {};
  if (typeof name !== "string" || name === "")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "Invalid middleware: it has no name. Give it a `name`: its nodes are called by it.",
    );
  if (OF_LANGCHAIN in middleware)
    console.warn(
      `${name} is a middleware of langchain.js, which looks for instances of messages and for langgraph.js: here it may do nothing. Take that of threadfold/agent, or make it with its createMiddleware.`,
    );
  // One of a class may have fields of its own.
  else if (Object.getPrototypeOf(middleware) === Object.prototype)
    checkOptions(`The middleware '${name}'`, middleware, [...PARTS, ...HOOKS]);
  return middleware;
}

/** The context of a hook, in the form of its middleware's `contextSchema`. */
export function withContext<R extends { readonly runtime: Runtime }>(
  { contextSchema: schema }: Middleware,
  given: R,
): R {
  const { runtime } = given;
  return schema ? { ...given, runtime: withOwn(runtime, { context: schema.parse(runtime.context ?? {}) }) } : given;
}

/** A copy of a runtime with properties of its own. */
export function withOwn<R extends Runtime>(runtime: R, own: object): R {
  // With the prototype that the context has: one of its own for each call takes engines long.
  return { __proto__: Object.getPrototypeOf(runtime) as object, ...runtime, ...own } as unknown as R;
}

const JUMPS: readonly JumpTarget[] = ["model", "tools", "end"];

type Run = Extract<NodeHook, (...args: never) => unknown>;

/** A hook's function, and where it may jump to. */
export function hookOf(hook: NodeHook): { run: Run; canJumpTo: readonly JumpTarget[] } {
  if (typeof hook === "function") return { run: hook, canJumpTo: [] };
  const { canJumpTo = [] } = hook;
  if (!Array.isArray(canJumpTo) || !canJumpTo.every((to) => JUMPS.includes(to as JumpTarget)))
    throw new ThreadfoldError("INVALID_ARGUMENT", "canJumpTo: expected a list of 'model', 'tools' and 'end'.");
  return { run: hook.hook, canJumpTo };
}

/** The fields that every agent has: LangChain's forms may declare them again. */
const EVERY = new Set(["messages", "jumpTo", "structuredResponse"]);

/**
 * The schema of a middleware. It may be bare fields, or a form of langgraph.js. In the latter, a name with `_` in front
 * is private, and a zod field starts with its default.
 */
export function schemaOf(schema: StateForm<SchemaFields>): Schema<SchemaFields> {
  if (typeof (schema as Partial<Schema<SchemaFields>>).step === "function") return schema as Schema<SchemaFields>;
  const { shape } = schema as { shape?: Readonly<Record<string, ZodField>> };
  const zod = shape && Object.fromEntries(Object.entries(shape).filter(([key]) => !EVERY.has(key)));
  for (const [key, part] of Object.entries(zod ?? {}))
    if (part.lg_reducer_schema)
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `Only langgraph.js knows the reducer of '${key}': declare the field with field.reducer, or in a StateSchema.`,
      );
  // Only the shape of a zod object is read.
  const declared = StateGraph.declaredFields(zod ? { shape: zod, parse: () => schema, partial: () => schema } : schema);
  if (!declared) return defineSchema(schema as SchemaFields);
  const fields = Object.entries(declared).flatMap(([key, one]) => {
    const begins = one.begins ?? defaultOf(zod?.[key]);
    const check = fieldCheck(schema, key, zod?.[key]);
    return EVERY.has(key) ? [] : [[key, { ...one, begins, check, private: one.private ?? key.startsWith("_") }]];
  });
  return defineSchema(Object.fromEntries(fields) as SchemaFields);
}

/** A field of a zod object. One with a reducer of `withLangGraph` is marked so. */
type ZodField = StandardSchema & { readonly lg_reducer_schema?: unknown };

/** Checks values written to a field of a zod object or of a `StateSchema`, as LangChain does. */
function fieldCheck(
  schema: object,
  key: string,
  field: ZodField | undefined,
): ((value: unknown) => unknown) | undefined {
  if (field) {
    const taken = (checked: Checked<unknown>) => {
      if (!checked.issues) return checked.value;
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `Validation failed for field "${key}": ${JSON.stringify(checked.issues)}`,
      );
    };
    return (value) => {
      const came = field["~standard"].validate(value);
      return came instanceof Promise ? came.then(taken) : taken(came);
    };
  }
  const { validateInput } = schema as { validateInput?(values: object): Promise<Readonly<Record<string, unknown>>> };
  return validateInput && (async (value) => (await validateInput.call(schema, { [key]: value }))[key]);
}

/** The default of a zod field. */
function defaultOf(field: StandardSchema | undefined): (() => unknown) | undefined {
  const make = () => (field?.["~standard"].validate(undefined) as { value?: unknown } | undefined)?.value;
  return make() === undefined ? undefined : make;
}
