// A long thread in several entries, so that a save writes what changed. The entry under the thread's name has the record
// and its last messages. Earlier messages are in blocks, under the name and a number: "chat#0".
import { ThreadfoldError } from "../shared/errors.js";
import { isPromise } from "../shared/is-promise.js";
import { newId } from "../shared/new-id.js";
import type { Saved, ThreadStorage } from "./types.js";

/** How many characters of messages make a block. */
const LONG = 1 << 16;

export interface Place {
  readonly name: string;
  readonly storage: ThreadStorage;
}

/** Messages in an entry of their own. */
interface Block {
  /** The number in its entry's name. */
  readonly slot: number;
  /** Says which messages: another page may have used the entry since. */
  readonly id: string;
  readonly count: number;
}

/** A thread in its storage. */
export interface Kept {
  /** The text under the thread's name. */
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The slots of entries that no block uses and that may still be there. */
  readonly unused: readonly number[];
  /** The messages in the blocks. */
  readonly messages: readonly unknown[];
}

/** A thread that was read. */
export interface Found {
  readonly saved: Saved;
  readonly kept: Kept;
}

type Parts = Saved & { readonly blocks?: readonly Block[]; readonly unused?: readonly number[] };
export type Maybe<T> = T | PromiseLike<T>;

const entry = (name: string, slot: number): string => `${name}#${slot}`;

/**
 * The key of a thread's record: its name. A name that ends as the key of a block, "chat#0", or of a tab's record,
 * "chat@1", gets one more `#`.
 */
export const keyOf = (name: string): string => (/[#@]\d+#*$/.test(name) ? `${name}#` : name);

/** Calls `next` with a value or, later, with what a promise resolves with. */
export const after = <T, R>(value: Maybe<T>, next: (value: T) => Maybe<R>): Maybe<R> =>
  isPromise(value) ? (value as PromiseLike<T>).then(next) : next(value as T);

const all = <T>(values: readonly Maybe<T>[]): Maybe<readonly T[]> =>
  values.some(isPromise) ? Promise.all(values) : (values as readonly T[]);

/**
 * Saves a thread. Blocks whose messages are the same objects as in `kept` are not written again, unless another page has
 * saved since. Where the page is left and the storage answers later, all goes into one entry: only a write that begins
 * at once is still done. That entry lists the blocks it leaves, for the next save or `forget` to remove.
 */
export function save({ name, storage }: Place, saved: Saved, kept: Kept | undefined, isLeaving: boolean): Maybe<Kept> {
  const messages = messagesIn(saved);
  const known = slotsOf(kept);
  const whole = (): Maybe<Kept> => {
    const text = JSON.stringify(known.length > 0 ? { ...saved, unused: known } : saved);
    return after(storage.setItem(name, text), () => ({ text, blocks: [], unused: known, messages: [] }));
  };
  const split = inBlocks(messages, kept);
  const isShort = (kept?.blocks.length ?? 0) === 0 && split.fresh.length === 0;
  if (isShort && kept && known.length === 0) return whole();
  const found = readIn(storage, name);
  if (isLeaving && isPromise(found))
    return after(whole(), (kept) => after(found, (text) => ({ ...kept, unused: union(known, slotsIn(text)) })));
  // A thread that was saved here before may leave blocks.
  if (isShort)
    return after(whole(), (kept) =>
      after(found, (text) =>
        after(removeSlots({ name, storage }, union(known, slotsIn(text))), () => ({ ...kept, unused: [] })),
      ),
    );
  return after(found, (text) => {
    if (text === UNREADABLE) return whole();
    const isOurs = text === kept?.text;
    const old = isOurs ? known : union(known, slotsIn(text));
    const now = isOurs || !kept ? split : inBlocks(messages, undefined);
    const taken = new Set(old);
    const made = now.fresh.map((messages): [Block, readonly string[]] => {
      let slot = 0;
      while (taken.has(slot)) slot++;
      taken.add(slot);
      return [{ slot, id: newId(), count: messages.length }, messages];
    });
    const blocks = [...now.blocks, ...made.map(([block]) => block)];
    const record = blocks.length > 0 ? { ...withMessages(saved, now.rest), blocks } : saved;
    const unused = old.filter((slot) => !blocks.some((block) => block.slot === slot));
    const written = made.map(([{ slot, id }, messages]) =>
      storage.setItem(entry(name, slot), `{"id":${JSON.stringify(id)},"messages":[${messages.join(",")}]}`),
    );
    const next = JSON.stringify(unused.length > 0 ? { ...record, unused } : record);
    return after(all(written), () =>
      after(storage.setItem(name, next), () =>
        after(removeSlots({ name, storage }, unused), () => ({
          text: next,
          blocks,
          unused: [],
          messages: now.messages,
        })),
      ),
    );
  });
}

const UNREADABLE = Symbol();
type Read = string | null | undefined | typeof UNREADABLE;

/** Reads an entry. A storage that cannot be read may still be written. */
function readIn(storage: ThreadStorage, name: string): Maybe<Read> {
  try {
    const text = storage.getItem(name);
    return isPromise(text) ? Promise.resolve(text).catch((): typeof UNREADABLE => UNREADABLE) : text;
  } catch {
    return UNREADABLE;
  }
}

/** Splits messages: into blocks that are kept, blocks to write, as texts, and the rest. */
function inBlocks(messages: readonly unknown[], kept: Kept | undefined) {
  let same = 0;
  while (same < messages.length && same < (kept?.messages.length ?? 0) && messages[same] === kept?.messages[same])
    same++;
  const blocks: Block[] = [];
  let at = 0;
  for (const block of kept?.blocks ?? []) {
    if (at + block.count > same) break;
    blocks.push(block);
    at += block.count;
  }
  const fresh: string[][] = [];
  let [open, size, end]: [string[], number, number] = [[], 0, at];
  // The last message is still growing.
  for (const [index, message] of messages.slice(at, -1).entries()) {
    const text = JSON.stringify(message) ?? "null";
    open.push(text);
    size += text.length;
    if (size < LONG) continue;
    fresh.push(open);
    [open, size, end] = [[], 0, at + index + 1];
  }
  return { blocks, fresh, messages: messages.slice(0, end), rest: messages.slice(end) };
}

/** Returns a saved thread with the messages of its blocks. Throws if another page has replaced a block. */
export function assembled({ name, storage }: Place, text: string): Maybe<Found | undefined> {
  const saved = partsIn(text);
  if (!saved) return undefined;
  const { blocks = [], unused = [], ...rest } = saved;
  const texts = all(blocks.map(({ slot }) => storage.getItem(entry(name, slot))));
  return after(texts, (texts) => {
    const messages = blocks.flatMap(({ id, count }, at) => {
      const block = JSON.parse(texts[at] || "{}") as { id?: string; messages?: readonly unknown[] };
      if (block.id === id && block.messages?.length === count) return block.messages;
      throw new ThreadfoldError("INVALID_ARGUMENT", `The thread under '${name}' lacks a part: its storage lost it.`);
    });
    const whole = blocks.length > 0 ? withMessages(rest, [...messages, ...messagesIn(rest)]) : rest;
    return { saved: whole, kept: { text, blocks, unused, messages } };
  });
}

/**
 * Removes a thread: the entry under its name first, so that none is left without its blocks. `isEmptied` keeps that
 * entry, with an empty text.
 */
export function forget({ name, storage }: Place, isEmptied = false): Maybe<unknown> {
  return after(storage.getItem(name), (text) =>
    after(isEmptied ? storage.setItem(name, "") : remove(storage, name), () =>
      removeSlots({ name, storage }, slotsIn(text)),
    ),
  );
}

const removeSlots = ({ name, storage }: Place, slots: readonly number[]): Maybe<unknown> =>
  all(slots.map((slot) => remove(storage, entry(name, slot))));

const remove = (storage: ThreadStorage, key: string): unknown =>
  storage.removeItem ? storage.removeItem(key) : storage.setItem(key, "");

/** The slots of all entries that a thread has beside its record. */
const slotsOf = (kept: Pick<Parts, "blocks" | "unused"> | undefined): readonly number[] => [
  ...(kept?.blocks ?? []).map(({ slot }) => slot),
  ...(kept?.unused ?? []),
];

const union = (one: readonly number[], other: readonly number[]) => [...new Set([...one, ...other])];

const slotsIn = (text: Read): readonly number[] => (typeof text === "string" ? slotsOf(partsIn(text)) : []);

function partsIn(text: string): Parts | undefined {
  try {
    const { state, version, blocks, unused } = (JSON.parse(text) ?? {}) as Partial<Parts>;
    if (typeof state !== "object" || state === null || typeof version !== "number") return undefined;
    return {
      state,
      version,
      ...(Array.isArray(blocks) && { blocks }),
      ...(Array.isArray(unused) && { unused }),
    };
  } catch {
    return undefined;
  }
}

interface Confirmed {
  readonly core?: { readonly confirmed?: { readonly messages?: unknown } };
}

/** The confirmed messages of a record. */
function messagesIn({ state }: Saved): readonly unknown[] {
  const messages = (state as Confirmed).core?.confirmed?.messages;
  return Array.isArray(messages) ? messages : [];
}

function withMessages(saved: Saved, messages: readonly unknown[]): Saved {
  const { core } = saved.state as Confirmed;
  return { ...saved, state: { ...saved.state, core: { ...core, confirmed: { ...core?.confirmed, messages } } } };
}
