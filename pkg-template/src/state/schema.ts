import * as core from "#core";
import * as APPLY from "../../generated/numbers/apply.js";
import { schemaOf } from "./declaration.js";
import { ThreadfoldError } from "../shared/errors.js";
import { overwrite, type Field, type FieldOptions } from "./fields.js";
import { pageFields, type PageState } from "./page-state.js";

/** The fields of a schema by name, each a {@link Field}. */
export type Fields = Readonly<Record<string, FieldOptions & { readonly kind: string }>>;

type ValueOf<F> = F extends Field<infer Value, never> ? Value : never;
type UpdateOf<F> = F extends Field<unknown, infer Update> ? Update : never;
type AlwaysKeys<F> = { [K in keyof F]: F[K] extends Field<unknown, never, true> ? K : never }[keyof F];

/** The state of a schema's fields: those with a natural empty value are always there. */
export type StateOf<F> = { [K in AlwaysKeys<F>]: ValueOf<F[K]> } & {
  [K in Exclude<keyof F, AlwaysKeys<F>>]?: ValueOf<F[K]>;
};

/** A partial update of a state of these fields. */
export type UpdatesOf<F> = { [K in keyof F]?: UpdateOf<F[K]> | undefined };

/** The state type of a schema: `InferState<typeof schema>`. */
export type InferState<S> = S extends Schema<infer F> ? StateOf<F> : never;

/** The update type of a schema: `InferUpdate<typeof schema>`. */
export type InferUpdate<S> = S extends Schema<infer F> ? UpdatesOf<F> : never;

/**
 * Says of each field of a state how it takes updates, how long it lives and who sees it. Make one with
 * {@link defineSchema}.
 *
 * The results of a schema share with the state whatever an update did not change. It never changes an argument.
 */
export class Schema<F> {
  readonly fields: F;
  /** Only for the type checker: there is no such value. */
  declare readonly "~state"?: StateOf<F>;
  /** Only for the type checker: there is no such value. */
  declare readonly "~update"?: UpdatesOf<F>;
  #raw: core.RawSchema | undefined;
  /** How many calls are under way: a reducer or a getter may come back here. */
  #calls = 0;

  /** @internal */
  constructor(fields: F, raw = schemaOf(fields)) {
    this.fields = fields;
    this.#raw = raw;
  }

  /**
   * Returns the state before any update: an empty list or object for every field that has one, and what the `default`
   * of a {@link field.reducer} returns. Each call makes a new one.
   *
   * @throws what a `default` throws.
   */
  initial(): StateOf<F> {
    const empty: Record<string, () => unknown> = {
      messages: () => [],
      tools: () => [],
      todos: () => [],
      append: () => [],
      files: () => ({}),
      merge: () => ({}),
    };
    const fields = Object.entries(this.fields as Record<string, { kind: string; default?: () => unknown }>);
    return Object.fromEntries(
      fields.flatMap(([key, { kind, default: own }]) => {
        const make = own ?? empty[kind];
        return make ? [[key, make()]] : [];
      }),
    ) as StateOf<F>;
  }

  /**
   * Folds one partial update into the state, field by field, and returns the new state. Leaves fields alone that the
   * update or the schema does not have. `{ key: undefined }` is a write, as in langgraph.js: a field that replaces then
   * has no value, and a reducer is called with it.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT`, and what the fields' reducers throw.
   */
  merge<S extends Partial<StateOf<F>>, U extends UpdatesOf<F>>(
    state: S,
    update: U,
  ): S & { [K in keyof U & keyof StateOf<F>]: Exclude<StateOf<F>[K], undefined> } {
    return this.#call((raw) => raw.apply(APPLY.merge, core.hold(state), core.hold(update)));
  }

  /**
   * Folds one super-step, in which several writers each gave an update, and returns the new state. Follows the rules of
   * LangGraph's channels. A field without a reducer accepts one write. An ephemeral one without a write is cleared. An
   * {@link Overwrite} sets a field whatever else was written.
   *
   * @throws {@link ThreadfoldError} `CONCURRENT_UPDATE`, `INVALID_ARGUMENT`, and what the fields'
   *   reducers throw.
   */
  step<S extends Partial<StateOf<F>>>(state: S, updates: readonly UpdatesOf<F>[]): S & Partial<StateOf<F>> {
    return this.#call((raw) => raw.apply(APPLY.step, core.hold(state), core.hold(updates)));
  }

  /**
   * Returns the caller's values that a run accepts, and the keys that it drops: those that are not input, and those
   * that the schema lacks.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but an object.
   */
  input<T extends object>(values: T): { values: Partial<T>; dropped: string[] } {
    return this.#call((raw) => raw.apply(APPLY.input, core.hold(values), 0));
  }

  /**
   * Returns what a run's result shows of a state, and the keys that it drops.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but an object.
   */
  output<T extends object>(state: T): { values: Partial<T>; dropped: string[] } {
    return this.#call((raw) => raw.apply(APPLY.output, core.hold(state), 0));
  }

  /**
   * Returns what a checkpoint keeps of a state: all but the untracked fields.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but an object.
   */
  checkpoint<T extends object>(state: T): { values: Partial<T>; dropped: string[] } {
    return this.#call((raw) => raw.apply(APPLY.checkpoint, core.hold(state), 0));
  }

  /** Whether `dispose` was called. */
  get isDisposed(): boolean {
    return this.#raw === undefined;
  }

  /** Frees the WebAssembly memory. Every later call throws `DISPOSED`. You need not: it is freed when collected. */
  dispose(): void {
    const raw = this.#raw;
    this.#raw = undefined;
    if (this.#calls === 0) raw?.free();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal */
  static combine(schemas: readonly Schema<unknown>[]): Schema<unknown> {
    const raws = schemas.map((schema) => Schema.handle(schema));
    const raw = core.call(() => new core.RawSchema());
    try {
      for (const next of raws) core.call(() => raw.extend(next));
    } catch (error) {
      raw.free();
      throw error;
    }
    return new Schema(Object.assign({}, ...schemas.map((schema) => schema.fields)), raw);
  }

  /**
   * Returns what a thread starts with, for the core to fold. A reducer of the caller's own does not add it to its
   * default.
   *
   * @internal
   */
  static start(schema: Schema<unknown> | undefined, values: object | undefined): object {
    const start: Record<string, unknown> = { ...schema?.initial(), ...values };
    for (const [key, { kind }] of Object.entries((schema?.fields ?? {}) as Fields)) {
      if (kind === "reducer" && Object.hasOwn(start, key)) start[key] = overwrite(start[key]);
    }
    return start;
  }

  /** @internal */
  static handle(schema: Schema<unknown>): core.RawSchema {
    if (!(typeof schema === "object" && schema !== null && #raw in schema)) {
      throw new ThreadfoldError("INVALID_ARGUMENT", "Invalid schema: make it by defineSchema.");
    }
    return schema.#live();
  }

  #call<T>(use: (raw: core.RawSchema) => number): T {
    const raw = this.#live();
    this.#calls++;
    try {
      return core.call(() => core.value(use(raw)) as T, raw);
    } finally {
      // A getter or reducer that it called has freed it.
      if (--this.#calls === 0 && !this.#raw) raw.free();
    }
  }

  #live(): core.RawSchema {
    if (this.#raw) return this.#raw;
    throw new ThreadfoldError("DISPOSED", "This Schema was disposed.");
  }
}

/**
 * Makes a schema of these fields, and the types of its states and updates from theirs.
 *
 * @throws {@link ThreadfoldError} `INVALID_SCHEMA`, `INVALID_ARGUMENT`, `FORBIDDEN_KEY`.
 *
 * @example
 * ```ts
 * import { defineSchema, field } from "threadfold";
 *
 * const schema = defineSchema({ messages: field.messages(), todos: field.todos({ input: false }) });
 * const state = schema.merge(schema.initial(), { messages: "Plan my day" });
 * const { values, dropped } = schema.input({ messages: "hi", todos: [] });
 * console.log(state.messages.length, Object.keys(values), dropped); // 1 [ 'messages' ] [ 'todos' ]
 * ```
 */
export function defineSchema<const F extends Fields>(fields: F): Schema<F> {
  return new Schema(fields);
}

/**
 * Makes the schema of a state that is declared in Rust, with its types. Its own reducers fold in its own wasm; messages,
 * todos, tools and files are folded here.
 *
 * An error of a reducer, or a panic, is the `cause` of a `REDUCER_FAILED`; the state stays as it was.
 *
 * @throws {@link ThreadfoldError} `INVALID_SCHEMA`, `FORBIDDEN_KEY`.
 *
 * @example
 * ```ts
 * import { defineSchema, type Field } from "threadfold";
 *
 * // Stands in for the class that `threadfold_page::page!(Shop)` exports: import { Shop } from "./pkg/shop.js";
 * class Shop {
 *   declare static readonly "~fields"?: { readonly spent: Field<number, number, true> };
 *   static fields = () => [{ name: "spent", kind: "reducer" }];
 *   static initial = () => 0;
 *   static fold = (_at: number, now: unknown, update: unknown) => Number(now) + Number(update);
 * }
 *
 * const schema = defineSchema.from(Shop);
 * console.log(schema.merge({ spent: 2 }, { spent: 3 })); // { spent: 5 }
 * ```
 */
defineSchema.from = <F>(page: PageState<F>): Schema<F> => new Schema(pageFields(page));

type Last<S extends readonly unknown[]> = S extends readonly [infer Head, ...infer Rest] ? Head & Last<Rest> : unknown;

/**
 * Joins several schemas, such as those of an agent's middlewares and, last, its own. A later declaration of a field
 * takes the place of an earlier one, but a field that any of them makes private stays private.
 *
 * @throws {@link ThreadfoldError} `INVALID_SCHEMA` when a field is declared with two different reducers.
 *
 * @example
 * ```ts
 * import { combineSchemas, defineSchema, field } from "threadfold";
 *
 * const todos = defineSchema({ todos: field.todos({ input: false }) });
 * const agent = combineSchemas(todos, defineSchema({ messages: field.messages() }));
 * console.log(Object.keys(agent.fields)); // [ 'todos', 'messages' ]
 * ```
 */
export function combineSchemas<const S extends readonly unknown[]>(
  ...schemas: { [K in keyof S]: Schema<S[K]> }
): Schema<Last<S>> {
  return Schema.combine(schemas as Schema<unknown>[]) as Schema<Last<S>>;
}
