/** The key under which a result has what its nodes ask. */
export const INTERRUPT = "__interrupt__";

/** A question of a node: `new Command({ resume })` answers it. */
export interface OpenInterrupt {
  /** By this id one of several questions is answered: `resume: { [id]: answer }`. That of a `NodeInterrupt` has none. */
  id: string;
  value?: unknown;
}

/** The form of {@link OpenInterrupt} in a result. Not exported: so a user's declarations write it out, and need no name. */
type Asked<Value> = { id: string; value?: Value };

/**
 * Returns whether a run's result waits for answers.
 *
 * @example
 * ```ts
 * import { defineSchema, field } from "threadfold";
 * import { INTERRUPT, isInterrupted, MemorySaver, START, StateGraph } from "threadfold/graph";
 *
 * const graph = new StateGraph(defineSchema({ name: field.replace<string>() }))
 *   .addNode("ask", (_, ctx) => ({ name: ctx.interrupt("Your name?") as string }))
 *   .addEdge(START, "ask")
 *   .compile({ checkpointer: new MemorySaver() });
 * const result = await graph.invoke({}, { threadId: "t" });
 * console.log(isInterrupted<string>(result) && result[INTERRUPT][0]?.value); // Your name?
 * ```
 */
export function isInterrupted<Value = unknown>(values: unknown): values is { [INTERRUPT]: Asked<Value>[] } {
  return Array.isArray((values as { [INTERRUPT]?: unknown } | null | undefined)?.[INTERRUPT]);
}
