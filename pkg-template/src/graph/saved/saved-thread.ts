// A thread in a saver: what is saved of it, in which order, and what failed.
import { MemorySaver } from "../../checkpoint/memory-saver.js";
import type {
  ChannelVersions,
  CheckpointConfig,
  CheckpointMetadata,
  CheckpointSaver,
  CheckpointTuple,
  PendingWrite,
} from "../../checkpoint/types.js";
import { checkpointOf, type Seen, seenOf, type Snapshot } from "./checkpoint-format.js";
import type { GraphSpec } from "../build/graph-spec.js";
import type { Durability } from "../build/run-config.js";

/** Saves what a run says, in order and in the background. */
export class SavedThread {
  readonly spec: GraphSpec;
  readonly saver: CheckpointSaver;
  readonly durability: Durability;
  /** The config of the checkpoint before the newest. */
  parentConfig: CheckpointConfig | undefined;
  /** Whether it has saved a checkpoint. */
  hasPut = false;
  readonly #base: Record<string, unknown>;
  /** The id of the checkpoint that the next one comes behind. */
  #parent: string | undefined;
  #versions: readonly number[] = [];
  #last: Promise<unknown> | undefined;
  #seen: Seen | undefined;
  /** Whether a call has done its work when it returns: then nothing has to wait for anything. */
  readonly #isImmediate: boolean;
  readonly #open = new Set<Promise<unknown>>();
  #failed: { error: unknown } | undefined;

  /** `place`: the `configurable` that all its checkpoints have. */
  constructor(spec: GraphSpec, saver: CheckpointSaver, place: Record<string, unknown>, durability: Durability) {
    this.spec = spec;
    this.saver = saver;
    this.durability = durability;
    const own = MemorySaver.prototype;
    this.#isImmediate = saver.put === own.put && saver.putWrites === own.putWrites;
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

  /** Saves a checkpoint behind the last one. `grown`: what lists were before they only got longer. */
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
    this.#save(() => this.saver.put(config, checkpoint, metadata, fresh, grown));
    this.parentConfig = this.#parent === undefined ? undefined : config;
    this.#parent = snapshot.id;
    this.#versions = versions;
  }

  /** Saves the checkpoint that it goes on from, as it stands now: whole, and where it was. */
  #putAgain(snapshot: Snapshot, metadata: CheckpointMetadata): void {
    const checkpoint = checkpointOf(this.spec, snapshot);
    const config = this.config(this.parentConfig?.configurable?.checkpoint_id);
    this.#save(() => this.saver.put(config, checkpoint, metadata, checkpoint.channel_versions));
    this.#versions = snapshot.plan.versions;
  }

  #save(save: () => Promise<unknown>): void {
    if (this.#isImmediate) this.#note(save());
    else this.#track((this.#last = this.#last ? this.#last.then(save) : save()), true);
    this.hasPut = true;
  }

  /** Saves what a task wrote behind a checkpoint. */
  putWrites(id: string, writes: PendingWrite[], taskId: string): void {
    const save = () => this.saver.putWrites(this.config(id), writes, taskId);
    if (this.#isImmediate) this.#note(save());
    else this.#track(this.#last ? this.#last.then(save) : save(), false);
  }

  #note(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#failed ??= { error };
    });
  }

  #track(work: Promise<unknown>, isPut: boolean): void {
    this.#open.add(work);
    work.then(
      () => {
        this.#open.delete(work);
        if (isPut && this.#last === work) this.#last = undefined;
      },
      (error: unknown) => {
        this.#open.delete(work);
        this.#failed ??= { error };
      },
    );
  }

  /** Waits until all is saved. @throws what the saver threw. */
  async settled(): Promise<void> {
    // What was refused at once is noted a moment later.
    await undefined;
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
    this.check();
  }

  /** @throws what the saver threw. */
  check(): void {
    if (!this.#failed) return;
    const { error } = this.#failed;
    throw error;
  }
}
