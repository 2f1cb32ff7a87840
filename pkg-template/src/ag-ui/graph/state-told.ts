// The state of a graph as AG-UI's events.
import type { ServedEvent } from "./graph-event.js";
import { jsonForm } from "./json-form.js";
import { patchBetween } from "./patch-between.js";
import { REPEATS, WHOLE } from "./whole.js";

type Values = Readonly<Record<string, unknown>>;

/** Tracks the state that a client has received, in the client's form: whole at first, then as deltas. */
export class StateTold {
  #told: Values | undefined;
  #client: Values | undefined;

  /** @param client - The state that the client has. */
  constructor(client?: Values) {
    this.#client = client && (jsonForm(client) as Values);
  }

  /** Returns the events for a state without its messages. */
  tell(given: Values): ServedEvent[] {
    const told = this.#told;
    const state = jsonForm(given) as Values;
    if (!told && Object.keys({ ...this.#client, ...state }).length === 0) return [];
    this.#told = state;
    const snapshot = { type: "STATE_SNAPSHOT", snapshot: state };
    const before = told ?? this.#client;
    if (!before) return [snapshot];
    const delta = patchBetween(before, state);
    const event = { type: "STATE_DELTA", delta };
    if (!told) return [{ ...event, [WHOLE]: () => snapshot, ...(delta.length === 0 && { [REPEATS]: true as const }) }];
    return delta.length > 0 ? [event] : [];
  }

  /** Returns the event for a state that a node gives the client itself. Later ones are changes of it. */
  whole(given: Values): ServedEvent {
    const { messages: _, ...state } = given;
    const snapshot = jsonForm(state) as Values;
    this.#told = snapshot;
    return { type: "STATE_SNAPSHOT", snapshot };
  }

  /** Whether the client has this state. */
  isAt(given: Values): boolean {
    return patchBetween(this.#told ?? this.#client ?? {}, jsonForm(given)).length === 0;
  }
}
