// Where AG-UI events come from, all read in one way.
import { ThreadfoldError } from "threadfold";
import { createParser } from "eventsource-parser";

/** An RxJS Observable, or what has the same `subscribe`. */
export interface Observable<T> {
  subscribe(observer: { next(value: T): void; error(error: unknown): void; complete(): void }): { unsubscribe(): void } | (() => void) | void;
}

/** An event as the sources give it: any object with a `type`, such as `@ag-ui/core`'s `Event`. */
export type AnyEvent = { readonly type: string } | { readonly type: string; readonly [field: string]: unknown };

/** Where events may come from: an async iterable, a list, an Observable, or a `fetch` response of server-sent events. */
export type AgUiSource = AsyncIterable<AnyEvent> | Iterable<AnyEvent> | Observable<AnyEvent> | Response;

/** Takes each event as it comes, with its part's id on the stream; says whether that is all it wanted. */
type Taker = (event: unknown, id: string | undefined) => boolean;

/** Reads a source until its end, or until the taker has enough or the signal says so; then gives it up. */
export async function read(source: AgUiSource, take: Taker, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  if (isResponse(source)) return await readResponse(source, take, signal);
  const observable = observableOf(source);
  if (observable) return await readObservable(observable, take, signal);
  if (Symbol.asyncIterator in source) return await readIterator(source[Symbol.asyncIterator](), take, signal);
  if (Symbol.iterator in source) return await readIterator(source[Symbol.iterator](), take, signal);
  throw new ThreadfoldError("INVALID_VALUE", "Events come from an async iterable, an Observable or a fetch response.");
}

function isResponse(source: AgUiSource): source is Response {
  return "body" in source && "headers" in source && "ok" in source;
}

function observableOf(source: AgUiSource): Observable<AnyEvent> | undefined {
  // What Symbol.observable is, where a library has made it known.
  const key = (Symbol as { observable?: symbol }).observable ?? "@@observable";
  const own = (source as unknown as Record<PropertyKey, unknown>)[key];
  if (typeof own === "function") return (own as () => Observable<AnyEvent>).call(source);
  return "subscribe" in source && typeof source.subscribe === "function" ? source : undefined;
}

async function readIterator(
  iterator: AsyncIterator<AnyEvent> | Iterator<AnyEvent>,
  take: Taker,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [aborted, forget] = abortion(signal);
  try {
    for (;;) {
      const next = iterator.next();
      const { done, value } = await (aborted ? Promise.race([next, aborted]) : next);
      if (done) return;
      if (take(value, undefined)) break;
    }
    await iterator.return?.();
  } catch (error) {
    // It may still be waiting for its next event, and then would never answer.
    if (signal?.aborted) void Promise.resolve(iterator.return?.()).catch(() => {});
    throw error;
  } finally {
    forget();
  }
}

function readObservable(observable: Observable<AnyEvent>, take: Taker, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let subscription: ReturnType<Observable<AnyEvent>["subscribe"]>;
    let over = false;
    const unsubscribe = () => {
      if (typeof subscription === "function") subscription();
      else subscription?.unsubscribe();
    };
    const end = (settle: () => void) => {
      if (over) return;
      over = true;
      signal?.removeEventListener("abort", abort);
      unsubscribe();
      settle();
    };
    const abort = () => end(() => reject(reasonOf(signal)));
    signal?.addEventListener("abort", abort);
    subscription = observable.subscribe({
      next(event) {
        if (!over && take(event, undefined)) end(resolve);
      },
      error: (error) => end(() => reject(error as Error)),
      complete: () => end(resolve),
    });
    // It may have ended while it was being subscribed to.
    if (over) unsubscribe();
  });
}

async function readResponse(response: Response, take: Taker, signal: AbortSignal | undefined): Promise<void> {
  if (!response.ok) {
    const text = await response.text().catch(() => "");
    throw new ThreadfoldError("INVALID_VALUE", `The server answered ${response.status} ${response.statusText}: ${text.slice(0, 500)}`);
  }
  const type = response.headers.get("content-type") ?? "";
  if (type !== "" && !/^text\/event-stream\b/i.test(type)) {
    await response.body?.cancel();
    throw new ThreadfoldError("INVALID_VALUE", `The server answered with ${type}; ask it for text/event-stream by the header Accept.`);
  }
  if (!response.body) return;
  const state = { enough: false };
  const parser = createParser({
    onEvent({ data, id }) {
      if (!state.enough && data !== "") state.enough = take(parsed(data), id);
    },
  });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const [aborted, forget] = abortion(signal);
  try {
    while (!state.enough) {
      const part = reader.read();
      const { done, value } = await (aborted ? Promise.race([part, aborted]) : part);
      if (done) break;
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } finally {
    forget();
    void reader.cancel().catch(() => {});
  }
}

/** What JSON says; text that is none comes back as it is, and is refused as an event. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

/** A promise that a signal rejects, and what takes the listener off it. */
function abortion(signal: AbortSignal | undefined): [Promise<never> | undefined, () => void] {
  if (!signal) return [undefined, () => {}];
  let forget = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(reasonOf(signal));
    signal.addEventListener("abort", abort);
    forget = () => signal.removeEventListener("abort", abort);
  });
  // Nobody may be waiting when it comes.
  aborted.catch(() => {});
  return [aborted, forget];
}

const reasonOf = (signal: AbortSignal | undefined) => signal?.reason as Error;
