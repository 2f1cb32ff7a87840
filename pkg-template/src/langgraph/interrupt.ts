/** A question of the graph's to the user: the run goes on when it is resumed with the answer. */
export interface RunInterrupt {
  readonly id?: string | undefined;
  readonly value?: unknown;
  /** The graph within the graph that asks. */
  readonly namespace: readonly string[];
}

/** Whether an interrupt is among these; one without an id is always another. */
export const isKnown = (interrupts: readonly RunInterrupt[], { id }: RunInterrupt): boolean =>
  id !== undefined && interrupts.some((known) => known.id === id);
