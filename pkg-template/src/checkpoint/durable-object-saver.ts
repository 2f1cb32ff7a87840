// Checkpoints in the SQLite storage of a Durable Object.
import { ThreadfoldError } from "../shared/errors.js";
import { joinedTexts, piecesOf, type ObjectContext, type ObjectStorage } from "../shared/object-storage.js";
import { BaseCheckpointSaver } from "./base-saver.js";
import { readJson, writeJson } from "./json-values.js";
import { LONG_LIST } from "./kept-list.js";
import { KnownLists } from "./known-lists.js";
import { withPendingSends } from "./pending-sends.js";
import { placesOf } from "./pending-writes.js";
import {
  askedPlace,
  checkListing,
  checkpointIdOf,
  configOf,
  parentOf,
  placeOf,
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
} from "./types.js";

/** The value of a channel: the text of this name, or a list in parts, whose items are texts. */
type Stored = { readonly text: number } | { readonly list: Parts };

/** A checkpoint as it is stored: its values are elsewhere, each once. */
interface Row {
  readonly checkpoint: Omit<Checkpoint, "channel_values">;
  readonly values: Readonly<Record<string, Stored>>;
  readonly metadata: CheckpointMetadata;
  readonly parent: string | undefined;
}

/** `threadfold_texts` has all texts under a number, in pieces; a list has an item at each place from 0. */
const TABLES = `
CREATE TABLE IF NOT EXISTS threadfold_texts (name INTEGER, at INTEGER, piece INTEGER, thread TEXT, text TEXT,
  PRIMARY KEY (name, at, piece)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS threadfold_checkpoints (thread TEXT, ns TEXT, id TEXT, text INTEGER,
  PRIMARY KEY (thread, ns, id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS threadfold_writes (thread TEXT, ns TEXT, id TEXT, task TEXT, place INTEGER, text INTEGER,
  PRIMARY KEY (thread, ns, id, task, place)) WITHOUT ROWID;
`;

/**
 * Keeps the checkpoints of a thread in the storage of its Durable Object, which must be backed by SQLite.
 *
 * It stores what changed: a value once, and the new items of a list that got longer. Values are stored as JSON. Dates, maps,
 * sets, bytes and big integers come back as they were; instances of LangChain's messages come back as dicts.
 *
 * It rejects with a {@link ThreadfoldError} `STORAGE_FAILED` for a value that cannot be stored, such as a function. Errors
 * of the storage are passed on. It lists no threads: each one is in an object of its own.
 *
 * @example
 * ```ts
 * import { defineSchema, field } from "threadfold";
 * import { START, StateGraph } from "threadfold/graph";
 * import { DurableObjectSaver, type ObjectContext } from "threadfold/serve/durable-object";
 *
 * const builder = new StateGraph(defineSchema({ messages: field.messages() }))
 *   .addNode("answer", () => ({ messages: [{ type: "ai", content: "Hello" }] }))
 *   .addEdge(START, "answer");
 *
 * const graphOf = (ctx: ObjectContext) => builder.compile({ checkpointer: new DurableObjectSaver(ctx) });
 * ```
 */
export class DurableObjectSaver extends BaseCheckpointSaver {
  readonly #storage: ObjectStorage;
  readonly #known = new KnownLists();

  /** @param ctx - The object's `this.ctx`. */
  constructor({ storage }: ObjectContext) {
    super();
    this.#storage = storage;
    storage.sql.exec(TABLES);
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
    const { channel_values, ...rest } = checkpoint;
    const { id } = checkpoint;
    const parent = parentOf(config, checkpoint);
    const lists = this.#known.of(place, parent, grown);
    this.#storage.transactionSync(() => {
      // A checkpoint that is put again, with itself as parent, changes in place: it keeps its values and its position.
      const before = this.#row(place, parent ?? id);
      const values: Record<string, Stored> = {};
      for (const [channel, value] of Object.entries(channel_values)) {
        const old = before?.values[channel];
        if (newVersions !== undefined && !(channel in newVersions)) {
          const version = rest.channel_versions[channel];
          const isSame = before?.checkpoint.channel_versions[channel] === version;
          const same = isSame ? old : this.#ofVersion(place, channel, version);
          if (same) values[channel] = same;
        } else if (Array.isArray(value) && value.length >= LONG_LIST) {
          const items = lists.get(channel);
          const isGrown = items !== undefined && grown?.[channel] === items;
          const was = old && "list" in old && items ? { items, parts: old.list, isGrown } : undefined;
          values[channel] = { list: this.#writeList(place, value, was) };
        } else values[channel] = { text: this.#write(place, value) };
      }
      const row: Row = { checkpoint: rest, values, metadata, parent: parent ?? before?.parent };
      this.#exec(
        "INSERT OR REPLACE INTO threadfold_checkpoints VALUES (?, ?, ?, ?)",
        place.thread,
        place.ns,
        id,
        this.#write(place, row),
      );
    });
    this.#known.know(place, id, channel_values);
    return configOf(place, id);
  }

  /** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a config without a `thread_id` or `checkpoint_id`. */
  async putWrites(config: CheckpointConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const place = placeOf(config);
    const id = checkpointIdOf(config);
    const places = placesOf(writes);
    this.#storage.transactionSync(() => {
      writes.forEach((write, index) => {
        const at = places[index] as number;
        const key = [place.thread, place.ns, id, taskId, at] as const;
        // A task's earlier writes stay, except its reports on itself.
        const isKept = at >= 0 && this.#exec(`SELECT 1 FROM threadfold_writes WHERE ${WRITE}`, ...key).length > 0;
        if (isKept) return;
        const text = this.#write(place, write);
        this.#exec("INSERT OR REPLACE INTO threadfold_writes VALUES (?, ?, ?, ?, ?, ?)", ...key, text);
      });
    });
  }

  async getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    const { thread, ns, id: named } = askedPlace(config);
    if (typeof thread !== "string") return undefined;
    const place = { thread, ns };
    const id = named || this.#newest(place);
    const tuple = id === undefined ? undefined : this.#tuple(place, id);
    if (tuple) this.#known.know(place, tuple.checkpoint.id, tuple.checkpoint.channel_values);
    return tuple;
  }

  async *list(config: CheckpointConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    checkListing("DurableObjectSaver", options);
    const { thread_id = null, checkpoint_ns = null, checkpoint_id } = config.configurable ?? {};
    const found = this.#exec(
      `SELECT thread, ns, id FROM threadfold_checkpoints WHERE thread = coalesce(?, thread) AND ns = coalesce(?, ns)
         AND id = coalesce(?, id) AND (? IS NULL OR id < ?) ORDER BY id DESC`,
      thread_id,
      checkpoint_ns,
      checkpoint_id || null,
      ...Array.from({ length: 2 }, () => options?.before?.configurable?.checkpoint_id || null),
    );
    let left = options?.limit ?? Infinity;
    for (const { thread, ns, id } of found as { thread: string; ns: string; id: string }[]) {
      if (left <= 0) return;
      const tuple = this.#tuple({ thread, ns }, id, options);
      if (!tuple) continue;
      left--;
      yield tuple;
    }
  }

  /** @throws {@link ThreadfoldError} `UNSUPPORTED`, always. */
  override listThreads(): never {
    throw new ThreadfoldError(
      "UNSUPPORTED",
      "Threads cannot be listed: each is in a Durable Object of its own. Keep a list of your own, such as in D1.",
    );
  }

  async deleteThread(threadId: string): Promise<void> {
    this.#storage.transactionSync(() => {
      for (const table of ["texts", "checkpoints", "writes"])
        this.#exec(`DELETE FROM threadfold_${table} WHERE thread = ?`, threadId);
    });
    this.#known.forget(threadId);
  }

  #exec(query: string, ...bindings: (string | number | null)[]): Record<string, unknown>[] {
    return this.#storage.sql.exec(query, ...bindings).toArray();
  }

  #newName(): number {
    return Number(this.#exec("SELECT coalesce(max(name), 0) + 1 AS name FROM threadfold_texts")[0]?.["name"]);
  }

  #write(place: Place, value: unknown, name = this.#newName(), at = 0): number {
    for (const [piece, text] of piecesOf(writeJson(value)).entries())
      this.#exec("INSERT INTO threadfold_texts VALUES (?, ?, ?, ?, ?)", name, at, piece, place.thread, text);
    return name;
  }

  /** The values of a name before a place. */
  #read(name: number | string, before: number): unknown[] {
    const rows = this.#exec(
      "SELECT at, text FROM threadfold_texts WHERE name = ? AND at < ? ORDER BY at, piece",
      Number(name),
      before,
    );
    return joinedTexts(rows).map(([, text]) => readJson(text));
  }

  #writeList(place: Place, items: readonly unknown[], old: Parameters<typeof nextVersion>[3]): Parts {
    const last = old?.parts.at(-1);
    const behind =
      last &&
      this.#exec("SELECT 1 FROM threadfold_texts WHERE name = ? AND at >= ? LIMIT 1", Number(last.name), last.count);
    const next = nextVersion(items, String(this.#newName()), behind?.length === 0, old);
    const name = Number(next.parts.at(-1)?.name);
    for (const [at, item] of next.items.entries()) this.#write(place, item, name, next.from + at);
    return next.parts;
  }

  #value(stored: Stored): unknown {
    if ("text" in stored) return this.#read(stored.text, 1)[0];
    return stored.list.flatMap(({ name, count }) => this.#read(name, count));
  }

  #row({ thread, ns }: Place, id: string): Row | undefined {
    const [found] = this.#exec(`SELECT text FROM threadfold_checkpoints WHERE ${CHECKPOINT}`, thread, ns, id);
    return found && (this.#read(found["text"] as number, 1)[0] as Row);
  }

  #newest({ thread, ns }: Place): string | undefined {
    const query = "SELECT max(id) AS id FROM threadfold_checkpoints WHERE thread = ? AND ns = ?";
    return (this.#exec(query, thread, ns)[0]?.["id"] as string | null) ?? undefined;
  }

  /** Finds the value of this version. A copy of another checkpoint, which is not its child, has no new versions. */
  #ofVersion(place: Place, channel: string, version: unknown): Stored | undefined {
    if (version === undefined) return undefined;
    const query = "SELECT id FROM threadfold_checkpoints WHERE thread = ? AND ns = ?";
    for (const { id } of this.#exec(query, place.thread, place.ns)) {
      const row = this.#row(place, id as string);
      if (row?.checkpoint.channel_versions[channel] === version) return row.values[channel];
    }
    return undefined;
  }

  #writes({ thread, ns }: Place, id: string): CheckpointPendingWrite[] {
    const query = `SELECT task, text FROM threadfold_writes WHERE ${CHECKPOINT} ORDER BY task, place`;
    return this.#exec(query, thread, ns, id).map(({ task, text }) => {
      const [channel, value] = this.#read(text as number, 1)[0] as PendingWrite;
      return [task as string, channel, value];
    });
  }

  #tuple(place: Place, id: string, options?: CheckpointListOptions): CheckpointTuple | undefined {
    const row = this.#row(place, id);
    if (!row || !takesMetadata(options, row.metadata)) return undefined;
    const { parent, metadata } = row;
    const values = Object.entries(row.values).map(([channel, stored]) => [channel, this.#value(stored)]);
    const checkpoint: Checkpoint = { ...row.checkpoint, channel_values: Object.fromEntries(values) };
    const isOld = checkpoint.v < 4 && parent !== undefined;
    return {
      config: configOf(place, id),
      checkpoint: isOld ? withPendingSends(checkpoint, this.#writes(place, parent)) : checkpoint,
      metadata,
      pendingWrites: this.#writes(place, id),
      ...(parent !== undefined && { parentConfig: configOf(place, parent) }),
    };
  }
}

const CHECKPOINT = "thread = ? AND ns = ? AND id = ?";
const WRITE = `${CHECKPOINT} AND task = ? AND place = ?`;
