// A thread in a saver: its saves, their order, and their errors.
import type {
  ChannelVersions,
  CheckpointConfig,
  CheckpointMetadata,
  CheckpointSaver,
  CheckpointTuple,
  PendingWrite,
} from "../../checkpoint/types.js";
import type { GraphSpec } from "../build/graph-spec.js";
import type { Durability } from "../given/run-config.js";
import { SaveQueue } from "./save-queue.js";
import { checkpointOf, type Seen, seenOf, type Snapshot } from "./checkpoint-format.js";

/** Saves a run's data, in order and in the background. */
export class CheckpointWriter {
  readonly spec: GraphSpec;
  readonly saver: CheckpointSaver;
  readonly durability: Durability;
  /** The config of the checkpoint before the newest. */
  parentConfig: CheckpointConfig | undefined;
  /** Whether it has saved a checkpoint. */
  hasPut = false;
  readonly #base: Record<string, unknown>;
  /** The id of the next checkpoint's parent. */
  #parent: string | undefined;
  #versions: readonly number[] = [];
  #seen: Seen | undefined;
  readonly #queue: SaveQueue;

  /** `place`: the `configurable` that all its checkpoints have. */
  constructor(spec: GraphSpec, saver: CheckpointSaver, place: Record<string, unknown>, durability: Durability) {
    this.spec = spec;
    this.saver = saver;
    this.durability = durability;
    this.#queue = new SaveQueue(saver);
    this.#base = place;
  }

  /** A checkpoint's place. */
  config(id?: string): CheckpointConfig {
    return { configurable: id === undefined ? { ...this.#base } : { ...this.#base, checkpoint_id: id } };
  }

  /** Goes on from a checkpoint. */
  from(tuple: CheckpointTuple, versions: readonly number[]): void {
    this.#parent = tuple.checkpoint.id;
    this.parentConfig = tuple.parentConfig;
    this.#versions = versions;
  }

  /** Saves a checkpoint after the last one. `grown` has the earlier values of lists that only got longer. */
  put(snapshot: Snapshot, metadata: CheckpointMetadata, grown?: Record<string, readonly unknown[]>): void {
    // At the exit of a run that has ended no step.
    if (snapshot.id === this.#parent) {
      this.#putAgain(snapshot, metadata);
      return;
    }
    const before = this.#versions;
    const { versions } = snapshot.plan;
    const fresh: ChannelVersions = {};
    for (let channel = 0; channel < versions.length; channel++) {
      const version = versions[channel] as number;
      if (version > (before[channel] ?? 0)) fresh[this.spec.channels[channel] as string] = version;
    }
    this.#seen = seenOf(this.spec, snapshot.plan, snapshot.others, this.#seen);
    const checkpoint = checkpointOf(this.spec, snapshot, this.#seen);
    const config = this.config(this.#parent);
    this.#put(() => this.saver.put(config, checkpoint, metadata, fresh, grown));
    this.parentConfig = this.#parent === undefined ? undefined : config;
    this.#parent = snapshot.id;
    this.#versions = versions;
  }

  /** Saves the checkpoint that it continues from in its current state: whole, and in the same place. */
  #putAgain(snapshot: Snapshot, metadata: CheckpointMetadata): void {
    const checkpoint = checkpointOf(this.spec, snapshot);
    const config = this.config(this.parentConfig?.configurable?.checkpoint_id);
    this.#put(() => this.saver.put(config, checkpoint, metadata, checkpoint.channel_versions));
    this.#versions = snapshot.plan.versions;
  }

  #put(save: () => Promise<unknown>): void {
    this.#queue.put(save);
    this.hasPut = true;
  }

  /** Saves a task's writes after a checkpoint. */
  putWrites(id: string, writes: PendingWrite[], taskId: string): void {
    this.#queue.putWrites(() => this.saver.putWrites(this.config(id), writes, taskId));
  }

  /** Waits until all is saved. @throws the saver's error. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /** @throws the saver's error. */
  check(): void {
    this.#queue.check();
  }
}
