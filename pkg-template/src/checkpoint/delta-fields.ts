// Fields that langgraph.js keeps as deltas (its DeltaChannel): a checkpoint has their value only now and then. In
// between it is the last one that is kept, with what tasks wrote since.
import { deltaHistory } from "./delta-history.js";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointSaver,
  CheckpointTuple,
  PendingWrite,
} from "./types.js";

/** A field that is kept so. */
export interface DeltaField {
  readonly name: string;
  /** After so many updates the value is kept whole. */
  readonly every: number;
  /** Folds writes, oldest first, into a kept value; undefined if none was kept. */
  fold(value: unknown, writes: readonly unknown[]): unknown;
}

type Counters = Readonly<Record<string, readonly [updates: number, steps: number]>>;

/** As langgraph.js's: reading walks no further back. */
const MOST_STEPS = 5_000;

/** The known state of the parent of the next checkpoint. */
interface Known {
  readonly id: string;
  readonly counters: Counters;
  /** By field, the tasks whose writes are saved beside it. */
  readonly writers: Map<string, Set<string>>;
  /** Fields with earlier writes, which may belong to another branch, or be abandoned. */
  readonly unsure: ReadonlySet<string>;
}

/** The delta fields of one thread, from checkpoint to checkpoint. */
export class DeltaFields {
  readonly #fields: readonly DeltaField[];
  #known: Known | undefined;

  constructor(fields: readonly DeltaField[]) {
    this.#fields = fields;
  }

  /** Adds the values that a checkpoint does not have. */
  async read(
    saver: CheckpointSaver,
    { config, checkpoint, metadata, pendingWrites = [] }: CheckpointTuple,
  ): Promise<Checkpoint> {
    if (this.#fields.length === 0) return checkpoint;
    const written = new Set(pendingWrites.map(([, channel]) => channel));
    const counters = metadata?.counters_since_delta_snapshot ?? {};
    this.#known = { id: checkpoint.id, counters, writers: new Map(), unsure: written };
    const values = { ...checkpoint.channel_values };
    for (const { name } of this.#fields) values[name] = whole(values[name]);
    const missing = this.#fields.filter(({ name }) => values[name] === undefined);
    const names = missing.map(({ name }) => name);
    const histories = await deltaHistory(saver, config, names);
    for (const { name, fold } of missing) {
      const { seed, writes = [] } = histories[name] ?? {};
      values[name] = fold(
        whole(seed),
        writes.map(([, , value]: CheckpointPendingWrite) => value),
      );
    }
    return { ...checkpoint, channel_values: values };
  }

  /** Receives a task's writes to a checkpoint. */
  wrote(id: string | undefined, writes: readonly PendingWrite[], taskId: string): void {
    if (this.#known?.id !== id) return;
    for (const [channel] of writes) {
      const tasks = this.#known?.writers.get(channel) ?? new Set();
      this.#known?.writers.set(channel, tasks.add(taskId));
    }
  }

  /**
   * Returns the checkpoint after `parent` in the form to keep: without the values that can be derived from the writes.
   */
  write(
    parent: string | undefined,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): [Checkpoint, CheckpointMetadata] {
    const channel_values = { ...checkpoint.channel_values };
    const counters: Record<string, [number, number]> = {};
    const known = this.#known?.id === parent ? this.#known : undefined;
    // A checkpoint that is put again is kept whole: the writes after its parent may be another branch's.
    const isAgain = this.#known?.id === checkpoint.id;
    for (const { name, every } of this.#fields) {
      const [updates, steps] = known?.counters[name] ?? [0, 0];
      const isNew = name in newVersions;
      const next: [number, number] = [isNew ? updates + 1 : updates, steps + 1];
      // Writes of one task are folded in their order. Those of several would be, too, but in the order of the tasks'
      // ids; and those that nobody applied would come back.
      const writers = known?.writers.get(name)?.size ?? 0;
      const isTold = known ? writers === (isNew ? 1 : 0) && !known.unsure.has(name) : parent === undefined && !isNew;
      if (isAgain || !isTold || next[0] >= every || next[1] >= MOST_STEPS) continue;
      delete channel_values[name];
      counters[name] = next;
    }
    this.#known = { id: checkpoint.id, counters, writers: new Map(), unsure: new Set() };
    const isCounted = Object.keys(counters).length > 0;
    return [
      { ...checkpoint, channel_values },
      isCounted ? { ...metadata, counters_since_delta_snapshot: counters } : metadata,
    ];
  }
}

/** A value that was kept, without what langgraph.js puts around it. */
function whole(value: unknown): unknown {
  const isSnapshot =
    typeof value === "object" && value !== null && (value as { lg_name?: unknown }).lg_name === "DeltaSnapshot";
  return isSnapshot ? (value as { value?: unknown }).value : value;
}
