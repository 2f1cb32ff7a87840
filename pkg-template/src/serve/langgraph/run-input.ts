// Makes the input and the config of a graph from a request for a run.
import { command, type RunnableGraph } from "../../stream/graph-parts.js";
import { withBreakpoints } from "../threads/client-writes.js";
import { configOf } from "../threads/thread-config.js";
import { clientsConfigurable } from "./clients-configurable.js";
import type { Run } from "./run.js";
import { metadataOf, savedWith } from "./run-metadata.js";
import type { RunRequest } from "./run-request.js";

/** The checkpoint at which a run is asked to begin, wherever the request names it. */
export function checkpointIn({ checkpoint, checkpoint_id, config }: RunRequest): unknown {
  const { checkpoint_id: older } = (config?.["configurable"] ?? {}) as { checkpoint_id?: unknown };
  return checkpoint ?? checkpoint_id ?? older;
}

export function inputOf({ input, command: asked }: RunRequest, graph: RunnableGraph): unknown {
  if (!asked) return input ?? null;
  const { resume, update } = asked;
  const goto = [asked.goto ?? []].flat();
  // langgraph.js knows the Send of a command by its class, but one that is written to its channel by the fields.
  const isOurs = (graph as { keepsLeft?: unknown }).keepsLeft === true;
  const written = isOurs ? [] : goto.filter(isSend).map((to) => ["__pregel_tasks", sendOf(to)]);
  const updates = Array.isArray(update) ? (update as unknown[]) : Object.entries((update ?? {}) as object);
  const next = isOurs ? goto.map((to) => (isSend(to) ? sendOf(to) : to)) : goto.filter((to) => !isSend(to));
  return command({
    ...(resume != null && { resume }),
    ...(written.length > 0 ? { update: [...updates, ...written] } : update != null && { update }),
    ...(next.length > 0 && { goto: next }),
  });
}

/** A goto is a node's name or, with an input of its own, a Send. */
interface SendLike {
  readonly node: string;
  readonly input?: unknown;
}
const isSend = (to: unknown): to is SendLike => typeof (to as Partial<SendLike> | null)?.node === "string";
const sendOf = ({ node, input }: SendLike) => ({ lg_name: "Send", node, args: input ?? {} });

export function configFor(graph: RunnableGraph, run: Run, request: RunRequest, more: object, attempt: number): object {
  const { config, context, durability, checkpoint_during } = request;
  const { interrupt_before: before, interrupt_after: after } = request;
  const { configurable, recursion_limit, tags } = config ?? {};
  const at = configOf(run.threadId, checkpointIn(request));
  const { metadata: own, configurable: fixed } = more as { metadata?: object; configurable?: object };
  const metadata = metadataOf(run, own);
  const saved = savedWith(graph, run.threadId, metadata, attempt);
  return {
    ...(recursion_limit != null && { recursionLimit: recursion_limit }),
    ...(tags != null && { tags }),
    ...saved.config,
    ...(context !== undefined && context !== null && { context }),
    ...(before != null && { interruptBefore: withBreakpoints(graph, "interruptBefore", before) }),
    ...(after != null && { interruptAfter: withBreakpoints(graph, "interruptAfter", after) }),
    ...(durability != null ? { durability } : checkpoint_during === false ? { durability: "exit" } : {}),
    subgraphs: run.events !== undefined || request.stream_subgraphs === true,
    ...more,
    // Nodes and the metadata of streamed messages name the run, as on a LangGraph server.
    metadata,
    configurable: {
      ...clientsConfigurable(configurable),
      ...fixed,
      ...saved.configurable,
      ...at.configurable,
    },
  };
}
