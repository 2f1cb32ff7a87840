// Threads belong to the users who made them: whose a thread is, kept beside its checkpoints, and who may use it.
import { Turns } from "./turns.js";
import type { CheckpointSaver, CheckpointTuple } from "../checkpoint/types.js";
import { uuid6 } from "../graph/ids/ids.js";
import type { RunnableGraph } from "../stream/graph-parts.js";
import type { Asker, HandlerOptions, ThreadUse } from "./http.js";
import { Refusal, uncheckable } from "./refusal.js";

/**
 * The namespace of a thread in which its owner is saved: the metadata of a checkpoint without values. Every saver keeps
 * that, and deletes it with the thread. No graph runs in it, and no client can name it.
 */
export const OWNER_NAMESPACE = "__owner__";

/** An owner; undefined for a thread that nobody who is known made. */
export type Owner = string | undefined;

/** A part of a thread outside its checkpoints: a run of the store, or the metadata in this program's memory. */
export interface HeldPart {
  readonly owner?: Owner;
}

/**
 * Finds the parts of a thread that the server keeps. It notes its memory before the checkpointers are read: another
 * request may make the thread meanwhile. Then it is given the owners that they have saved; undefined without any.
 */
type Held = (threadId: string) => (saved: readonly Owner[] | undefined) => Promise<readonly HeldPart[]>;

type Saver = Pick<CheckpointSaver, "put" | "list" | "getTuple" | "getNextVersion">;

/** The threads that are being made, by their saver: two users who make one at the same moment do it one after the other. */
const MAKING = new WeakMap<object, Turns>();

/** For how many runs the owners of their threads are remembered. */
const MOST_FOLLOWED = 1_000;

/** Decides which user may use which thread, for both servers. */
export class Owners {
  readonly #graphs: () => readonly RunnableGraph[];
  readonly #mayUse: HandlerOptions["mayUse"];
  readonly #held: Held;
  /** The owners of threads that are followed, when these runs began. */
  readonly #followed = new Map<string, Promise<Owner[]>>();

  /**
   * @param held - All that is known of a thread without a checkpointer.
   */
  constructor(graphs: () => readonly RunnableGraph[], { mayUse }: HandlerOptions, held: Held) {
    this.#graphs = graphs;
    this.#mayUse = mayUse;
    this.#held = held;
  }

  /**
   * Returns the thread's owner once the user may use it. A request without an identity may use every thread, and makes
   * none anybody's.
   *
   * @throws {@link Refusal} 404 for a thread that is not there, and for another user's: nobody can tell which.
   */
  async open(asker: Asker | undefined, threadId: string): Promise<Owner> {
    return asker && this.#allowed(asker, threadId, await this.#ownersOf(threadId));
  }

  /**
   * Makes a thread that was not there the user's, and begins what the server keeps of it, before anybody else makes it.
   *
   * @throws {@link Refusal} as {@link open}, if another user has made it since.
   */
  async make<T>(asker: Asker | undefined, threadId: string, begin: (owner: Owner) => T | PromiseLike<T>): Promise<T> {
    if (!asker) return begin(undefined);
    const [saver = this] = this.#savers();
    const making = MAKING.get(saver) ?? new Turns();
    MAKING.set(saver, making);
    return making.take(threadId, async () => {
      const { owner, isMissing } = await this.look(asker, threadId);
      if (isMissing) for (const each of this.#savers()) await saveOwner(each, threadId, asker.identity);
      return begin(owner);
    });
  }

  /**
   * Returns whose the thread is, or would be if the user made it. Makes nothing: the request may still be refused.
   *
   * @throws {@link Refusal} as {@link open}.
   */
  async look(
    asker: Asker | undefined,
    threadId: string,
  ): Promise<{ readonly owner: Owner; readonly isMissing: boolean }> {
    if (!asker) return { owner: undefined, isMissing: false };
    const owners = await this.#ownersOf(threadId);
    const isMissing = owners.length === 0;
    return { owner: isMissing ? asker.identity : await this.#allowed(asker, threadId, owners), isMissing };
  }

  /**
   * Whether the user may read a run of a thread that is followed. While a stream is open, the thread may be deleted and
   * become another user's. All who follow it share one look at whose it is.
   */
  async mayStillUse(asker: Asker | undefined, threadId: string, run: string): Promise<boolean> {
    if (!asker) return true;
    const key = `${run} ${threadId}`;
    const owners = this.#followed.get(key) ?? this.#ownersOf(threadId);
    this.#followed.set(key, owners);
    const [oldest = key] = this.#followed.keys();
    if (this.#followed.size > MOST_FOLLOWED) this.#followed.delete(oldest);
    owners.catch(() => this.#followed.delete(key));
    return this.#allows(asker, threadId, await owners);
  }

  async #allowed(asker: Asker, threadId: string, owners: readonly Owner[]): Promise<Owner> {
    if (await this.#allows(asker, threadId, owners)) return owners[0];
    throw new Refusal(404, `There is no thread ${threadId}.`);
  }

  /** Returns those of the threads that the user may use. */
  async usable<T extends { readonly id: string }>(asker: Asker | undefined, threads: readonly T[]): Promise<T[]> {
    if (!asker) return [...threads];
    const held = threads.map(({ id }) => this.#held(id));
    const saved = new Map<string, Owner[]>();
    for (const saver of this.#savers())
      for (const [threadId, owner] of await savedOwners(saver, undefined))
        saved.set(threadId, [...(saved.get(threadId) ?? []), owner]);
    const isSaved = this.#savers().length > 0;
    const all = await Promise.all(threads.map(({ id }, at) => withHeld(saved.get(id) ?? [], held[at], isSaved)));
    const usable: T[] = [];
    for (const [at, thread] of threads.entries()) {
      const owners = all[at] ?? [];
      if (await this.#allows(asker, thread.id, owners.length > 0 ? owners : [undefined])) usable.push(thread);
    }
    return usable;
  }

  /** Whether the user may use a thread, whichever of the savers is asked for its owner. */
  async #allows({ identity, request }: Asker, threadId: string, owners: readonly Owner[]): Promise<boolean> {
    for (const owner of owners) {
      const use = { identity, request, threadId, owner };
      const isAllowed = this.#mayUse ? await asked(this.#mayUse, use) : owner === identity;
      if (isAllowed !== true) return false;
    }
    return owners.length > 0;
  }

  /** Returns the owners of a thread, which are several where savers disagree. Empty if there is no thread. */
  async #ownersOf(threadId: string): Promise<Owner[]> {
    const savers = this.#savers();
    const held = this.#held(threadId);
    const saved = await Promise.all(savers.map((saver) => savedOwners(saver, threadId)));
    const owners = await withHeld(
      saved.flatMap((found) => [...found.values()]),
      held,
      savers.length > 0,
    );
    if (owners.length > 0) return owners;
    const config = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
    for (const saver of savers) if (await saver.getTuple(config)) return [undefined];
    return [];
  }

  #savers(): Saver[] {
    const isSaver = (given: unknown): given is Saver => typeof (given as Partial<Saver> | null)?.put === "function";
    return [...new Set(this.#graphs().map(({ checkpointer }) => checkpointer))].filter(isSaver);
  }
}

/**
 * Adds the owners that the kept runs know. Another program may have deleted the thread, and another user may now have
 * its id. That user must not see the runs that are kept here.
 */
async function withHeld(
  saved: readonly Owner[],
  held: ReturnType<Held> | undefined,
  isSaved: boolean,
): Promise<Owner[]> {
  const parts = (await held?.(isSaved ? saved : undefined)) ?? [];
  const owners = new Set([...saved, ...parts.flatMap(({ owner }) => owner ?? [])]);
  return owners.size === 0 && parts.length > 0 ? [undefined] : [...owners];
}

async function asked(mayUse: NonNullable<HandlerOptions["mayUse"]>, use: ThreadUse): Promise<unknown> {
  try {
    return await mayUse(use);
  } catch (error) {
    throw uncheckable(error);
  }
}

async function saveOwner(saver: Saver, threadId: string, owner: string): Promise<void> {
  const checkpoint = {
    v: 4,
    id: uuid6(Date.now(), 0),
    ts: new Date().toISOString(),
    channel_values: {},
    channel_versions: {},
    versions_seen: {},
  };
  const metadata = { source: "input" as const, step: -1, parents: {}, owner };
  await saver.put({ configurable: { thread_id: threadId, checkpoint_ns: OWNER_NAMESPACE } }, checkpoint, metadata, {});
}

/** The owners that a saver has, of one thread or of all, by thread. The first that was saved counts. */
async function savedOwners(saver: Saver, threadId: string | undefined): Promise<Map<string, Owner>> {
  const config = {
    configurable: { ...(threadId !== undefined && { thread_id: threadId }), checkpoint_ns: OWNER_NAMESPACE },
  };
  const first = new Map<string, CheckpointTuple>();
  for await (const tuple of saver.list(config)) {
    const { thread_id: id, checkpoint_ns: ns } = tuple.config.configurable ?? {};
    // A saver may pass over a namespace that it is asked for.
    if (ns !== OWNER_NAMESPACE || id === undefined) continue;
    const earlier = first.get(id);
    if (!earlier || tuple.checkpoint.id < earlier.checkpoint.id) first.set(id, tuple);
  }
  const ownerOf = ({ metadata }: CheckpointTuple) => {
    const { owner } = (metadata ?? {}) as { owner?: unknown };
    return typeof owner === "string" ? owner : undefined;
  };
  return new Map([...first].map(([id, tuple]) => [id, ownerOf(tuple)]));
}
