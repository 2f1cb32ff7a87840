// A run's snapshots, one for each event. They share every part that did not change, so keeping all of them is cheap.
import { foldAgUi } from "./fold-ag-ui";
import { foldLangGraph } from "./fold-langgraph";
import type { Recording, RunEvent } from "./recording";
import { difference, objects } from "./sharing";
import type { Fold, ThreadState } from "./state";

export interface Step {
  readonly index: number;
  /** Undefined for the state before the first event. */
  readonly event: RunEvent | undefined;
  readonly state: ThreadState;
  readonly previous: ThreadState;
}

export class History {
  readonly #events: readonly RunEvent[];
  readonly #fold: Fold;
  readonly #states: ThreadState[];

  constructor(recording: Recording, events: readonly RunEvent[]) {
    this.#events = events;
    this.#fold = recording.protocol === "ag-ui" ? foldAgUi(recording.input) : foldLangGraph();
    this.#states = [this.#fold.state];
  }

  get last(): number {
    return this.#events.length;
  }

  /** The state after `index` events; folded when first asked for, kept from then on. */
  at(index: number): Step {
    while (this.#states.length <= index) {
      const event = this.#events[this.#states.length - 1];
      if (event) this.#fold.receive(event);
      this.#states.push(this.#fold.state);
    }
    const state = this.#states[index] ?? this.#fold.state;
    return { index, event: this.#events[index - 1], state, previous: this.#states[index - 1] ?? state };
  }

  /** How many objects all kept snapshots consist of, and how many of those really exist. */
  sharing(): { snapshots: number; referred: number; real: number } {
    let referred = 0;
    let real = 0;
    let previous: ThreadState | undefined;
    for (const state of this.#states) {
      referred += objects(state);
      real += difference(previous, state).objects;
      previous = state;
    }
    return { snapshots: this.#states.length, referred, real };
  }
}
