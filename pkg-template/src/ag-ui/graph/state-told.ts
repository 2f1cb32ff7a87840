// The state of a graph as AG-UI's events.
import type { GraphEvent } from "./graph-event.js";
import { jsonForm } from "./json-form.js";
import { patchBetween } from "./patch-between.js";

type Values = Readonly<Record<string, unknown>>;

/** What a client has been told of a run's state, in the form that it has: the first time whole, then what changed. */
export class StateTold {
  #told: Values | undefined;

  /** Returns the events that tell a state, which has its messages taken out. */
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
