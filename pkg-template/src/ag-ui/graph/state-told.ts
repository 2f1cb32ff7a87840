import { patchBetween } from "./patch-between.js";
import type { GraphEvent } from "./graph-event.js";

type Values = Readonly<Record<string, unknown>>;

/** What a client has been told of a run's state: the first time whole, then what changed. */
export class StateTold {
  #told: Values | undefined;

  /** Returns the events that tell a state, which has its messages taken out. */
  tell(state: Values): GraphEvent[] {
    const told = this.#told;
    this.#told = state;
    if (!told) return Object.keys(state).length > 0 ? [{ type: "STATE_SNAPSHOT", snapshot: state }] : [];
    const delta = patchBetween(told, state);
    return delta.length > 0 ? [{ type: "STATE_DELTA", delta }] : [];
  }
}
