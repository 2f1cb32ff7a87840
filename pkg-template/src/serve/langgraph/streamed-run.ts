// The stream of a run over HTTP.
import { textOf, type NumberedPart } from "../run-stores/run-store.js";
import type { KnownRun } from "./run.js";
import { isOfModes } from "./run-parts.js";

type Starters = ReadonlyMap<number, string>;

/** The texts of parts, of certain modes or of all. */
export async function* partsOf(
  coming: AsyncIterable<NumberedPart>,
  hasIds: boolean,
  modes: readonly string[] | undefined,
  starters: Starters | undefined,
): AsyncGenerator<string> {
  for await (const [at, lazy] of coming) {
    const part = starters?.get(at) ?? textOf(lazy);
    const [, event = ""] = /^event: (.*)/.exec(part) ?? [];
    if (!modes || isOfModes(event, modes)) yield hasIds ? `id: ${at - 1}\n${part}` : part;
  }
}

/** How a run is streamed. */
export interface Streaming {
  /** If they are given, only parts of these modes are sent. */
  readonly modes?: readonly string[] | undefined;
  /** The parts that the run's starter gets otherwise, by their numbers. */
  readonly starters?: Starters | undefined;
  /** Called if the reader leaves. */
  readonly left?: (() => void) | undefined;
  /** Called once no more is read, however it ends. */
  readonly closed?: (() => void) | undefined;
}

/** Yields all parts, and calls back once no more are read. */
export async function* closing<T>(parts: AsyncIterable<T>, closed: (() => void) | undefined): AsyncGenerator<T> {
  try {
    yield* parts;
  } finally {
    closed?.();
  }
}

/** Where a run can be joined; by this the SDK knows its id. */
export const locationOf = (run: KnownRun) => ({
  "content-location": `/threads/${encodeURIComponent(run.threadId)}/runs/${run.id}`,
});
