// Where AG-UI events come from, all read in one way.
import { ThreadfoldError } from "threadfold";
import { createParser } from "eventsource-parser";
import { Wait } from "../abort.js";

/** An RxJS Observable, or what has the same `subscribe`. */
export interface Observable<T> {
  subscribe(observer: {
    next(value: T): void;
    error(error: unknown): void;
    complete(): void;
  }): { unsubscribe(): void } | (() => void) | void;
}

/** An event as the sources give it: any object with a `type`, such as `@ag-ui/core`'s `Event`. */
export type AnyEvent = { readonly type: string } | { readonly type: string; readonly [field: string]: unknown };

/** Where events may come from: an async iterable, a list, an Observable, or a `fetch` response of server-sent events. */
export type AgUiSource = AsyncIterable<AnyEvent> | Iterable<AnyEvent> | Observable<AnyEvent> | Response;

/** Takes each event as it comes, with its part's id on the stream; says whether that is all it wanted. */
type Taker = (event: unknown, id: string | undefined) => boolean;

/**
 * Reads a source until its end, or until the taker has enough, throws, or the signal says so; then gives the source
 * up. What ends the reading early rejects the promise at once, whatever the source is doing.
 */
export async function read(
  source: AgUiSource | PromiseLike<AgUiSource>,
  take: Taker,
  signal?: AbortSignal,
): Promise<void> {
  const wait = new Wait(signal);
  try {
    const takeUnlessAborted: Taker = (event, id) => {
      signal?.throwIfAborted();
      return take(event, id);
    };
    await readSource(await arrival(source, wait), takeUnlessAborted, wait);
  } finally {
    wait.end();
  }
}

/** A source that is still to come. One that comes after all, when nobody waits any more, is given up. */
async function arrival(source: AgUiSource | PromiseLike<AgUiSource>, wait: Wait): Promise<AgUiSource> {
  if (!isObject(source) || !("then" in source) || typeof source.then !== "function") return source as AgUiSource;
  const coming = Promise.resolve(source as PromiseLike<AgUiSource>);
  try {
    return await wait.for(coming);
  } catch (error) {
    void coming
      .then(async (late) => void (isObject(late) && isResponse(late) && (await late.body?.cancel())))
      .catch(() => {});
    throw error;
  }
}

async function readSource(source: AgUiSource, take: Taker, wait: Wait): Promise<void> {
  if (isObject(source)) {
    if (isResponse(source)) return await readResponse(source, take, wait);
    const observable = observableOf(source);
    if (observable) return await readObservable(observable, take, wait);
    if (Symbol.asyncIterator in source) return await readIterator(source[Symbol.asyncIterator](), take, wait);
    if (Symbol.iterator in source) return await readIterator(source[Symbol.iterator](), take, wait);
  }
  throw new ThreadfoldError(
    "INVALID_VALUE",
    "Events come from an async iterable, a list, an Observable or a fetch response.",
  );
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function isResponse(source: object): source is Response {
  return "body" in source && "headers" in source && "ok" in source;
}

function observableOf(source: object): Observable<AnyEvent> | undefined {
  // What Symbol.observable is, where a library has made it known.
  const key = (Symbol as { observable?: symbol }).observable ?? "@@observable";
  const own = (source as Record<PropertyKey, unknown>)[key];
  if (typeof own === "function") return (own as () => Observable<AnyEvent>).call(source);
  return "subscribe" in source && typeof source.subscribe === "function" ? (source as Observable<AnyEvent>) : undefined;
}

async function readIterator(
  iterator: AsyncIterator<AnyEvent> | Iterator<AnyEvent>,
  take: Taker,
  wait: Wait,
): Promise<void> {
  /** Whether the iterator ended by itself: then there is nothing to give up. */
  let ended = false;
  const next = async () => {
    try {
      return await iterator.next();
    } catch (error) {
      ended = true;
      throw error;
    }
  };
  try {
    for (;;) {
      const { done, value } = await wait.for(next());
      if (done) ended = true;
      if (done || take(value, undefined)) return;
    }
  } finally {
    // Nobody waits for it: it may be waiting for its own next event, and then would never answer.
    if (!ended) void (async () => iterator.return?.())().catch(() => {});
  }
}

function readObservable(observable: Observable<AnyEvent>, take: Taker, wait: Wait): Promise<void> {
  let subscription: ReturnType<Observable<AnyEvent>["subscribe"]>;
  let over = false;
  const giveUp = () => {
    over = true;
    if (typeof subscription === "function") subscription();
    else subscription?.unsubscribe();
  };
  const reading = new Promise<void>((resolve, reject) => {
    subscription = observable.subscribe({
      next(event) {
        if (over) return;
        try {
          if (!take(event, undefined)) return;
          resolve();
        } catch (error) {
          reject(error as Error);
        }
        giveUp();
      },
      error: reject,
      complete: resolve,
    });
  });
  return wait.for(reading).finally(giveUp);
}

async function readResponse(response: Response, take: Taker, wait: Wait): Promise<void> {
  if (response.bodyUsed || response.body?.locked) {
    throw new ThreadfoldError("INVALID_VALUE", "The response's body has been read already.");
  }
  const reader = response.body?.getReader();
  try {
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok) {
      throw new ThreadfoldError(
        "BAD_RESPONSE",
        `The server answered ${response.status} ${response.statusText}: ${await beginning(reader, wait)}`,
      );
    }
    if (type !== "" && !/^text\/event-stream\b/i.test(type)) {
      const said = await beginning(reader, wait);
      throw new ThreadfoldError(
        "BAD_RESPONSE",
        `The server answered with ${type}; ask it for text/event-stream by the header Accept. It said: ${said}`,
      );
    }
    if (reader) await readServerSentEvents(reader, take, wait);
  } finally {
    void reader?.cancel().catch(() => {});
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readServerSentEvents(reader: Reader, take: Taker, wait: Wait): Promise<void> {
  const state = { enough: false, ending: false };
  const parser = createParser({
    onEvent({ data, id }) {
      if (state.enough || data === "") return;
      const event = parsed(data);
      // What the end cuts in two is no event: the stream was cut there.
      if (state.ending && event === data) return;
      // An empty id takes back the one before: this part has none.
      state.enough = take(event, id === "" ? undefined : id);
    },
  });
  const decoder = new TextDecoder();
  while (!state.enough) {
    const { done, value } = await wait.for(reader.read());
    if (!done) {
      parser.feed(decoder.decode(value, { stream: true }));
      continue;
    }
    parser.feed(decoder.decode());
    state.ending = true;
    // The last event needs no blank line after it, nor does its line need an end.
    parser.feed("\n\n");
    return;
  }
}

/** What a body begins with: enough to tell what it is. */
async function beginning(reader: Reader | undefined, wait: Wait): Promise<string> {
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  while (text.length < 500) {
    const { done, value } = await wait.for(reader.read().catch(() => ({ done: true, value: undefined }) as const));
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text.slice(0, 500);
}

/** What JSON says; text that is none comes back as it is, and is refused as an event. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
