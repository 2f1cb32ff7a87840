// Every event of AG-UI 1.0 and what it does to a thread, by the rules of `@ag-ui/client`'s `defaultApplyEvents`.
import { activityDelta, activitySnapshot } from "./activities.js";
import type { FoldedEvent, Heard } from "./event-types.js";
import type { Fold, Step } from "./fold.js";
import { messagesSnapshot } from "./messages-snapshot.js";
import { runError, runFinished, runStarted } from "./runs.js";
import { stateDelta, stateSnapshot } from "./state.js";
import {
  encryptedValue,
  reasoningContent,
  reasoningEnd,
  reasoningStart,
  textContent,
  textEnd,
  textStart,
} from "./text.js";
import { toolCallArgs, toolCallEnd, toolCallResult, toolCallStart } from "./tool-calls.js";

const heard = (hook: string): Step<Heard> => ({ hook });

/** An event of several types, such as TextEnd, stands under each of them. */
type StepFor<Type> = FoldedEvent extends infer E
  ? E extends { type: infer Own }
    ? Type extends Own
      ? Step<E & FoldedEvent>
      : never
    : never
  : never;

const STEPS: { readonly [Type in FoldedEvent["type"]]: StepFor<Type> } = {
  TEXT_MESSAGE_START: textStart,
  TEXT_MESSAGE_CONTENT: textContent,
  TEXT_MESSAGE_END: textEnd,
  TOOL_CALL_START: toolCallStart,
  TOOL_CALL_ARGS: toolCallArgs,
  TOOL_CALL_END: toolCallEnd,
  TOOL_CALL_RESULT: toolCallResult,
  STATE_SNAPSHOT: stateSnapshot,
  STATE_DELTA: stateDelta,
  MESSAGES_SNAPSHOT: messagesSnapshot,
  ACTIVITY_SNAPSHOT: activitySnapshot,
  ACTIVITY_DELTA: activityDelta,
  RAW: heard("onRawEvent"),
  CUSTOM: heard("onCustomEvent"),
  RUN_STARTED: runStarted,
  RUN_FINISHED: runFinished,
  RUN_ERROR: runError,
  STEP_STARTED: heard("onStepStartedEvent"),
  STEP_FINISHED: heard("onStepFinishedEvent"),
  REASONING_START: heard("onReasoningStartEvent"),
  REASONING_MESSAGE_START: reasoningStart,
  REASONING_MESSAGE_CONTENT: reasoningContent,
  REASONING_MESSAGE_END: reasoningEnd,
  REASONING_END: heard("onReasoningEndEvent"),
  REASONING_ENCRYPTED_VALUE: encryptedValue,
  SUBAGENT_STARTED: heard("onSubagentStartedEvent"),
  SUBAGENT_FINISHED: heard("onSubagentFinishedEvent"),
  SUBAGENT_ERROR: heard("onSubagentErrorEvent"),
};

const steps = new Map<string, Step<FoldedEvent>>(Object.entries(STEPS as unknown as Record<string, Step<FoldedEvent>>));

/** What an event of this type does; undefined for a type that is not folded. */
export function stepOf(event: { readonly type: string }): Step<FoldedEvent> | undefined {
  return steps.get(event.type);
}

/** Folds one event that nobody comes between. `id` is its part's id on its stream. */
export function foldEvent(fold: Fold, event: FoldedEvent, id?: string): void {
  const step = stepOf(event);
  if (step?.alone) return step.alone(fold, event, id);
  if (!step || (step.told && !step.told(fold, event))) return;
  step.always?.(fold, event);
  step.apply?.(fold, event, id);
}
