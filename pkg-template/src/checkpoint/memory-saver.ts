// Checkpoints in memory, by reference.
import { BaseCheckpointSaver } from "./base-saver.js";
import { KeptList, LONG_LIST } from "./kept-list.js";
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
import { addWrites, type Writes } from "./pending-writes.js";
import { withPendingSends } from "./pending-sends.js";
import type {
  ChannelVersion,
  ChannelVersions,
  Checkpoint,
  CheckpointConfig,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  GrownLists,
  PendingWrite,
  SavedThread,
} from "./types.js";

/** A checkpoint, whose long lists are `KeptList`s, with what belongs to it. */
interface Entry {
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  readonly parent: string | undefined;
}

/** The checkpoints of one graph of a thread. Writes may come before their checkpoint does. */
interface Namespace {
  readonly place: Place;
  readonly entries: Map<string, Entry>;
  /** In order: newest last. */
  readonly ids: string[];
  readonly writes: Map<string, Writes>;
}

/**
 * Keeps checkpoints in memory, for tests, scripts, and pages that need not survive a reload.
 *
 * It keeps the values that it gets, and gives the same ones back: don't change a value that was in a state. A
 * checkpoint costs what changed, not what the state holds: of a list that got longer only the newest version is kept
 * whole.
 *
 * @example
 * ```ts
 * import { MemorySaver } from "threadfold/graph";
 *
 * const saver = new MemorySaver();
 * const config = { configurable: { thread_id: "1" } };
 * const checkpoint = {
 *   v: 4,
 *   id: "1ef00000-0000-6000-8000-000000000000",
 *   ts: new Date().toISOString(),
 *   channel_values: { count: 1 },
 *   channel_versions: { count: 1 },
 *   versions_seen: {},
 * };
 * await saver.put(config, checkpoint, { source: "input", step: -1, parents: {} }, { count: 1 });
 * console.log((await saver.get(config))?.channel_values); // { count: 1 }
 * ```
 */
export class MemorySaver extends BaseCheckpointSaver {
  readonly #threads = new Map<string, Map<string, Namespace>>();

  /** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a config without a `thread_id`. */
  async put(
    config: CheckpointConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
    grown?: GrownLists,
  ): Promise<CheckpointConfig> {
    const place = placeOf(config);
    const namespace = this.#namespace(place);
    const parent = parentOf(config, checkpoint);
    // A checkpoint that is put again, with itself as parent, changes in place: it keeps its values and its position.
    const before = namespace.entries.get(parent ?? checkpoint.id);
    const channel_values = keptValues(namespace, checkpoint, before?.checkpoint, newVersions, grown);
    const { v, id, ts, channel_versions, versions_seen } = checkpoint;
    if (!namespace.entries.has(id)) insert(namespace.ids, id);
    namespace.entries.set(id, {
      checkpoint: { v, id, ts, channel_values, channel_versions, versions_seen },
      metadata,
      parent: parent ?? before?.parent,
    });
    return configOf(place, id);
  }

  /** @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for a config without a `thread_id` or `checkpoint_id`. */
  async putWrites(config: CheckpointConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const namespace = this.#namespace(placeOf(config));
    const id = checkpointIdOf(config);
    let kept = namespace.writes.get(id);
    if (kept === undefined) namespace.writes.set(id, (kept = new Map()));
    addWrites(kept, writes, taskId);
  }

  async getTuple(config: CheckpointConfig): Promise<CheckpointTuple | undefined> {
    const { thread, ns, id: named } = askedPlace(config);
    const namespace = this.#threads.get(thread as string)?.get(ns);
    const id = named || namespace?.ids.at(-1);
    return namespace === undefined || id === undefined ? undefined : tuple(namespace, id);
  }

  async *list(config: CheckpointConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    checkListing("MemorySaver", options);
    const { thread_id, checkpoint_ns } = config.configurable ?? {};
    const threads = thread_id === undefined ? [...this.#threads.values()] : [this.#threads.get(thread_id)];
    const found: [id: string, Namespace][] = [];
    for (const thread of threads)
      for (const [ns, namespace] of thread ?? [])
        if (checkpoint_ns === undefined || ns === checkpoint_ns)
          for (const id of namespace.ids) if (takesId(config, options, id)) found.push([id, namespace]);
    found.sort(([a], [b]) => (a < b ? 1 : a > b ? -1 : 0));
    let left = options?.limit ?? Infinity;
    for (const [id, namespace] of found) {
      const metadata = namespace.entries.get(id)?.metadata;
      if (metadata === undefined || !takesMetadata(options, metadata)) continue;
      if (left-- <= 0) return;
      yield tuple(namespace, id) as CheckpointTuple;
    }
  }

  override *listThreads(): Generator<SavedThread> {
    for (const [threadId, namespaces] of this.#threads) {
      const times: string[] = [];
      for (const { ids, entries } of namespaces.values())
        for (const id of [ids[0], ids.at(-1)]) {
          const entry = id === undefined ? undefined : entries.get(id);
          if (entry) times.push(entry.checkpoint.ts);
        }
      times.sort();
      const [createdAt, updatedAt = createdAt] = [times[0], times.at(-1)];
      if (createdAt !== undefined && updatedAt !== undefined) yield { threadId, createdAt, updatedAt };
    }
  }

  async deleteThread(threadId: string): Promise<void> {
    this.#threads.delete(threadId);
  }

  #namespace(place: Place): Namespace {
    let thread = this.#threads.get(place.thread);
    if (thread === undefined) this.#threads.set(place.thread, (thread = new Map()));
    let namespace = thread.get(place.ns);
    if (namespace === undefined) {
      namespace = { place, entries: new Map(), ids: [], writes: new Map() };
      thread.set(place.ns, namespace);
    }
    return namespace;
  }
}

/** The values as they are kept: the new ones, with the other ones of the checkpoint `before`. */
function keptValues(
  namespace: Namespace,
  { channel_values, channel_versions }: Checkpoint,
  before: Checkpoint | undefined,
  newVersions: ChannelVersions | undefined,
  grown: GrownLists | undefined,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const channel in channel_values) {
    const old = before?.channel_values[channel];
    if (newVersions === undefined || channel in newVersions)
      kept[channel] = keptValue(channel_values[channel], old, grown?.[channel]);
    else if (before?.channel_versions[channel] === channel_versions[channel]) kept[channel] = old;
    else {
      // A copy of another checkpoint, which is not its child, has no new versions.
      const same = findVersion(namespace, channel, channel_versions[channel]);
      if (same) kept[channel] = same.channel_values[channel];
    }
  }
  return kept;
}

function keptValue(value: unknown, old: unknown, grownFrom: readonly unknown[] | undefined): unknown {
  if (!Array.isArray(value) || value.length < LONG_LIST) return value;
  if (!(old instanceof KeptList)) return new KeptList(value);
  if (old.items === value) return old;
  return old.followedBy(value, old.items !== undefined && old.items === grownFrom);
}

function findVersion(
  { entries }: Namespace,
  channel: string,
  version: ChannelVersion | undefined,
): Checkpoint | undefined {
  if (version === undefined) return undefined;
  for (const { checkpoint } of entries.values())
    if (checkpoint.channel_versions[channel] === version) return checkpoint;
  return undefined;
}

function tuple({ place, entries, writes }: Namespace, id: string): CheckpointTuple | undefined {
  const entry = entries.get(id);
  if (entry === undefined) return undefined;
  const channel_values = { ...entry.checkpoint.channel_values };
  for (const channel in channel_values) {
    const value = channel_values[channel];
    if (value instanceof KeptList) channel_values[channel] = value.read();
  }
  // Copies, for langgraph.js writes into what it loads: looking at a state would change the thread.
  const channel_versions = { ...entry.checkpoint.channel_versions };
  const versions_seen = { ...entry.checkpoint.versions_seen };
  for (const node in versions_seen) versions_seen[node] = { ...versions_seen[node] };
  const checkpoint = { ...entry.checkpoint, channel_values, channel_versions, versions_seen };
  const isOld = checkpoint.v < 4 && entry.parent !== undefined;
  const found: CheckpointTuple = {
    config: configOf(place, id),
    checkpoint: isOld ? withPendingSends(checkpoint, writes.get(entry.parent as string)?.values() ?? []) : checkpoint,
    metadata: entry.metadata,
    pendingWrites: [...(writes.get(id)?.values() ?? [])],
  };
  if (entry.parent !== undefined) found.parentConfig = configOf(place, entry.parent);
  return found;
}

/** Ids come in order, but for those of two runs at once. */
function insert(ids: string[], id: string): void {
  let at = ids.length;
  while (at > 0 && (ids[at - 1] as string) > id) at--;
  if (at === ids.length) ids.push(id);
  else ids.splice(at, 0, id);
}
