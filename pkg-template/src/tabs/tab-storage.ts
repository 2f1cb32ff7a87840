import { after, assembled, forget, keyOf, type Maybe } from "../persist/blocks.js";
import type { Saved, ThreadStorage } from "../persist/types.js";
import { HOLDS, type Holding } from "./holds.js";

/** A tab's record of a thread. */
interface Claim {
  /** The name under which the tab saves. */
  readonly place: string;
  /** The thread that it starts with, until it saves. */
  copy: string | undefined;
}

/** The claims of this page, by storage and name: a runner that is opened again has the same. */
const CLAIMS = new WeakMap<ThreadStorage, Map<string, Claim | Promise<Claim>>>();

/** How long a page that is reloaded waits for the lock of its life before, in milliseconds. */
const PATIENCE = 1_000;

/**
 * Returns a storage in which tabs do not overwrite each other, for the option `storage` of `openAgUi` and
 * `openLangGraph`, and for `persist` and `loadThread`.
 *
 * Each tab saves a record of its own. A tab that opens takes over the record of a closed tab: one with pending updates,
 * or else the one that was saved last. If no closed tab left one, it copies the last saved record without its pending
 * updates. So a pending message belongs to one tab, which sends it once. `forgetThread` removes the records of this tab
 * and of all closed ones. Other open tabs keep theirs.
 *
 * Without Web Locks, as in a page without TLS, it is the storage as it was.
 *
 * @param storage - The page's `localStorage`, unless given.
 *
 * @example
 * ```ts
 * import { openAgUi } from "threadfold/ag-ui";
 * import { tabStorage } from "threadfold/tabs";
 *
 * const agent = openAgUi({ url: "/agent", storage: tabStorage() });
 * console.log(agent.status); // ready
 * ```
 */
export function tabStorage(storage?: ThreadStorage): ThreadStorage {
  const own = (): ThreadStorage => storage ?? localStorage;
  const at = <T>(name: string, use: (place: string, claim?: Claim) => Maybe<T>): Maybe<T> => {
    if (!globalThis.navigator?.locks) return use(name);
    const claims = CLAIMS.get(own()) ?? new Map<string, Claim | Promise<Claim>>();
    CLAIMS.set(own(), claims);
    // A block of a long thread has the thread's name and a number.
    const [, base = "", block = ""] = /^(.*)(#\d+)$/.exec(name) ?? [];
    const ofBlock = claims.get(base);
    if (ofBlock && "place" in ofBlock) return use(ofBlock.place + block);
    const claim = claims.get(name) ?? claimed(own(), name);
    claims.set(name, claim);
    if ("place" in claim) return use(claim.place, claim);
    return claim.then(
      (claim) => {
        claims.set(name, claim);
        return use(claim.place, claim);
      },
      (error: unknown) => {
        claims.delete(name);
        throw error;
      },
    );
  };
  const read = (text: string | null | undefined) => text?.replace(SAVED_AT, "{");
  const storageOfTab: ThreadStorage & Holding = {
    [HOLDS]: (name, threadId) => !globalThis.navigator?.locks || holds(own(), keyOf(name), threadId),
    getItem: (name) =>
      at(name, (place, claim) => {
        if (claim?.copy !== undefined) return claim.copy;
        return after(own().getItem(place), read);
      }),
    setItem: (name, text) =>
      at(name, (place, claim) => {
        if (!claim) return own().setItem(place, text);
        claim.copy = undefined;
        return own().setItem(place, text.replace(/^\{/, `{"savedAt":${Date.now()},`));
      }),
    // An empty record keeps its place: those after it are found by it.
    removeItem: (name) =>
      at(name, (place, claim) => {
        const { removeItem } = own();
        if (!claim) return removeItem ? own().removeItem?.(place) : own().setItem(place, "");
        claim.copy = undefined;
        return after(own().setItem(place, ""), () => forgetClosed(own(), name));
      }),
  };
  return storageOfTab;
}

const SAVED_AT = /^\{"savedAt":(\d+),/;
const savedAt = ({ text }: TabRecord): number => Number(SAVED_AT.exec(text)?.[1] ?? 0);

const placeOf = (name: string, number: number): string => (number === 0 ? name : `${name}@${number}`);

/** Whether a tab's record is of this thread. One that cannot be read may be. */
async function holds(storage: ThreadStorage, name: string, threadId: string | undefined): Promise<boolean> {
  try {
    for (let number = 0; ; number++) {
      const text = await storage.getItem(placeOf(name, number));
      if (typeof text !== "string") return false;
      if (text !== "" && stateIn(text)?.threadId === threadId) return true;
    }
  } catch {
    return true;
  }
}

interface TabRecord {
  readonly place: string;
  readonly text: string;
  /** Gives its lock back; undefined if another tab has it. */
  readonly release: (() => void) | undefined;
}

/** The lock of one tab after the other, for as long as it looks at a thread's records. */
const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  navigator.locks.request(`threadfold:storage:${name}`, work) as Promise<T>;

const lockOf = (name: string, number: number): string => `threadfold:storage:${name}:${number}`;

/** Takes a tab's record of a thread. If the storage fails, no record stays taken. */
function claimed(storage: ThreadStorage, name: string): Promise<Claim> {
  return inTurn(name, async () => {
    const records: TabRecord[] = [];
    try {
      return await chosen(storage, name, records);
    } catch (error) {
      for (const { release } of records) release?.();
      throw error;
    }
  });
}

/** Adds the records to the list, as their locks are taken. Chooses one, and gives back the locks of the others. */
async function chosen(storage: ThreadStorage, name: string, records: TabRecord[]): Promise<Claim> {
  const session = sessionOf();
  const before = session?.getItem(`threadfold:tab:${name}`);
  for (let number = 0; ; number++) {
    const place = placeOf(name, number);
    const text = await storage.getItem(place);
    const release = await held(lockOf(name, number), place === before);
    records.push({ place, text: text ?? "", release });
    if (typeof text !== "string" && release) break;
  }
  const saved = records.filter(({ text }) => text !== "").sort((one, other) => savedAt(other) - savedAt(one));
  const closed = saved.filter(({ release }) => release);
  const free = records.filter(({ release }) => release);
  const own = free.find(({ place }) => place === before) ?? closed.find(hasPending) ?? closed[0];
  const { place, text } = own ?? (free.find(({ text }) => text === "") as TabRecord);
  for (const one of free) if (one.place !== place) one.release?.();
  session?.setItem(`threadfold:tab:${name}`, place);
  if (text === "") await storage.setItem(place, "");
  const [last] = saved;
  return { place, copy: text === "" && last ? await copyOf(storage, last) : undefined };
}

/** Empties the records of closed tabs. The next tab that opens would take one over. */
function forgetClosed(storage: ThreadStorage, name: string): Promise<void> {
  return inTurn(name, async () => {
    for (let number = 0; ; number++) {
      const place = placeOf(name, number);
      const text = await storage.getItem(place);
      if (typeof text !== "string") return;
      if (text === "") continue;
      const release = await held(lockOf(name, number), false);
      try {
        if (release) await forget({ name: place, storage }, true);
      } finally {
        release?.();
      }
    }
  });
}

/** Takes a lock for the life of the page. Returns a function that gives it back; undefined if another tab has it. */
function held(name: string, waits: boolean): Promise<(() => void) | undefined> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    const timer = waits ? setTimeout(() => controller.abort(), PATIENCE) : undefined;
    navigator.locks
      .request(name, waits ? { signal: controller.signal } : { ifAvailable: true }, (lock) => {
        clearTimeout(timer);
        if (!lock) return resolve(undefined);
        return new Promise<void>((release) => resolve(release));
      })
      .catch(() => resolve(undefined));
  });
}

interface Core {
  readonly threadId?: string;
  readonly core?: { readonly pending?: readonly unknown[] };
}

const hasPending = ({ text }: TabRecord): boolean => (stateIn(text)?.core?.pending ?? []).length > 0;

function stateIn(text: string): Core | undefined {
  try {
    return (JSON.parse(text) as { state?: Core }).state;
  } catch {
    return undefined;
  }
}

/** A record without what its tab has under way. Undefined if it cannot be read, as when its tab saves meanwhile. */
async function copyOf(storage: ThreadStorage, { place, text }: TabRecord): Promise<string | undefined> {
  try {
    const { saved } = (await assembled({ name: place, storage }, text)) as { saved: Saved };
    const { run: _, ...core } = (saved.state as Core & { core: { run?: unknown } }).core;
    return JSON.stringify({ ...saved, state: { ...saved.state, core: { ...core, pending: [] } } });
  } catch {
    return undefined;
  }
}

/** The tab's own storage, which outlives a reload; none where the browser refuses it. */
function sessionOf(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
