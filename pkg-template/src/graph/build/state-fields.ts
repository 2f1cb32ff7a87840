// A graph's fields: how updates are folded into its state, and who sees what of it.
import { ThreadfoldError } from "../../shared/errors.js";
import { defineSchema, type Schema } from "../../state/schema.js";
import type { DeltaField } from "../../checkpoint/delta-fields.js";
import { type GraphErrorCode, InvalidUpdateError, StateGraphInputError } from "./graph-errors.js";
import type { KnownIds } from "../ids/known-ids.js";
import type { Declared, DeclaredField } from "./state-forms.js";
import type { Values } from "../types.js";

const list = (): unknown[] => [];
const object = (): object => ({});
/** The initial values of fields that have a natural empty value. */
const EMPTY: Partial<Record<string, () => unknown>> = {
  messages: list,
  tools: list,
  todos: list,
  append: list,
  files: object,
  merge: object,
};

const NOTHING: Values = Object.freeze({});

/** From how many updates on it is worth joining what they append. */
const MANY = 8;

/** The fields of a graph's state and of its nodes' inputs. */
export class StateFields {
  /** In the order of the schema; those of an input or output besides come last. */
  readonly keys: readonly string[];
  /** The number of each field's channel. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The numbers of the fields that are cleared by a step that does not write them. */
  readonly ephemeral: readonly number[];
  /** The fields that no checkpoint has. */
  readonly untracked: readonly string[];
  /** The fields whose lists updates add to. */
  readonly lists: readonly string[];
  /** The fields that hold messages. */
  readonly messages: readonly string[];
  readonly #appends: readonly string[];
  /** The kind of each field. */
  readonly #kinds: ReadonlyMap<string, string>;
  /** The fields that langgraph.js's savers keep as deltas. */
  readonly deltas: readonly DeltaField[];
  readonly #schema: Schema<unknown>;
  /** The initial values of fields. */
  readonly #begins: readonly (readonly [key: string, make: () => unknown])[];

  constructor(declarations: readonly Declared[]) {
    // A key `__proto__` is a field here, so that it is refused with the others.
    const fields = Object.create(null) as Record<string, DeclaredField>;
    for (const { fields: more } of declarations) {
      for (const [key, one] of Object.entries(more)) if (!Object.hasOwn(fields, key)) fields[key] = one;
    }
    this.keys = Object.keys(fields);
    for (const key of this.keys)
      if (key in {} || /^(__start__|__pregel_tasks|__interrupt__|branch:to:.*|join:.*)$/s.test(key))
        throw new StateGraphInputError(`The name of the field '${key}' is reserved.`);
    this.numbers = new Map(this.keys.map((key, number) => [key, number]));
    const ofKind = (kind: string) => this.keys.filter((key) => fields[key]?.kind === kind);
    this.ephemeral = ofKind("ephemeral").map((key) => this.numbers.get(key) as number);
    this.untracked = ofKind("untracked");
    this.#kinds = new Map(Object.entries(fields).map(([key, { kind }]) => [key, kind]));
    this.messages = ofKind("messages");
    this.deltas = this.keys.flatMap((name) => {
      const every = fields[name]?.every;
      const fold = (value: unknown, writes: readonly unknown[]) => this.#folded(name, value, writes);
      return every === undefined ? [] : [{ name, every, fold }];
    });
    this.#appends = ofKind("append");
    this.lists = [...this.messages, ...this.#appends];
    this.#begins = Object.entries(fields).flatMap(([key, one]) => {
      const make = one.begins ?? (one.kind === "reducer" ? one.default : EMPTY[one.kind]);
      return make ? [[key, make] as const] : [];
    });
    const whole = declarations.find(
      ({ schema, fields: own }) => schema && Object.keys(own).length === this.keys.length,
    );
    this.#schema = whole?.schema ?? defineSchema(fields as never);
  }

  /** Returns the state before any update. */
  initial(): Values {
    const state: Record<string, unknown> = {};
    for (const [key, begins] of this.#begins) state[key] = begins();
    return state;
  }

  /** Adds to `writes` the numbers of the fields that an update writes. Returns whether there are any. */
  note(update: Values, writes: number[]): boolean {
    const before = writes.length;
    // A list of the keys would be garbage of each step.
    for (const key in update) {
      const number = this.numbers.get(key);
      if (number !== undefined && Object.hasOwn(update, key)) writes.push(number);
    }
    return writes.length > before;
  }

  /**
   * Folds what the tasks of a super-step wrote. Clears the ephemeral fields that none of them did. `known`: the ids
   * of a run's messages; `isTrial`: the run does not continue from the result.
   */
  step(state: Values, updates: readonly Values[], known?: KnownIds, isTrial = false): Values {
    const single = updates.length < 2 ? (updates[0] ?? NOTHING) : known && this.#messagesAlone(updates);
    const plainly = single && this.#plainly(state, single, known, isTrial);
    if (plainly) return plainly;
    const all = updates.length > MANY ? this.#joined(updates) : updates;
    if (!known || this.messages.length === 0) return this.#fold(state, all);
    return known.fold(state, all, this.#fold, isTrial);
  }

  readonly #fold = (state: Values, updates: readonly Values[]): Values => {
    try {
      return this.#schema.step(state as object, updates as never) as Values;
    } catch (error) {
      throw asGraphError(error);
    }
  };

  /** The same updates, with all that is appended to a list in one: a list takes them in order either way. */
  #joined(updates: readonly Values[]): readonly Values[] {
    const joined: Record<string, unknown[]> = {};
    for (const key of this.#appends) {
      const all: unknown[] = [];
      const isList = updates.every((update) => {
        const value = Object.hasOwn(update, key) ? update[key] : [];
        if (Array.isArray(value)) for (const one of value as unknown[]) all.push(one);
        return Array.isArray(value);
      });
      if (isList && all.length > 0) joined[key] = all;
    }
    const rest = updates.flatMap((update) => {
      const keys = Object.keys(update).filter((key) => !Object.hasOwn(joined, key));
      return keys.length > 0 ? [picked(update, keys)] : [];
    });
    return [joined, ...rest];
  }

  /** One update with the messages of several, in order; undefined if they write another field. */
  #messagesAlone(updates: readonly Values[]): Values | undefined {
    const all: Record<string, unknown[]> = {};
    for (const update of updates) {
      for (const key in update) {
        if (!this.messages.includes(key) || !Object.hasOwn(update, key)) return undefined;
        const list = (all[key] ??= []);
        const given = update[key];
        if (Array.isArray(given)) for (const one of given as unknown[]) list.push(one);
        else list.push(given);
      }
    }
    return all;
  }

  /**
   * Returns the result where no reducer has to decide: no update, or one that replaces values and adds complete new
   * messages. Otherwise returns undefined.
   */
  #plainly(state: Values, update: Values, known: KnownIds | undefined, isTrial: boolean): Values | undefined {
    let next: Record<string, unknown> | undefined;
    let grown: string[] | undefined;
    for (const key in update) {
      const kind = this.#kinds.get(key);
      if (kind === undefined || !Object.hasOwn(update, key)) continue;
      const isList = known !== undefined && kind === "messages";
      if (!isList && kind !== "replace") return undefined;
      const value = isList ? known.grown(key, state[key], update[key]) : update[key];
      if (value === undefined) return undefined;
      if (isList && value === state[key]) continue;
      if (isList) (grown ??= []).push(key);
      (next ??= { ...state })[key] = value;
    }
    if (this.ephemeral.length > 0)
      for (const number of this.ephemeral) {
        const key = this.keys[number] as string;
        if (key in state) delete (next ??= { ...state })[key];
      }
    if (grown && !isTrial)
      for (const key of grown) known?.follow(key, next?.[key] as unknown[], state[key] as unknown[]);
    return next ?? state;
  }

  /** Folds writes to one field, each as a step of its own. */
  #folded(name: string, value: unknown, writes: readonly unknown[]): unknown {
    let state = this.initial();
    if (value !== undefined) state = { ...state, [name]: value };
    for (const write of writes) state = this.step(state, [{ [name]: write }]);
    return state[name];
  }

  /** Folds updates without clearing ephemeral fields, like a caller's own updates. */
  lay(state: Values, updates: readonly Values[]): Values {
    const next = this.step(state, updates);
    if (this.ephemeral.length === 0) return next;
    const kept = { ...next };
    for (const number of this.ephemeral) {
      const key = this.keys[number] as string;
      if (key in state && !(key in next)) kept[key] = state[key];
    }
    return kept;
  }
}

/** Returns the fields of a state that a schema shows. */
export function picked(state: Values, keys: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const key of keys) if (key in state) values[key] = state[key];
  return values;
}

/** The fields of a declaration that a caller may give, or sees. */
export function visible(fields: Declared["fields"], way: "input" | "output"): string[] {
  return Object.keys(fields).filter((key) => fields[key]?.[way] !== false && !fields[key]?.private);
}

/** LangGraph's code of a concurrent update; two overwrites have none there. */
const codeOf = ({ message }: ThreadfoldError): GraphErrorCode | undefined =>
  message.endsWith("only one Overwrite value per super-step.") ? undefined : "INVALID_CONCURRENT_GRAPH_UPDATE";

/** The core's error as LangGraph's; what a reducer threw as it threw it. */
function asGraphError(error: unknown): unknown {
  if (!(error instanceof ThreadfoldError)) return error;
  if (error.code === "REDUCER_FAILED" && error.cause !== undefined) return error.cause;
  if (error.code !== "CONCURRENT_UPDATE") return error;
  return new InvalidUpdateError(error.message, { lc_error_code: codeOf(error), cause: error });
}
