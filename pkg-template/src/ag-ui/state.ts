import type { StateDelta, StateSnapshot } from "./event-types.js";
import { NOTHING, type Change, type Step } from "./fold.js";

const STATE: Change = { state: true };

export const stateSnapshot: Step<StateSnapshot> = {
  hook: "onStateSnapshotEvent",
  apply(fold, { snapshot }, id) {
    fold.state.snapshot(snapshot, id);
    return STATE;
  },
};

export const stateDelta: Step<StateDelta> = {
  hook: "onStateDeltaEvent",
  apply: (fold, event, id) => (fold.state.delta(event.delta, id, event) ? STATE : NOTHING),
};
