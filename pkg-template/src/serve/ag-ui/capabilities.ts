// The capabilities that a server of AG-UI declares, and what a client that folds says in return.
import type { FoldingClient } from "../../ag-ui/graph/graph-events.js";
import { graphCapabilities } from "../../ag-ui/graph/graph-capabilities.js";
import type { GraphRunInput } from "../../ag-ui/graph/graph-input.js";
import { isDict } from "../../shared/dict.js";
import type { RunnableGraph } from "../../stream/graph-parts.js";

interface Options {
  readonly resumable?: boolean | undefined;
  readonly onEvents?: unknown;
}

/** Whether the server knows what its clients receive: it keeps threads, and nobody changes its events. */
export const folds = ({ checkpointer }: RunnableGraph, { onEvents }: Options): boolean =>
  Boolean(checkpointer) && onEvents === undefined;

/** The capabilities that AG-UI has no name for: `steers`, that messages can be sent into a run. */
function customOf(has: Readonly<Record<string, boolean>>): object {
  const names = Object.entries(has).filter(([, is]) => is);
  return names.length > 0 ? { custom: { threadfold: Object.fromEntries(names) } } : {};
}

/** Returns AG-UI's `AgentCapabilities` of a server. */
export const capabilities = (graph: RunnableGraph, options: Options): object => ({
  ...graphCapabilities(graph),
  transport: { streaming: true, resumable: options.resumable === true },
  ...customOf({ folds: folds(graph, options), steers: options.resumable === true }),
});

/** Reads what a client says of its folding; returns the input without it. */
export function foldingClient(input: GraphRunInput): {
  input: GraphRunInput;
  client?: FoldingClient | undefined;
  changes?: readonly unknown[] | undefined;
} {
  const { threadfold: said, ...forwardedProps } = isDict(input.forwardedProps) ? input.forwardedProps : {};
  if (!isDict(said)) return { input };
  const { at, leavesOut, changes, since } = said;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    input: { ...input, forwardedProps },
    client: { at: text(at), leavesOut: leavesOut === true, since: leavesOut === true ? undefined : text(since) },
    changes: Array.isArray(changes) ? (changes as unknown[]) : undefined,
  };
}
