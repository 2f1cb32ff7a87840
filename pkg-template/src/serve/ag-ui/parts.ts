// The parts of this server's runs: AG-UI's events, as server-sent events.
import type { GraphEvent } from "../../ag-ui/graph/graph-event.js";
import { eventStream } from "../http.js";
import { textOf, type NumberedPart } from "../run-stores/run-store.js";
import { wireJson } from "../wire.js";
import type { ServeAgUiOptions } from "./serve-options.js";

/** The name of this server's runs in a store: the parts of others cannot be read here. */
export const SERVER = "ag-ui";

/** An event's part of the log, and of the stream. */
export const partOf = (event: GraphEvent): string => `data: ${wireJson(event)}`;

/** A source of parts, each with its number. */
interface Followed {
  follow(after: number, signal: AbortSignal): AsyncIterable<NumberedPart>;
}

/** A part as its clients get it; with its number, after which they may ask for the next ones. */
export const framed = (part: string, id?: string | number): string =>
  id === undefined ? `${part}\n\n` : `id: ${id}\n${part}\n\n`;

/**
 * Streams a run's parts after a number.
 *
 * @param starter - `starters` are the parts that the run's starter gets otherwise, by their numbers; `left` is called if
 *   it leaves before the end.
 */
export function streamed(
  run: Followed,
  after: number,
  options: ServeAgUiOptions,
  starter: {
    readonly starters?: ReadonlyMap<number, string | undefined> | undefined;
    readonly left?: (() => void) | undefined;
  } = {},
): Response {
  const { starters, left } = starter;
  const gone = new AbortController();
  const coming = run.follow(after, gone.signal);
  async function* parts(): AsyncGenerator<string> {
    for await (const [at, part] of coming) {
      const told = starters?.has(at) ? starters.get(at) : textOf(part);
      if (told !== undefined) yield framed(told, options.resumable ? at : undefined);
    }
  }
  return eventStream(parts(), options, {}, () => {
    gone.abort();
    left?.();
  });
}
