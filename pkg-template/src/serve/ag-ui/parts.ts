// The parts of this server's runs: AG-UI's events, as server-sent events.
import type { GraphEvent } from "../../ag-ui/graph/graph-event.js";
import { eventStream } from "../http.js";
import { textOf, type NumberedPart } from "../runs/run-store.js";
import { wireJson } from "../wire.js";
import type { ServeAgUiOptions } from "./serve-options.js";

/** The name of this server's runs in a store: the parts of others cannot be read here. */
export const SERVER = "ag-ui";

export const partOf = (event: GraphEvent): string => `data: ${wireJson(event)}`;

interface Followed {
  follow(after: number, signal: AbortSignal): AsyncIterable<NumberedPart>;
}

/**
 * Streams a run's parts, after `Last-Event-ID` or from its start.
 *
 * @param starters - The parts that the run's starter gets otherwise, by their numbers.
 * @param leave - Is called when the connection ends.
 */
export function streamed(
  run: Followed,
  { headers }: Request,
  options: ServeAgUiOptions,
  starters?: ReadonlyMap<number, string | undefined>,
  leave?: () => void,
): Response {
  const seen = headers.get("last-event-id") ?? "";
  const gone = new AbortController();
  const coming = run.follow(/^\d+$/.test(seen) ? Number(seen) : 0, gone.signal);
  async function* parts(): AsyncGenerator<string> {
    for await (const [at, part] of coming) {
      const told = starters?.has(at) ? starters.get(at) : textOf(part);
      if (told !== undefined) yield options.resumable ? `id: ${at}\n${told}\n\n` : `${told}\n\n`;
    }
  }
  return eventStream(parts(), options, {}, () => {
    gone.abort();
    leave?.();
  });
}
