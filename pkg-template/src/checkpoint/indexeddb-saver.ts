// Checkpoints in IndexedDB: they survive a reload.
import { checkOptions } from "../shared/options.js";
import { BaseCheckpointSaver } from "./base-saver.js";
import { answer, Database, startingWith } from "./database.js";
import { LONG_LIST } from "./kept-list.js";
import { KnownLists } from "./known-lists.js";
import { plainValue } from "./plain-value.js";
import { withPendingSends } from "./pending-sends.js";
import { placesOf } from "./pending-writes.js";
import {
  askedPlace,
  checkListing,
  checkpointIdOf,
  configOf,
  parentOf,
  placeOf,
  takesId,
  takesMetadata,
  type Place,
} from "./place.js";
import { nextVersion, type Parts } from "./stored-list.js";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
  GrownLists,
  PendingWrite,
  SavedThread,
} from "./types.js";

/** Where a channel's value is: here, stored by the checkpoint of this id, or a list in parts. */
type Stored = { value: unknown } | { by: string } | { list: Parts };

/** A checkpoint as it is stored: its values are elsewhere, each once. */
interface Row {
  readonly checkpoint: Omit<Checkpoint, "channel_values">;
  readonly values: Record<string, Stored>;
  readonly metadata: CheckpointMetadata;
  readonly parent: string | undefined;
}

/** `[thread, ns, id]` → `Row` */
const CHECKPOINTS = "checkpoints";
/** `[thread, ns, id, channel]` → a value */
const VALUES = "values";
/** `[thread, ns, name, from]` → items of a list */
const ITEMS = "items";
/** `[thread, ns, id, taskId, place]` → a write */
const WRITES = "writes";
const STORES = [CHECKPOINTS, VALUES, ITEMS, WRITES];

/** Text that is no longer is stored in the row, with numbers and the like. */
const SHORT_TEXT = 200;

type Store = (name: string) => IDBObjectStore;
type Key = [thread: string, ns: string, id: string];

/** Options of an {@link IndexedDBSaver}. */
export interface IndexedDBSaverOptions {
  /** The name of the database: `"threadfold-checkpoints"`, if you don't say. */
  readonly name?: string | undefined;
}

/**
 * Keeps checkpoints in the browser's IndexedDB, so that a run continues after a reload. Tabs that use one name share
 * them.
 *
 * It stores what changed: a value once, of a list that got longer the new items, however long the thread is. Values are
 * stored as `structuredClone` copies them, so dates, maps and bytes come back as they were; instances of LangChain's
 * messages come back as dicts.
 *
 * Everything rejects with a {@link ThreadfoldError} `STORAGE_FAILED` if there is no IndexedDB, or if the database
 * fails. Its `cause` is, for example, a full quota or a value that cannot be cloned. Earlier saves are kept.
 *
 * @example
 * ```ts
 * import { defineSchema, field } from "threadfold";
 * import { IndexedDBSaver, START, StateGraph } from "threadfold/graph";
 *
 * const graph = new StateGraph(defineSchema({ log: field.append<string>() }))
 *   .addNode("greet", () => ({ log: ["Hello"] }))
 *   .addEdge(START, "greet")
 *   .compile({ checkpointer: new IndexedDBSaver({ name: "my-app" }) });
 * if (typeof indexedDB !== "undefined") await graph.invoke({ log: [] }, { threadId: "1" });
 * ```
 */
export class IndexedDBSaver extends BaseCheckpointSaver {
  readonly #database: Database;
  readonly #known = new KnownLists();

  constructor(options: IndexedDBSaverOptions = {}) {
    super();
    checkOptions("new IndexedDBSaver", options, ["name"]);
    const { name = "threadfold-checkpoints" } = options;
    this.#database = new Database(name, STORES);
  }

  /** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a config without a `thread_id`. */
  async put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
    grown?: GrownLists,
  ): Promise<CheckpointConfig> {
    const place = placeOf(config);
    const { thread, ns } = place;
    const { channel_values, ...rest } = checkpoint;
    const { id } = checkpoint;
    const parent = parentOf(config, checkpoint);
    const lists = this.#known.of(place, parent, grown);
    await this.#database.run("readwrite", "Saving a checkpoint", async (store) => {
      // A checkpoint that is put again, with itself as parent, changes in place: it keeps its values and its position.
      const before = await getRow(store, [thread, ns, parent ?? id]);
      const values: Record<string, Stored> = {};
      for (const [channel, value] of Object.entries(channel_values)) {
        const old = before?.values[channel];
        if (newVersions !== undefined && !(channel in newVersions)) {
          const isSame = before?.checkpoint.channel_versions[channel] === rest.channel_versions[channel];
          const same = isSame ? old : await findVersion(store, place, channel, rest.channel_versions[channel]);
          if (same !== undefined) values[channel] = same;
        } else if (Array.isArray(value) && value.length >= LONG_LIST) {
          const items = lists.get(channel);
          const isGrown = items !== undefined && grown?.[channel] === items;
          const was = old !== undefined && "list" in old && items ? { items, parts: old.list, isGrown } : undefined;
          values[channel] = { list: await putList(store, place, `${id}/${channel}`, value, was) };
        } else values[channel] = putValue(store, [thread, ns, id], channel, value);
      }
      const row: Row = { checkpoint: rest, values, metadata: plainValue(metadata), parent: parent ?? before?.parent };
      store(CHECKPOINTS).put(row, [thread, ns, id]);
    });
    this.#known.know(place, id, channel_values);
    return configOf(place, id);
  }

  /** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a config without a `thread_id` or `checkpoint_id`. */
  async putWrites(config: CheckpointConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { thread, ns } = placeOf(config);
    const id = checkpointIdOf(config);
    const places = placesOf(writes);
    await this.#database.run("readwrite", "Saving a task's writes", async (store) => {
      const keys = await answer(store(WRITES).getAllKeys(startingWith(thread, ns, id, taskId)));
      const kept = new Set(keys.map((key) => (key as unknown[]).at(-1)));
      writes.forEach(([channel, value], index) => {
        const place = places[index] as number;
        if (place >= 0 && kept.has(place)) return;
        store(WRITES).put([taskId, channel, plainValue(value)], [thread, ns, id, taskId, place]);
      });
    });
  }

  async getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    const { thread, ns, id: named } = askedPlace(config);
    if (typeof thread !== "string") return undefined;
    const tuple = await this.#database.run("readonly", "Loading a checkpoint", async (store) => {
      const id = named || (await newestId(store, { thread, ns }));
      return id === undefined ? undefined : getTuple(store, [thread, ns, id]);
    });
    if (tuple !== undefined) this.#known.know({ thread, ns }, tuple.checkpoint.id, tuple.checkpoint.channel_values);
    return tuple;
  }

  async *list(config: CheckpointConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    checkListing("IndexedDBSaver", options);
    const { thread_id, checkpoint_ns: ns } = config.configurable ?? {};
    const range =
      thread_id === undefined ? undefined : startingWith(...(ns === undefined ? [thread_id] : [thread_id, ns]));
    const keys = await this.#database.run(
      "readonly",
      "Listing checkpoints",
      (store) => answer(store(CHECKPOINTS).getAllKeys(range)) as unknown as Promise<Key[]>,
    );
    const found = keys.filter((key) => (ns === undefined || key[1] === ns) && takesId(config, options, key[2]));
    found.sort(([, , a], [, , b]) => (a < b ? 1 : a > b ? -1 : 0));
    let left = options?.limit ?? Infinity;
    for (const key of found) {
      if (left <= 0) return;
      // Each in a transaction of its own: the caller may take its time between two.
      const tuple = await this.#database.run("readonly", "Loading a checkpoint", (store) =>
        getTuple(store, key, options),
      );
      if (tuple === undefined) continue;
      left--;
      yield tuple;
    }
  }

  override async *listThreads(): AsyncGenerator<SavedThread> {
    yield* await this.#database.run("readonly", "Listing threads", async (store) => {
      const threads: SavedThread[] = [];
      for (let rest: IDBKeyRange | undefined; ;) {
        const key = (await answer(store(CHECKPOINTS).openKeyCursor(rest)))?.key as Key | undefined;
        if (key === undefined) return threads;
        const [thread, ns, id] = key;
        const last = (await newestId(store, { thread, ns })) ?? id;
        const rows = await Promise.all([getRow(store, key), getRow(store, [thread, ns, last])]);
        const [createdAt = "", updatedAt = createdAt] = rows.map((row) => row?.checkpoint.ts);
        threads.push({ threadId: thread, createdAt, updatedAt });
        // Behind all keys of the thread.
        rest = IDBKeyRange.lowerBound([thread, []]);
      }
    });
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#database.run("readwrite", "Deleting a thread", async (store) => {
      for (const name of STORES) store(name).delete(startingWith(threadId));
    });
    this.#known.forget(threadId);
  }

  /** Closes the database. The next call opens it again. */
  close(): void {
    this.#database.close();
  }
}

function getRow(store: Store, key: Key): Promise<Row | undefined> {
  return answer(store(CHECKPOINTS).get(key)) as Promise<Row | undefined>;
}

async function newestId(store: Store, { thread, ns }: Place): Promise<string | undefined> {
  const cursor = await answer(store(CHECKPOINTS).openKeyCursor(startingWith(thread, ns), "prev"));
  return (cursor?.key as Key | undefined)?.[2];
}

/** Finds the value of this version. A copy of another checkpoint, which is not its child, has no new versions. */
async function findVersion(
  store: Store,
  { thread, ns }: Place,
  channel: string,
  version: unknown,
): Promise<Stored | undefined> {
  if (version === undefined) return undefined;
  const rows = (await answer(store(CHECKPOINTS).getAll(startingWith(thread, ns)))) as Row[];
  return rows.find((row) => row.checkpoint.channel_versions[channel] === version)?.values[channel];
}

function putValue(store: Store, key: Key, channel: string, value: unknown): Stored {
  const isSmall = typeof value === "string" ? value.length <= SHORT_TEXT : typeof value !== "object" || value === null;
  if (isSmall) return { value };
  store(VALUES).put(plainValue(value), [...key, channel]);
  return { by: key[2] };
}

async function putList(
  store: Store,
  { thread, ns }: Place,
  name: string,
  items: readonly unknown[],
  old: { items: readonly unknown[]; parts: Parts; isGrown: boolean } | undefined,
): Promise<Parts> {
  const last = old?.parts.at(-1);
  const behind = last && IDBKeyRange.bound([thread, ns, last.name, last.count], [thread, ns, last.name, Infinity]);
  const isFree = behind !== undefined && (await answer(store(ITEMS).count(behind))) === 0;
  const next = nextVersion(items, name, isFree, old);
  const part = next.parts.at(-1);
  if (part !== undefined && next.items.length > 0)
    store(ITEMS).put(next.items.map(plainValue), [thread, ns, part.name, next.from]);
  return next.parts;
}

async function getTuple(store: Store, key: Key, options?: CheckpointListOptions): Promise<CheckpointTuple | undefined> {
  const row = await getRow(store, key);
  if (row === undefined || !takesMetadata(options, row.metadata)) return undefined;
  const [thread, ns, id] = key;
  const { parent, metadata } = row;
  const [values, pendingWrites] = await Promise.all([
    Promise.all(
      Object.entries(row.values).map(async ([channel, stored]) => [
        channel,
        await getValue(store, key, channel, stored),
      ]),
    ),
    getWrites(store, key),
  ]);
  const checkpoint: Checkpoint = { ...row.checkpoint, channel_values: Object.fromEntries(values) };
  const isOld = checkpoint.v < 4 && parent !== undefined;
  const tuple: CheckpointTuple = {
    config: configOf({ thread, ns }, id),
    checkpoint: isOld ? withPendingSends(checkpoint, await getWrites(store, [thread, ns, parent])) : checkpoint,
    metadata,
    pendingWrites,
  };
  if (parent !== undefined) tuple.parentConfig = configOf({ thread, ns }, parent);
  return tuple;
}

function getWrites(store: Store, key: Key): Promise<CheckpointPendingWrite[]> {
  return answer(store(WRITES).getAll(startingWith(...key)));
}

async function getValue(store: Store, [thread, ns]: Key, channel: string, stored: Stored): Promise<unknown> {
  if ("value" in stored) return stored.value;
  if ("by" in stored) return answer(store(VALUES).get([thread, ns, stored.by, channel]));
  const parts = stored.list.map(async ({ name, count }) => {
    const range = IDBKeyRange.bound([thread, ns, name, 0], [thread, ns, name, count], false, true);
    const batches = (await answer(store(ITEMS).getAll(range))) as unknown[][];
    return batches.flat().slice(0, count);
  });
  return (await Promise.all(parts)).flat();
}
