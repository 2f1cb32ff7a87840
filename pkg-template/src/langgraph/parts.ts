import type { StreamSource } from "../stream/source.js";

/** One part of a stream of the LangGraph server, its data parsed. */
export interface Part {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly data?: unknown;
}

/**
 * Where a run may be read from: what `client.runs.stream` and `client.runs.joinStream` of `@langchain/langgraph-sdk`
 * return, the events of protocol v2, a `fetch` Response of server-sent events, or its body.
 */
export type RunStream = StreamSource<object>;
