// The graph of the objects: its second node says half of its answer, and waits for the test where the question says so.
import { defineSchema, field } from "threadfold";
import { END, START, StateGraph } from "threadfold/graph";

interface Gate {
  calls: number;
  open: () => void;
}

/** By thread. They outlive an object's instance, but not the program. */
const GATES = new Map<string, Gate>();

export const openGate = (threadId: string) => GATES.get(threadId)?.open();

async function waits(threadId: string, signal: AbortSignal): Promise<void> {
  const calls = (GATES.get(threadId)?.calls ?? 0) + 1;
  await new Promise<void>((resolve) => {
    GATES.set(threadId, { calls, open: resolve });
    signal.addEventListener("abort", () => resolve());
    // The run that continues one is not held.
    if (calls > 1) resolve();
  });
}

export const builder = new StateGraph(defineSchema({ messages: field.messages() }))
  .addNode("first", () => ({ messages: [{ type: "ai", id: "a1", content: "First" }] }))
  .addNode("second", async ({ messages }, { writer, signal, configurable }) => {
    writer({ name: "half", value: 1 });
    const question = messages.findLast(({ type }) => type === "human")?.content;
    if (question === "Wait") await waits(configurable.thread_id, signal);
    writer({ name: "whole", value: 2 });
    return { messages: [{ type: "ai", id: "a2", content: "Second" }] };
  })
  .addEdge(START, "first")
  .addEdge("first", "second")
  .addEdge("second", END);
