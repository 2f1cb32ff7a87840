import type { Source } from "../stream/source.js";

/**
 * One part of a LangGraph server's stream, its data parsed. An event of protocol v2 has `method` and `params` instead of
 * `event` and `data`.
 */
export interface LangGraphPart {
  readonly id?: string | undefined;
  /** The stream mode, such as `custom`; `custom|namespace` for a subgraph. */
  readonly event?: string | undefined;
  readonly data?: unknown;
  readonly method?: string | undefined;
  readonly params?: object | undefined;
}

/**
 * The sources that a run can be read from. Pass the result of `client.runs.stream` or `client.runs.joinStream` of
 * `@langchain/langgraph-sdk`, the events of protocol v2, a `fetch` Response of server-sent events, or its body.
 */
export type RunStream = Source<object>;
