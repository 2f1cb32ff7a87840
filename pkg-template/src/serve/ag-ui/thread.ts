// The thread that a client reads: its state, and what it asks.
import { checkpointOf, isKept, threadState } from "../../ag-ui/graph/graph-events.js";
import { isUnfinished } from "../../ag-ui/graph/graph-input.js";
import { agUiMessages } from "../../ag-ui/graph/message-told.js";
import { questionsOf, shownState, type GraphState, type RunnableGraph } from "../../stream/graph-parts.js";
import { refusedWith } from "../threads/graph-refusals.js";

/**
 * Reads a thread.
 *
 * @throws {@link Refusal} 400 for a thread whose saved writes the graph refuses, such as those of a command.
 */
export const stateOf = (graph: RunnableGraph, threadId: string) =>
  threadState(graph, { configurable: { thread_id: threadId } }).catch(refusedWith(400));

/** Returns a thread's messages in AG-UI's form, and the other fields that clients may see. */
export function shownThread(graph: RunnableGraph, known: GraphState | undefined) {
  const { messages = [], ...state } = (known?.values ?? {}) as { messages?: readonly unknown[] };
  return { messages: messages.flatMap(agUiMessages), state: shownState(graph, state) };
}

/** Returns what `GET …/threads/ID` answers: undefined for a thread without a run that nobody keeps. */
export function toldThread(
  graph: RunnableGraph,
  known: GraphState | undefined,
  run: { readonly id: string } | undefined,
): object | undefined {
  if (!known || !(run || isKept(known))) return undefined;
  return {
    ...shownThread(graph, known),
    interrupts: questionsOf(known),
    next: known.next ?? [],
    ...(run && { run: { id: run.id } }),
    // An unfinished step's writes are in the values, and not at the checkpoint.
    ...(!run && !isUnfinished(known) && { checkpoint: checkpointOf(known) }),
  };
}
