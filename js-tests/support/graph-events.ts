import { graphTransport, type RunnableGraph } from "threadfold/ag-ui";

interface GraphEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Runs a graph, and returns the events of its run. */
export function graphEvents(
  graph: RunnableGraph,
  input: object,
  { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<GraphEvent> {
  return graphTransport(graph).run(input as never, { signal }) as AsyncGenerator<GraphEvent>;
}
