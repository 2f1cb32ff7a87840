import { checkOptions } from "../shared/options.js";
import { reading } from "../shared/reading.js";
import type { FileData } from "./files.js";
import type { LangChainMessage, MessageOptions, MessagesUpdate } from "./messages.js";
import type { Todo } from "./todos.js";
import type { MergeToolsOptions, Tool } from "./tools.js";

/** The options of every field: who may give its value to a run, and who sees it in a run's result. */
export interface FieldOptions {
  /** Whether a caller may give it; else {@link Schema.input} drops it. Default true. */
  input?: boolean | undefined;
  /** Whether a result shows it; else {@link Schema.output} drops it. Default true. */
  output?: boolean | undefined;
  /** Neither: only the graph's own nodes read and write it. Default false. */
  private?: boolean | undefined;
}

/** Says how many writes a field takes in one super-step. */
interface Guard {
  /** Whether a second write is an error; else the last one wins. Default true. */
  guard?: boolean | undefined;
}

declare const types: unique symbol;

/** One of the updates of a field that only the agent writes. Only for the type checker: there is no such value. */
// Not exported: so declarations of a user's schemas and agents write it out, and need no name for it.
type AgentOnly = { readonly "~agentOnly": never };

/** The options of a field that only the agent writes. */
type OfAgent = { readonly input: false } | { readonly private: true };

/** An update that a caller may not give. `unknown` would swallow the mark. */
type ByAgent<Update> = AgentOnly | (unknown extends Update ? {} | null | undefined : Update);

/** The fields of an update that a caller may give: those that are input. */
export type InputOf<U> = [AgentKeys<U>] extends [never] ? U : Omit<U, AgentKeys<U>>;

type AgentKeys<U> = { [K in keyof U]-?: IsAgentOnly<U[K]> extends true ? K : never }[keyof U];

type IsAgentOnly<Update> = 0 extends 1 & Update ? false : [Extract<Update, AgentOnly>] extends [never] ? false : true;

/**
 * A field of a schema: `Value` is what the state holds, `Update` what an update brings, and `Always` whether
 * an initial state has a value for it.
 */
export interface Field<Value, Update = Value, Always extends boolean = boolean> extends FieldOptions {
  readonly kind: string;
  /** Only for the type checker. */
  readonly [types]?: (update: Update) => [value: Value, always: Always];
}

/** Sets a field that has a reducer, whatever else one super-step writes to it. */
export interface Overwrite<T> {
  __overwrite__: T;
}

/**
 * Makes an update that sets a field past its reducer, as LangGraph's `Overwrite` does.
 *
 * @example
 * ```ts
 * import { defineSchema, field, overwrite } from "threadfold";
 *
 * const schema = defineSchema({ log: field.append<string>() });
 * console.log(schema.merge({ log: ["a"] }, { log: overwrite(["b"]) }).log); // [ 'b' ]
 * ```
 */
export function overwrite<T>(value: T): Overwrite<T> {
  return { __overwrite__: value };
}

type Reduced<Value, Update = Value> = Field<Value, Update | Overwrite<Value>, true>;

/**
 * Makes the fields of a schema, one function for each kind.
 *
 * @example
 * ```ts
 * import { defineSchema, field } from "threadfold";
 *
 * const schema = defineSchema({
 *   messages: field.messages(),
 *   todos: field.todos({ input: false }),
 *   budget: field.reducer((left: number, spent: number) => left - spent, { default: () => 100 }),
 * });
 * console.log(schema.merge({}, { budget: 30 }).budget); // 70
 * ```
 */
export const field = {
  /** Messages, folded by {@link addMessages}. */
  messages: <M extends object = LangChainMessage>(options?: FieldOptions & MessageOptions) =>
    declared<Reduced<M[], MessagesUpdate<M>>>("messages", options, ["rules"]),
  /** Tools, folded by {@link mergeTools}. */
  tools: of("tools", ["prefer"]) as {
    <T extends object = Tool>(options: OfAgent & MergeToolsOptions): Reduced<T[], ByAgent<readonly T[]>>;
    <T extends object = Tool>(options?: FieldOptions & MergeToolsOptions): Reduced<T[], readonly T[]>;
  },
  /** A todo list, replaced whole by {@link replaceTodos}; one write a super-step. */
  todos: of("todos") as {
    (options: OfAgent & FieldOptions): Field<Todo[], ByAgent<readonly Todo[]>, true>;
    (options?: FieldOptions): Field<Todo[], readonly Todo[], true>;
  },
  /** Files by path, folded by {@link mergeFiles}. */
  files: of("files") as {
    <F = FileData>(options: OfAgent & FieldOptions): Reduced<Record<string, F>, ByAgent<FilesUpdate<F>>>;
    <F = FileData>(options?: FieldOptions): Reduced<Record<string, F>, FilesUpdate<F>>;
  },
  /** A value that an update replaces; one write a super-step. */
  replace: of("replace") as {
    <T = unknown>(options: OfAgent & FieldOptions): Field<T, ByAgent<T>, false>;
    <T = unknown>(options?: FieldOptions): Field<T, T, false>;
  },
  /** A list that updates add to. */
  append: of("append") as {
    <T = unknown>(options: OfAgent & FieldOptions): Reduced<T[], ByAgent<readonly T[]>>;
    <T = unknown>(options?: FieldOptions): Reduced<T[], readonly T[]>;
  },
  /** An object that updates are laid over. */
  merge: of("merge") as {
    <T extends object = Record<string, unknown>>(options: OfAgent & FieldOptions): Reduced<T, ByAgent<Partial<T>>>;
    <T extends object = Record<string, unknown>>(options?: FieldOptions): Reduced<T, Partial<T>>;
  },
  /** A value for the super-step after the one that wrote it. */
  ephemeral: of("ephemeral", ["guard"]) as {
    <T = unknown>(options: OfAgent & FieldOptions & Guard): Field<T, ByAgent<T>, false>;
    <T = unknown>(options?: FieldOptions & Guard): Field<T, T, false>;
  },
  /** A value that no checkpoint keeps. */
  untracked: of("untracked", ["guard"]) as {
    <T = unknown>(options: OfAgent & FieldOptions & Guard): Field<T, ByAgent<T>, false>;
    <T = unknown>(options?: FieldOptions & Guard): Field<T, T, false>;
  },
  /**
   * A value folded by your own function. Without a `default` the first write is the value, as in LangGraph. An
   * error that the function throws is the `cause` of a `REDUCER_FAILED`.
   */
  reducer: (<T, U = T>(
    reducer: (current: T, update: U) => T,
    options?: FieldOptions & { default?: (() => T) | undefined },
  ) => declared<Field<T, U | Overwrite<T>, false>>("reducer", options, ["default"], { reducer })) as ReducerField,
};

type FilesUpdate<F> = Readonly<Record<string, F | null>>;

/** With a `default` the state always has a value. */
interface ReducerField {
  <T, U = T>(
    reducer: (current: T, update: U) => T,
    options: OfAgent & FieldOptions & { default: () => T },
  ): Field<T, ByAgent<U | Overwrite<T>>, true>;
  <T, U = T>(
    reducer: (current: T, update: U) => T,
    options: FieldOptions & { default: () => T },
  ): Field<T, U | Overwrite<T>, true>;
  <T, U = T>(
    reducer: (current: T, update: U) => T,
    options: OfAgent & FieldOptions & { default?: undefined },
  ): Field<T, ByAgent<U | Overwrite<T>>, false>;
  <T, U = T>(
    reducer: (current: T, update: U) => T,
    options?: FieldOptions & { default?: (() => T) | undefined },
  ): Field<T, U | Overwrite<T>, false>;
}

/** Makes the function of `field` for a kind, whose options are those of {@link FieldOptions} and `own`. */
function of(kind: string, own: readonly string[] = []) {
  return (options?: object) => declared<never>(kind, options, own);
}

const VISIBILITY = ["input", "output", "private"] as const satisfies readonly (keyof FieldOptions)[];

function declared<F>(kind: string, options: object | undefined, own: readonly string[], more?: object): F {
  checkOptions(`field.${kind}`, options, [...VISIBILITY, ...own]);
  return reading(() => ({ ...options, ...more, kind }) as F, "the options of a field");
}
