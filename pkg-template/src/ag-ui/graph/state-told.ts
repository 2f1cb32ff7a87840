// The state of a graph as AG-UI's events.
import type { GraphEvent } from "./graph-event.js";
import { jsonForm } from "./json-form.js";
import { patchBetween } from "./patch-between.js";

type Values = Readonly<Record<string, unknown>>;

/** Tracks the state that a client has received, in the client's form: whole at first, then as deltas. */
export class StateTold {
  #told: Values | undefined;

  /** Returns the events for a state without its messages. */
  tell(given: Values): GraphEvent[] {
    const told = this.#told;
    const state = jsonForm(given) as Values;
    if (!told && Object.keys(state).length === 0) return [];
    this.#told = state;
    if (!told) return [{ type: "STATE_SNAPSHOT", snapshot: state }];
    const delta = patchBetween(told, state);
    return delta.length > 0 ? [{ type: "STATE_DELTA", delta }] : [];
  }
}
