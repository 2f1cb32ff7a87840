import type { StateDelta, StateSnapshot } from "./event-types.js";
import { type Change, type Step } from "./fold.js";
import { given, list } from "./shapes.js";

const STATE: Change = { state: true };

export const stateSnapshot: Step<StateSnapshot> = {
  shape: { snapshot: given },
  hook: "onStateSnapshotEvent",
  apply(fold, { snapshot }) {
    fold.state.snapshot(snapshot);
    return STATE;
  },
};

export const stateDelta: Step<StateDelta> = {
  shape: { delta: list },
  hook: "onStateDeltaEvent",
  apply(fold, event) {
    fold.state.delta(event.delta, event);
    return STATE;
  },
};
