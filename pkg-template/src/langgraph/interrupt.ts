/** A question of the graph to the user. The run continues when you resume it with the answer. */
export interface RunInterrupt {
  readonly id?: string | undefined;
  readonly value?: unknown;
  /** The subgraph that asks. */
  readonly namespace: readonly string[];
}

/** Whether an interrupt is among these. One without an id is always another. */
export const isKnown = (interrupts: readonly RunInterrupt[], { id }: RunInterrupt): boolean =>
  id !== undefined && interrupts.some((known) => known.id === id);
