// The stream of a thread: its runs as they come, whoever started them, one after the other.
import { ended, isStoreError, type Part, type RunStore, type StoredRun } from "./run-stores/run-store.js";

/** A notice to a follower of a thread, with its id as the `Last-Event-ID` to go on from. */
export interface Told {
  readonly id: string;
  readonly run: StoredRun;
  /** A part of the run. Without one, the run has begun or is over. */
  readonly part?: Part;
  readonly isOver?: boolean;
}

/** How a thread is followed. */
export interface Following {
  /** The last id that the follower got. Any other text counts as none. */
  readonly lastEventId: string | null;
  /** Whether parts are sent, or only that runs begin and end. */
  readonly hasParts: boolean;
  /** Whether the follower can read or join a run. Any other one is announced when it is over. */
  isReadable(run: StoredRun): boolean;
  /** Whether the follower may read this run of the thread: the thread may be another user's by now. */
  isAllowed(run: string): Promise<boolean>;
}

/** Yields what happens in a thread until the signal aborts: from the run under way on, or after an id. */
export async function* threadStream(
  store: RunStore,
  threadId: string,
  { lastEventId, hasParts, isReadable, isAllowed }: Following,
  signal: AbortSignal,
): AsyncGenerator<Told> {
  // The number of the run; then the number of its part, 0 for its start, or `end`.
  const [, place, part] = /^(\d+)-(\d+|end)$/.exec(lastEventId ?? "") ?? [];
  const seen = place === undefined ? undefined : Number(place);
  const isWithin = seen !== undefined && part !== "end";
  for await (const [at, run] of store.watch(threadId, isWithin ? seen - 1 : seen, signal)) {
    if (!(await isAllowed(String(at)))) return;
    const isReading = isReadable(run);
    const isSeen = isWithin && at === seen;
    if (!isReading) await ended(store, run, signal);
    if (signal.aborted) return;
    if (!isSeen) yield { id: `${at}-0`, run };
    if (isReading && hasParts) yield* partsOf(store, run, at, isSeen ? Number(part) : 0, signal);
    else await ended(store, run, signal);
    if (signal.aborted) return;
    yield { id: `${at}-end`, run, isOver: true };
  }
}

async function* partsOf(
  store: RunStore,
  run: StoredRun,
  at: number,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Told> {
  try {
    for await (const [number, part] of store.follow(run, after, signal)) yield { id: `${at}-${number}`, run, part };
  } catch (error) {
    // Nobody has its parts any more: the thread goes on.
    if (!isStoreError(error, "LOST")) throw error;
  }
}
