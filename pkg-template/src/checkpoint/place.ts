// Where a config points: the thread, the namespace and the checkpoint that it names.
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions, type NamesOf } from "../shared/options.js";
import type { Checkpoint, CheckpointConfig, CheckpointListOptions, CheckpointMetadata } from "./types.js";

export interface Place {
  thread: string;
  ns: string;
}

/** The thread and namespace to write to. Throws for a config without a thread. */
export function placeOf(config: CheckpointConfig): Place {
  const { thread_id: thread, checkpoint_ns: ns = "" } = config.configurable ?? {};
  if (typeof thread !== "string" || thread === "")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "Invalid config for a saver: expected configurable.thread_id to be a string that is not empty.",
    );
  if (typeof ns !== "string")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Invalid config for a saver: expected configurable.checkpoint_ns to be a string, got ${typeof ns}.`,
    );
  return { thread, ns };
}

/** Throws if `configurable.checkpoint_id` is not a string, because no checkpoint can have it. */
export function checkCheckpointId(configurable: object | undefined): void {
  const { checkpoint_id: id } = (configurable ?? {}) as { checkpoint_id?: unknown };
  if (id !== undefined && id !== null && typeof id !== "string")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Invalid config: expected configurable.checkpoint_id to be a string, got ${typeof id}.`,
    );
}

/** Where a config asks for a checkpoint: the latest, if it names none. Throws for what can name nothing. */
export function askedPlace(config: CheckpointConfig) {
  checkCheckpointId(config.configurable);
  const { thread_id: thread, checkpoint_ns: ns = "", checkpoint_id: id } = config.configurable ?? {};
  if (thread !== undefined) placeOf(config);
  return { thread, ns, id };
}

/** The checkpoint that writes belong to. */
export function checkpointIdOf(config: CheckpointConfig): string {
  const id = config.configurable?.checkpoint_id;
  if (typeof id !== "string" || id === "")
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "putWrites: the config has no checkpoint_id. Pass the config that put() returned.",
    );
  return id;
}

export function configOf({ thread, ns }: Place, id: string): CheckpointConfig {
  return { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } };
}

const LISTING: NamesOf<CheckpointListOptions> = { limit: true, before: true, filter: true };

/** @throws {@link ThreadfoldError} `UNKNOWN_OPTION`. */
export function checkListing(saver: string, options: CheckpointListOptions | undefined): void {
  checkOptions(`${saver}.list`, options, Object.keys(LISTING));
}

/** Whether a listing takes a checkpoint of this id: which one it asks for, and what it begins before. */
export function takesId(config: CheckpointConfig, options: CheckpointListOptions | undefined, id: string): boolean {
  const only = config.configurable?.checkpoint_id;
  const before = options?.before?.configurable?.checkpoint_id;
  return (!only || id === only) && (!before || id < before);
}

/** Whether a listing takes a checkpoint of this metadata. */
export function takesMetadata(options: CheckpointListOptions | undefined, metadata: CheckpointMetadata): boolean {
  const values = metadata as unknown as Record<string, unknown>;
  return Object.entries(options?.filter ?? {}).every(([key, value]) => values[key] === value);
}

/** The arguments of `put`: the new checkpoint, and the id of the one before it, if there is one. */
export function parentOf(config: CheckpointConfig, checkpoint: Checkpoint): string | undefined {
  const id = config.configurable?.checkpoint_id;
  return typeof id === "string" && id !== "" && id !== checkpoint.id ? id : undefined;
}
