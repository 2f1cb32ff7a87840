// The ids in a run's lists of messages. A message whose id is new to a list is appended, whatever the list contains.
import { DEVELOPER, KINDS } from "../../../generated/kinds.js";
import type { Values } from "../types.js";

/** A list whose ids are worth knowing. */
const LONG = 32;

/** How often a list is looked through before its ids are noted, which costs as much as so many looks. */
const LOOKS = 4;

interface Known {
  list: readonly unknown[];
  length: number;
  looks: number;
  /** All ids of the list, if they are noted; and some that it no longer has. */
  ids: Set<unknown> | undefined;
}

type Fold = (state: Values, updates: readonly Values[]) => Values;

/** The ids that a run leaves to the next run on its lists. */
export type LeftIds = WeakMap<readonly unknown[], Known>;

/**
 * The ids in one run's lists of messages. They are followed from step to step, as long as no one else changes the
 * lists.
 */
export class KnownIds {
  readonly #fields: readonly string[];
  readonly #left: LeftIds;
  readonly #known = new Map<string, Known>();

  /** `fields`: those that hold messages. */
  constructor(fields: readonly string[], left: LeftIds) {
    this.#fields = fields;
    this.#left = left;
  }

  /** Leaves what it knows to the run that continues from its lists: a saver may keep them by reference. */
  leave(): void {
    for (const known of this.#known.values()) this.#left.set(known.list, known);
  }

  #of(key: string, list: unknown): Known | undefined {
    const known = this.#known.get(key);
    if (known || !Array.isArray(list) || list.length < LONG) return known;
    const left = this.#left.get(list);
    if (!left) return undefined;
    // If two runs continue from one list, the second reads it itself.
    this.#left.delete(list);
    this.#known.set(key, left);
    return left;
  }

  /**
   * Folds updates into a state. If a list only gets messages that are new to it, `fold` sees only those. `isTrial`: the
   * run does not continue from the result.
   */
  fold(state: Values, updates: readonly Values[], fold: Fold, isTrial: boolean): Values {
    const grows = this.#fields.filter((key) => this.#onlyGrows(key, state[key], updates));
    if (grows.length === 0) {
      const next = fold(state, updates);
      if (!isTrial) for (const key of this.#fields) this.#look(key, state[key], next[key]);
      return next;
    }
    const short: Record<string, unknown> = { ...state };
    for (const key of grows) short[key] = [];
    const next = fold(short, updates) as Record<string, unknown>;
    if (next === short) return state;
    for (const key of grows) {
      const list = state[key] as readonly unknown[];
      const added = next[key] as readonly unknown[];
      next[key] = added.length > 0 ? list.concat(added) : list;
      if (!isTrial) this.#follow(key, next[key] as readonly unknown[], added);
    }
    if (!isTrial) for (const key of this.#fields) if (!grows.includes(key)) this.#look(key, state[key], next[key]);
    return next;
  }

  /** Returns the list with these messages appended, if they are complete and new to it. That is quick to check. */
  grown(key: string, list: unknown, given: unknown): readonly unknown[] | undefined {
    if (!Array.isArray(list)) return undefined;
    const known = this.#of(key, list);
    const isFollowed = known !== undefined && known.list === list && known.length === list.length;
    if (!isFollowed && list.length >= LONG) return undefined;
    try {
      const added: readonly unknown[] = Array.isArray(given) ? given : [given];
      if (!added.every(isWhole)) return undefined;
      const ids = isFollowed ? idsOf(known, added.length) : undefined;
      const isKnown = ({ id }: Message) => (ids ? ids.has(id) : list.some((message) => idOf(message) === id));
      if (added.some(isKnown)) return undefined;
      if (added.length > 1 && new Set(added.map(idOf)).size < added.length) return undefined;
      return added.length > 0 ? list.concat(added) : list;
    } catch {
      // The fold says what cannot be read.
      return undefined;
    }
  }

  /** Records that the run continues from a list that {@link grown} has made. */
  follow(key: string, list: readonly unknown[], before: readonly unknown[]): void {
    if (this.#known.get(key)?.list === before) this.#follow(key, list, list.slice(before.length));
  }

  #onlyGrows(key: string, list: unknown, updates: readonly Values[]): boolean {
    const known = this.#of(key, list);
    if (!known?.ids || known.list !== list || known.length !== known.list.length) return false;
    const { ids } = known;
    try {
      return updates.every((update) => {
        if (!Object.hasOwn(update, key)) return true;
        const given = update[key];
        if (typeof given === "string") return true;
        return Array.isArray(given) ? given.every((one) => isNew(one, ids)) : isNew(given, ids);
      });
    } catch {
      // The fold says what cannot be read.
      return false;
    }
  }

  #follow(key: string, list: readonly unknown[], added: readonly unknown[]): void {
    const known = this.#known.get(key) as Known;
    for (const message of added) known.ids?.add(idOf(message));
    known.list = list;
    known.length = list.length;
  }

  /** Records the result of a fold that has read the whole list. */
  #look(key: string, before: unknown, after: unknown): void {
    if (before === after || !Array.isArray(after) || after.length < LONG) return;
    const last = this.#of(key, before);
    const looks = last !== undefined && last.list === before ? last.looks + 1 : 1;
    const ids = looks < LOOKS ? undefined : new Set(after.map(idOf));
    this.#known.set(key, { list: after, length: after.length, looks: ids ? 0 : looks, ids });
  }
}

/** Returns the ids of a list that is looked through so many times more, if they are worth noting. */
function idsOf(known: Known, looks: number): ReadonlySet<unknown> | undefined {
  if (known.ids) return known.ids;
  known.looks += looks;
  if (known.looks >= LOOKS) known.ids = new Set(known.list.map(idOf));
  return known.ids;
}

/** Whether it is a message with none of these ids. No other form: it might be a removal. */
function isNew(given: unknown, ids: ReadonlySet<unknown>): boolean {
  if (typeof given !== "object" || given === null) return false;
  const { id, type, role } = given as Message;
  if (!TYPES.has(role ?? type) && !ROLES.has(role)) return false;
  return typeof id === "string" ? !ids.has(id) : id === undefined || id === null;
}

interface Message {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly role?: unknown;
  readonly tool_call_id?: unknown;
  readonly tool_calls?: unknown;
}

/** Whether the reducer takes it as it is: `is_plain` of src/message.rs, but for AG-UI's form. */
function isWhole(given: unknown): given is Message {
  if (typeof given !== "object" || given === null) return false;
  const { id, type, role, tool_call_id: answers, tool_calls: calls } = given as Message;
  if (typeof id !== "string" || role !== undefined || !TYPES.has(type)) return false;
  if (type === "tool") return typeof answers === "string";
  return type !== "ai" || calls === undefined || (Array.isArray(calls) && calls.every(isOwnCall));
}

/** A call in LangChain's form: OpenAI's has a function. */
const isOwnCall = (call: unknown): boolean =>
  typeof call === "object" && call !== null && (call as { function?: unknown }).function === undefined;

const idOf = (message: unknown): unknown => (message as { id?: unknown } | null)?.id;

const TYPES: ReadonlySet<unknown> = new Set(KINDS.map(([type]) => type));
const ROLES: ReadonlySet<unknown> = new Set([...KINDS.map(([, , role]) => role), DEVELOPER[0]]);
