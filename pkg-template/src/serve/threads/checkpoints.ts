// A thread's checkpoints, by which a client finds its branches and switches between them.
import { checkpointOf } from "../../ag-ui/graph/graph-events.js";
import { agUiMessage } from "../../ag-ui/graph/message-told.js";
import { sameJson } from "../../shared/same-json.js";
import type { GraphState, RunnableGraph } from "../../stream/graph-parts.js";
import { Refusal } from "../refusal.js";
import type { ClientWrites } from "./client-writes.js";
import { countOf } from "./list-query.js";
import { configOf } from "./thread-config.js";
import { checkNamed, refusedWith } from "./graph-refusals.js";

/** How many checkpoints a request may read. */
const MOST = 200;

interface Message {
  readonly id?: unknown;
  readonly content?: unknown;
}

/**
 * Returns a thread's newest checkpoints, the newest first. Each has the messages after the first `same` ones, which are
 * those of the checkpoint listed before it: the answer grows with what the checkpoints differ in.
 */
export async function checkpointList(
  graph: RunnableGraph,
  threadId: string,
  query: URLSearchParams,
): Promise<object[]> {
  const limit = Math.min(countOf(Object.fromEntries(query), "limit", MOST), MOST);
  const told: object[] = [];
  if (!graph.getStateHistory || !graph.checkpointer || limit === 0) return told;
  let before: readonly Message[] = [];
  for await (const given of graph.getStateHistory(configOf(threadId) as never, { limit } as never)) {
    const { metadata, config, parentConfig } = given as GraphState;
    const list = messagesOf(given as GraphState);
    const same = sharedStart(before, list);
    told.push({
      id: config?.configurable?.["checkpoint_id"],
      parent: parentConfig?.configurable?.["checkpoint_id"],
      isInput: (metadata as { source?: unknown } | undefined)?.source === "input",
      same,
      messages: list.slice(same).map(compared),
    });
    if (told.length >= limit) break;
    before = list;
  }
  return told;
}

/** Whether an edit or a switch has replaced messages of a checkpoint that is among a thread's newest. */
export async function isReplaced(graph: RunnableGraph, threadId: string, id: unknown): Promise<boolean> {
  if (id === undefined || !graph.getStateHistory || !graph.checkpointer) return false;
  let shown: readonly Message[] | undefined;
  for await (const given of graph.getStateHistory(configOf(threadId) as never, { limit: MOST } as never)) {
    const list = messagesOf(given as GraphState);
    shown ??= list;
    if (checkpointOf(given as GraphState) === id) return sharedStart(list, shown) < list.length;
  }
  return false;
}

/**
 * Makes a copy of a checkpoint the thread's newest.
 *
 * @throws {@link Refusal} 404 for an unknown checkpoint, and what `writes` throws.
 */
export async function copyCheckpoint(
  graph: RunnableGraph,
  writes: ClientWrites,
  threadId: string,
  id: unknown,
): Promise<void> {
  if (typeof id !== "string" || id === "") throw new Refusal(422, "from should be the id of a checkpoint.");
  if (!graph.checkpointer || !graph.updateState) throw new Refusal(422, "The graph keeps no checkpoints to copy.");
  const config = configOf(threadId, id);
  await checkNamed(graph, config.configurable);
  await writes.checkFork(graph, config.configurable);
  await graph.updateState(config as never, null as never).then(undefined, refusedWith(422));
}

function messagesOf({ values }: GraphState): readonly Message[] {
  const { messages } = (values ?? {}) as { messages?: unknown };
  return Array.isArray(messages) ? (messages as readonly Message[]) : [];
}

function sharedStart(one: readonly Message[], other: readonly Message[]): number {
  const isOther = (message: Message, at: number) =>
    message !== other[at] && (message.id !== other[at]?.id || !sameJson(message.content, other[at]?.content));
  const at = one.findIndex(isOther);
  return at < 0 ? one.length : at;
}

/** Returns as much of a message as branches are told apart by. */
function compared(message: Message): Message {
  const { id, content } = (agUiMessage(message) ?? message) as Message;
  return { id, content };
}
