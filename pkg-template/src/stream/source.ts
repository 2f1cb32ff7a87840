// Where the parts of a run come from, for both protocols, and the one loop that reads them.
import { ThreadfoldError } from "../shared/errors.js";
import { Wait } from "../shared/abort.js";
import { bodyOf, isResponse } from "./response.js";
import { ServerSentEvents } from "./server-sent-events.js";
import type { Taker } from "./taker.js";
import { Watchdog } from "./watchdog.js";

/** An RxJS Observable, or anything with the same `subscribe`. */
export interface Observable<T> {
  subscribe(observer: {
    next(value: T): void;
    error(error: unknown): void;
    complete(): void;
  }): { unsubscribe(): void } | (() => void) | void;
}

/**
 * Where parts may come from: a `fetch` response of server-sent events or its body, a list, an async iterable or an
 * Observable of parts. The text and bytes of a body or an async iterable are read as server-sent events.
 */
export type Source<Part extends object> =
  | AsyncIterable<Part | string | Uint8Array>
  | Iterable<Part>
  | Observable<Part>
  | ReadableStream<Part | string | Uint8Array>
  | Response;

/**
 * Reads a source until it ends, until the taker has enough or throws, or until the signal aborts; then closes it. The
 * promise rejects at once when the reading ends early, whatever the source is doing.
 *
 * @throws what the source and the taker throw, the signal's reason, and {@link ThreadfoldError} `BAD_RESPONSE`,
 *   `INVALID_ARGUMENT`.
 */
export async function read(source: unknown, taker: Taker, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) close(source);
  const wait = new Wait(signal);
  const watchdog = new Watchdog((error) => wait.fail(error));
  try {
    const arrived = await arrival(source, wait);
    const feed = new Feed(taker, signal, watchdog);
    const observable = observableOf(arrived);
    if (observable) await push(observable, feed, wait);
    else await pull(openedOf(arrived), feed, wait);
  } finally {
    wait.end();
    watchdog.end();
  }
}

/** Waits for a source that is still to come. One that arrives when nobody waits any more is closed. */
async function arrival(source: unknown, wait: Wait): Promise<unknown> {
  if (!isObject(source) || typeof (source as { then?: unknown }).then !== "function") return source;
  const coming = Promise.resolve(source);
  try {
    return await wait.for(coming);
  } catch (error) {
    close(coming);
    throw error;
  }
}

/** Closes a source that nobody reads, once it arrives. */
function close(source: unknown): void {
  void Promise.resolve(source)
    .then((late) => !observableOf(late) && openedOf(late).close())
    .catch(() => {});
}

/** Hands the taker its parts; text and bytes by way of the parser of server-sent events. */
class Feed {
  readonly #taker: Taker;
  readonly #signal: AbortSignal | undefined;
  readonly #watchdog: Watchdog;
  #events: ServerSentEvents | undefined;

  constructor(taker: Taker, signal: AbortSignal | undefined, watchdog: Watchdog) {
    this.#taker = taker;
    this.#signal = signal;
    this.#watchdog = watchdog;
  }

  /** Takes what a source brings, which may be text or bytes. Returns whether the taker has enough. */
  bring(value: unknown): boolean {
    if (typeof value !== "string" && !ArrayBuffer.isView(value)) return this.take(value);
    this.#events ??= new ServerSentEvents(this.#taker, this.#signal, (heartbeat) => this.#watchdog.watch(heartbeat));
    this.#watchdog.hear();
    return this.#events.feed(value as string | Uint8Array);
  }

  /** Takes a part. Returns whether the taker has enough. */
  take(value: unknown): boolean {
    this.#signal?.throwIfAborted();
    return this.#taker.take(value);
  }

  /** Takes note that the source has ended. */
  end(): void {
    this.#events?.end();
  }
}

/** A source that is asked for its values one by one. */
interface Opened {
  /** Whether all its values are parts. */
  readonly isList?: boolean;
  /** Throws for a response that is not a stream of events. */
  check?(wait: Wait): Promise<void>;
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  close(): unknown;
}

function openedOf(source: unknown): Opened {
  if (isObject(source)) {
    if (isResponse(source)) return bodyOf(source);
    // Not every browser can iterate over a ReadableStream.
    if ("getReader" in source) {
      const reader = (source as ReadableStream).getReader();
      return { next: () => reader.read(), close: () => reader.cancel() };
    }
    if (Symbol.asyncIterator in source)
      return ofIterator((source as AsyncIterable<unknown>)[Symbol.asyncIterator](), false);
    if (Symbol.iterator in source) return ofIterator((source as Iterable<unknown>)[Symbol.iterator](), true);
  }
  throw new ThreadfoldError(
    "INVALID_ARGUMENT",
    "A run is read from a fetch response or its body, an async iterable, a list or an Observable.",
  );
}

const ofIterator = (iterator: AsyncIterator<unknown> | Iterator<unknown>, isList: boolean): Opened => ({
  isList,
  next: async () => {
    const result: unknown = await iterator.next();
    // As `for await` does: without an end it would be asked for ever.
    if (typeof result !== "object" || result === null) throw new TypeError("A stream's next() should give an object.");
    return result as IteratorResult<unknown>;
  },
  close: () => iterator.return?.(),
});

async function pull(source: Opened, feed: Feed, wait: Wait): Promise<void> {
  /** Whether the source ended by itself: then there is nothing to close. */
  let isOver = false;
  const next = async () => {
    try {
      return await source.next();
    } catch (error) {
      isOver = true;
      throw error;
    }
  };
  try {
    await source.check?.(wait);
    for (;;) {
      const { done, value } = await wait.for(next());
      if (done) {
        isOver = true;
        feed.end();
      }
      if (done || (source.isList ? feed.take(value) : feed.bring(value))) return;
    }
  } finally {
    // Not awaited: a source that is closed in the middle may still wait for its own next value.
    if (!isOver) void (async () => source.close())().catch(() => {});
  }
}

function push(observable: Observable<unknown>, feed: Feed, wait: Wait): Promise<void> {
  let subscription: ReturnType<Observable<unknown>["subscribe"]>;
  let isOver = false;
  const close = () => {
    isOver = true;
    if (typeof subscription === "function") subscription();
    else subscription?.unsubscribe();
  };
  const reading = new Promise<void>((resolve, reject) => {
    subscription = observable.subscribe({
      next(value) {
        if (isOver) return;
        try {
          if (!feed.take(value)) return;
          resolve();
        } catch (error) {
          reject(error as Error);
        }
        close();
      },
      error: reject,
      complete: resolve,
    });
  });
  return wait.for(reading).finally(close);
}

function observableOf(source: unknown): Observable<unknown> | undefined {
  if (!isObject(source) || isResponse(source)) return undefined;
  // Symbol.observable, where a library has defined it.
  const key = (Symbol as { observable?: symbol }).observable ?? "@@observable";
  const own = (source as Record<PropertyKey, unknown>)[key];
  if (typeof own === "function") return own.call(source) as Observable<unknown>;
  return typeof (source as { subscribe?: unknown }).subscribe === "function"
    ? (source as Observable<unknown>)
    : undefined;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
