import { createParser } from "eventsource-parser";
import { ThreadfoldError } from "threadfold";
import { Wait } from "../abort.js";

/** One part of a stream of the LangGraph server, its data parsed. */
export interface Part {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly data?: unknown;
}

/**
 * What a run may be read from: what `client.runs.stream` and `client.runs.joinStream` of `@langchain/langgraph-sdk`
 * give, the events of protocol v2, a `fetch` Response of server-sent events, or its body.
 */
export type RunStream =
  AsyncIterable<object | string | Uint8Array> | Response | ReadableStream<object | string | Uint8Array>;

/**
 * Reads a stream to its end. `take` says whether to go on; `fail` is told of a part that is no JSON. What ends the
 * reading early closes the stream, and is not kept waiting by it.
 *
 * @throws what the stream and `take` throw, the signal's reason, and {@link ThreadfoldError} `BAD_RESPONSE` and
 *   `INVALID_VALUE`.
 */
export async function readParts(
  stream: RunStream | PromiseLike<RunStream>,
  signal: AbortSignal | undefined,
  take: (part: Part) => boolean,
  fail: (text: string, cause: unknown) => void,
): Promise<void> {
  const wait = new Wait(signal);
  let source: Source | undefined;
  try {
    source = sourceOf(await arrival(stream, wait));
    await source.check?.(wait);
    await readSource(source, wait, take, fail);
  } finally {
    wait.end();
    // Not waited for: a stream that was given up in the middle may take its time.
    source?.close().catch(() => {});
  }
}

async function readSource(
  source: Source,
  wait: Wait,
  take: (part: Part) => boolean,
  fail: (text: string, cause: unknown) => void,
): Promise<void> {
  let going = true;
  let isOver = false;
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      if (!going) return;
      let parsed: unknown;
      try {
        parsed = data === "" ? null : JSON.parse(data);
      } catch (cause) {
        // What the end cuts in two is no part: the stream was cut there.
        if (!isOver) fail(data, cause);
        return;
      }
      going = take({ id, event, data: parsed });
    },
  });
  const decoder = new TextDecoder();
  let isText = false;
  while (going) {
    const { done, value } = await wait.for(source.next());
    if (done) {
      isOver = true;
      // The last part needs no blank line after it, nor does its line need an end.
      if (isText) parser.feed(`${decoder.decode()}\n\n`);
      return;
    }
    if (typeof value === "string" || ArrayBuffer.isView(value)) {
      isText = true;
      parser.feed(typeof value === "string" ? value : decoder.decode(value, { stream: true }));
    } else going = take(value as Part);
  }
}

/** A stream that is still to come. One that comes after all, when nobody waits any more, is closed. */
async function arrival(stream: RunStream | PromiseLike<RunStream>, wait: Wait): Promise<RunStream> {
  if (!isObject(stream) || !("then" in stream)) return stream;
  const coming = Promise.resolve(stream);
  try {
    return await wait.for(coming);
  } catch (error) {
    coming.then((late) => sourceOf(late).close()).catch(() => {});
    throw error;
  }
}

interface Source {
  /** Throws for what is no stream of a run. */
  check?(wait: Wait): Promise<void>;
  next(): Promise<{ done?: boolean | undefined; value?: unknown }>;
  close(): Promise<unknown>;
}

function sourceOf(stream: RunStream): Source {
  if (isObject(stream)) {
    if ("body" in stream && "status" in stream) return responseSource(stream);
    // Not every browser can iterate over a stream.
    if ("getReader" in stream) return readerSource(stream.getReader());
    if (Symbol.asyncIterator in stream) {
      const iterator = stream[Symbol.asyncIterator]();
      return { next: async () => iterator.next(), close: async () => iterator.return?.() };
    }
  }
  throw new ThreadfoldError("INVALID_VALUE", "A run is read from an async iterable, a fetch response or its body.");
}

const readerSource = (reader: ReadableStreamDefaultReader<object | string | Uint8Array>): Source => ({
  next: () => reader.read(),
  close: () => reader.cancel(),
});

function responseSource(response: Response): Source {
  if (response.bodyUsed || response.body?.locked)
    throw new ThreadfoldError("INVALID_VALUE", "The response's body has been read already.");
  const source: Source = response.body
    ? readerSource(response.body.getReader())
    : { next: async () => ({ done: true }), close: async () => {} };
  return {
    ...source,
    async check(wait) {
      const type = response.headers.get("content-type") ?? "";
      if (response.ok && response.body && (type === "" || /^text\/event-stream\b/i.test(type))) return;
      const what = `${response.status} ${response.statusText}`.trim();
      throw new ThreadfoldError(
        "BAD_RESPONSE",
        `The server answers ${what}, and no stream of events${type && ` but ${type}`}: ${await beginning(source, wait)}`,
      );
    },
  };
}

/** What a body begins with: enough to tell what it is. */
async function beginning(source: Source, wait: Wait): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  while (text.length < 500) {
    const { done, value } = await wait.for(source.next().catch(() => ({ done: true, value: undefined })));
    if (done || !ArrayBuffer.isView(value)) break;
    text += decoder.decode(value, { stream: true });
  }
  return text.slice(0, 500);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
