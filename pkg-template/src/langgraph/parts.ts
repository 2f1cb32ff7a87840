import { createParser } from "eventsource-parser";
import { isDict } from "./merge.js";

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
  | AsyncIterable<object | string | Uint8Array>
  | Response
  | ReadableStream<object | string | Uint8Array>;

/**
 * Reads a stream to its end. `take` says whether to go on; `fail` is told of a part that is no JSON.
 *
 * @throws what the stream throws, the signal's reason, or an Error for an answer that is none.
 */
export async function readParts(
  stream: RunStream,
  signal: AbortSignal | undefined,
  take: (part: Part) => boolean,
  fail: (text: string, cause: unknown) => void,
): Promise<void> {
  let going = true;
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      if (!going) return;
      let parsed: unknown;
      try {
        parsed = data === "" ? null : JSON.parse(data);
      } catch (cause) {
        fail(data, cause);
        return;
      }
      going = take({ id, event, data: parsed });
    },
  });
  const decoder = new TextDecoder();
  const reader = await readerOf(stream);
  const aborted = rejectionOf(signal);
  try {
    while (going) {
      const { done, value } = await (aborted ? Promise.race([reader.next(), aborted.promise]) : reader.next());
      if (done) return;
      if (typeof value === "string") parser.feed(value);
      else if (ArrayBuffer.isView(value)) parser.feed(decoder.decode(value, { stream: true }));
      else if (isDict(value)) going = take(value);
    }
  } finally {
    aborted?.forget();
    // Not waited for: a stream that was given up in the middle may take its time.
    reader.close().catch(() => {});
  }
}

interface Reader {
  next(): Promise<{ done?: boolean | undefined; value?: unknown }>;
  close(): Promise<unknown>;
}

async function readerOf(stream: RunStream): Promise<Reader> {
  if (isResponse(stream)) {
    if (!stream.ok || !stream.body) {
      throw new Error(`The server answers ${stream.status} ${stream.statusText}: ${await stream.text().catch(() => "")}`.trim());
    }
    return readerOf(stream.body);
  }
  // Not every browser can iterate over a stream.
  if ("getReader" in stream) {
    const reader = stream.getReader();
    return { next: () => reader.read(), close: () => reader.cancel() };
  }
  const iterator = stream[Symbol.asyncIterator]();
  return { next: () => iterator.next(), close: async () => iterator.return?.() };
}

const isResponse = (stream: RunStream): stream is Response => "body" in stream && "status" in stream;

/** A promise that is rejected when the signal fires. */
function rejectionOf(signal: AbortSignal | undefined): { promise: Promise<never>; forget: () => void } | undefined {
  if (!signal) return undefined;
  let onAbort = (): void => {};
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  // It may be rejected when nobody waits any more.
  promise.catch(() => {});
  return { promise, forget: () => signal.removeEventListener("abort", onAbort) };
}
