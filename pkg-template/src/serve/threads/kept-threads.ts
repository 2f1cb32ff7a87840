// The threads that a server knows: its own, whose metadata it keeps, and those of the checkpointers.
import type { SavedThread } from "../../checkpoint/types.js";
import type { GraphConfig, RunnableGraph } from "../../stream/graph-parts.js";
import { latestFirst } from "../latest-first.js";

/** The number of threads whose metadata are kept: a server may stay up for months. */
const KEPT_THREADS = 10_000;

export interface KeptThread {
  readonly id: string;
  readonly createdAt: string;
  updatedAt: string;
  metadata: object;
  /** The name of the graph that last ran on it. */
  assistant: string | undefined;
  /** The identity that the thread belongs to, if that is known. */
  owner: string | undefined;
}

/** As much of a checkpointer as lists its threads, or the checkpoints of them all. */
interface ListingSaver {
  listThreads(): AsyncIterable<SavedThread> | Iterable<SavedThread>;
  list(config: object): AsyncIterable<{ readonly config: GraphConfig; readonly checkpoint?: { readonly ts?: string } }>;
}

/** The threads that a server keeps, the oldest first; beyond a number the oldest is forgotten. */
export class KeptThreads {
  readonly #threads = new Map<string, KeptThread>();
  readonly #most: number;
  readonly #isBusy: (id: string) => boolean;

  /** @param isBusy - Whether a thread has a run under way: such a thread is not forgotten. */
  constructor(most: number | undefined, isBusy: (id: string) => boolean) {
    this.#most = most ?? KEPT_THREADS;
    this.#isBusy = isBusy;
  }

  get(id: string): KeptThread | undefined {
    return this.#threads.get(id);
  }

  has(id: string): boolean {
    return this.#threads.has(id);
  }

  delete(id: string): void {
    this.#threads.delete(id);
  }

  keep(id: string, metadata: object, owner?: string): KeptThread {
    const now = new Date().toISOString();
    const thread = { id, metadata, createdAt: now, updatedAt: now, assistant: undefined, owner };
    this.#threads.set(id, thread);
    // Only the metadata are forgotten: the thread is the checkpointer's.
    for (const [oldest, kept] of this.#threads) {
      if (this.#threads.size <= this.#most || oldest === id) break;
      this.#threads.delete(oldest);
      // One that is busy goes to the end, so that the next search for the oldest does not meet it again.
      if (this.#isBusy(oldest)) this.#threads.set(oldest, kept);
    }
    return thread;
  }

  touch(id: string): void {
    const thread = this.#threads.get(id);
    if (thread) thread.updatedAt = new Date().toISOString();
  }

  /** Returns these threads and those that only a checkpointer has, the latest made first. */
  async listed(graphs: readonly RunnableGraph[]): Promise<KeptThread[]> {
    const threads = new Map<string, KeptThread>();
    for (const saver of new Set(graphs.map(({ checkpointer }) => checkpointer))) {
      for await (const { threadId: id, createdAt: from, updatedAt: to } of savedThreads(saver)) {
        const { createdAt = from, updatedAt = to } = threads.get(id) ?? {};
        threads.set(id, {
          id,
          metadata: {},
          assistant: undefined,
          owner: undefined,
          createdAt: from < createdAt ? from : createdAt,
          updatedAt: to > updatedAt ? to : updatedAt,
        });
      }
    }
    for (const known of this.#threads.values()) {
      const { createdAt = known.createdAt } = threads.get(known.id) ?? {};
      threads.set(known.id, createdAt < known.createdAt ? { ...known, createdAt } : known);
    }
    // The one that was put in last comes first among those of a moment.
    return latestFirst(threads.values()).sort(
      (a, b) => Number(a.createdAt < b.createdAt) - Number(a.createdAt > b.createdAt),
    );
  }
}

/** The threads of a checkpointer. If it does not list them, the thread of each checkpoint. */
async function* savedThreads(saver: unknown): AsyncGenerator<SavedThread> {
  const { list, listThreads } = (saver ?? {}) as Partial<ListingSaver>;
  if (typeof listThreads === "function") return yield* listThreads.call(saver);
  if (typeof list !== "function") return;
  for await (const { config, checkpoint } of list.call(saver, { configurable: {} })) {
    const threadId = config.configurable?.["thread_id"];
    const at = checkpoint?.ts ?? "";
    if (typeof threadId === "string") yield { threadId, createdAt: at, updatedAt: at };
  }
}
