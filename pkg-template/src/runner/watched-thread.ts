// The stream of a thread, as far as a runner reads it: which runs begin.
import { ThreadfoldError } from "../shared/errors.js";
import { isFinal, isGone, isNotLetIn } from "../stream/http.js";
import { read } from "../stream/source.js";
import type { Transport } from "./transport.js";

/** Called once the stream is open, and with each run that begins. */
export interface Starts {
  opened(): void;
  began(runId: string): void;
}

/** Reads a thread's stream until it ends, or the signal aborts. */
export type ReadStarts = (threadId: string, starts: Starts, signal: AbortSignal) => Promise<void>;

/** The event of a part that says that runs may have begun unseen. */
export const REOPENED = "reopened";

/** A part of the stream: an event of LangGraph's is named. */
interface StreamPart {
  readonly event?: unknown;
  readonly data: unknown;
}

/**
 * Returns how to read a thread's stream over a transport.
 *
 * @param runIn - Returns the id of the run whose start a part announces.
 */
export function startsOver<Part extends object>(
  transport: Pick<Transport<never, Part>, "follow" | "join" | "load">,
  runIn: (part: StreamPart) => unknown,
): ReadStarts | undefined {
  const { follow, join, load } = transport;
  if (!follow || !join || !load) return undefined;
  /** Whether the thread was there though its stream was not: that was asked first. */
  let isThere = false;
  return async (threadId, starts, signal) => {
    const take = (part: StreamPart) => {
      const id = runIn(part);
      if (typeof id === "string") starts.began(id);
      else if (part.event === REOPENED) starts.opened();
      return false;
    };
    try {
      const source = await follow(threadId, { signal });
      signal.throwIfAborted();
      isThere = false;
      starts.opened();
      const taker = {
        take: (value: unknown) => take(isNamed(value) ? value : { data: value }),
        takeSent: take,
        refuse: () => {},
      };
      await read(source, taker, signal);
    } catch (cause) {
      signal.throwIfAborted();
      if (!isFinal(cause) || isNotLetIn(cause)) throw cause;
      if (isGone(cause) && !isThere) {
        // The thread may only begin to exist with its first run.
        isThere = (await load(threadId, { signal })) !== undefined;
        throw cause;
      }
      throw new ThreadfoldError("UNSUPPORTED", CANNOT, { cause });
    }
  };
}

const isNamed = (value: unknown): value is StreamPart =>
  typeof value === "object" && value !== null && "event" in value && "data" in value;

const CANNOT =
  "follow(): the server does not stream threads. Use serveAgUi with the option resumable, or a LangGraph server, or call load().";
