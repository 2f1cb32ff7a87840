import type { StateDelta, StateSnapshot } from "./event-types.js";
import { type Change, NOTHING, type Step } from "./fold.js";
import { isDict } from "../shared/dict.js";
import { given, list } from "./shapes.js";

const STATE: Change = { state: true };

export const stateSnapshot: Step<StateSnapshot> = {
  shape: { snapshot: given },
  hook: "onStateSnapshotEvent",
  apply(fold, event) {
    const { snapshot } = event;
    // A thread has fields: only an agent's state may be any JSON.
    if (snapshot !== null && !isDict(snapshot) && !fold.state.isAny)
      return (
        fold.refuse(event, "STATE_SNAPSHOT: expected an object, got another value.", "INVALID_ARGUMENT") ?? NOTHING
      );
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
