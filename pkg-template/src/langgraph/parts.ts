import type { StreamSource } from "../stream/source.js";

/** One part of a stream of the LangGraph server, its data parsed. */
export interface Part {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly data?: unknown;
}

/**
 * The sources that a run can be read from. Pass the result of `client.runs.stream` or `client.runs.joinStream` of
 * `@langchain/langgraph-sdk`, the events of protocol v2, a `fetch` Response of server-sent events, or its body.
 */
export type RunStream = StreamSource<object>;
