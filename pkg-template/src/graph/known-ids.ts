// The ids in a run's lists of messages: a message whose id a list does not have goes behind it, whatever the list holds.
import type { Values } from "./state-fields.js";

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

/** What one run knows of its lists of messages. They are followed from step to step, as long as no one else changes them. */
export class KnownIds {
  readonly #fields: readonly string[];
  readonly #known = new Map<string, Known>();

  /** `fields`: those that hold messages. */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  /**
   * Folds updates into a state. Of a list that only gets messages that are new to it, `fold` sees none but those.
   * `isTrial`: the run does not go on from the answer.
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

  #onlyGrows(key: string, list: unknown, updates: readonly Values[]): boolean {
    const known = this.#known.get(key);
    if (!known?.ids || known.list !== list || known.length !== known.list.length) return false;
    const { ids } = known;
    try {
      return updates.every((update) => {
        if (!Object.hasOwn(update, key)) return true;
        const given = update[key];
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

  /** Notes what a fold that has looked through the whole list made of it. */
  #look(key: string, before: unknown, after: unknown): void {
    if (before === after || !Array.isArray(after) || after.length < LONG) return;
    const last = this.#known.get(key);
    const looks = last !== undefined && last.list === before ? last.looks + 1 : 1;
    const ids = looks < LOOKS ? undefined : new Set(after.map(idOf));
    this.#known.set(key, { list: after, length: after.length, looks: ids ? 0 : looks, ids });
  }
}

/** Whether it is a message, whole, whose id is none of these. No other form: it might be a removal. */
function isNew(given: unknown, ids: ReadonlySet<unknown>): boolean {
  if (typeof given !== "object" || given === null) return false;
  const { id, type, role } = given as { id?: unknown; type?: unknown; role?: unknown };
  return role === undefined && typeof id === "string" && TYPES.has(type) && !ids.has(id);
}

const idOf = (message: unknown): unknown => (message as { id?: unknown } | null)?.id;

const TYPES: ReadonlySet<unknown> = new Set(["human", "ai", "system", "tool", "function"]);
