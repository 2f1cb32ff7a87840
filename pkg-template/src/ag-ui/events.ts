// Every event of AG-UI 1.0 and its effect on a thread, by the rules of `@ag-ui/client`'s `defaultApplyEvents`.
import { activityDelta, activitySnapshot } from "./activities.js";
import { CHUNK_SHAPES } from "./chunks.js";
import type { AgUiEvent, FoldedEvent, Heard, RunEnd } from "./event-types.js";
import type { Fold, Step } from "./fold.js";
import { messagesSnapshot } from "./messages-snapshot.js";
import { runError, runFinished, runStarted } from "./runs.js";
import { isDict } from "../shared/dict.js";
import { absentOr, type Check } from "./shapes.js";
import { stateDelta, stateSnapshot } from "./state.js";
import { isThinking, THINKING_SHAPES } from "./thinking.js";
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

const heard = (hook: string): Step<Heard> => ({ shape: {}, hook });

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

/**
 * A type of event: the fields to check, and what it does. Chunks and THINKING_ events have no step: they stand for
 * other events.
 */
export interface Kind {
  readonly fields: readonly (readonly [name: string, check: Check])[];
  readonly step: Step<FoldedEvent> | undefined;
}

const KINDS = new Map<string, Kind>([
  ...Object.entries(STEPS as unknown as Record<string, Step<FoldedEvent>>).map(
    ([type, step]) => [type, { fields: Object.entries(step.shape), step }] as const,
  ),
  ...Object.entries({ ...CHUNK_SHAPES, ...THINKING_SHAPES }).map(
    ([type, shape]) => [type, { fields: Object.entries(shape), step: undefined }] as const,
  ),
]);

const metadata = absentOr(isDict);

/** Returns an event's kind, or a sentence that says why the value is not an event. */
export function kindOf(value: unknown): Kind | string {
  if (!isDict(value)) return `An AG-UI event should be an object, this is ${nameOf(value)}.`;
  const type = value["type"];
  const kind = typeof type === "string" ? KINDS.get(type) : undefined;
  if (!kind) return `AG-UI 1.0 has no event of the type ${typeof type === "string" ? `'${type}'` : nameOf(type)}.`;
  if (!metadata(value["metadata"])) return `The metadata of ${type as string} should be an object.`;
  for (const [field, check] of kind.fields) {
    if (!check(value[field])) return `'${field}' of ${type as string} is missing or of the wrong shape.`;
  }
  return kind;
}

const nameOf = (value: unknown) => (value === null ? "null" : Array.isArray(value) ? "a list" : typeof value);

/** Returns what an event of this type does; undefined for a type that is not folded. */
export function stepOf(event: { readonly type: string }): Step<FoldedEvent> | undefined {
  return KINDS.get(event.type)?.step;
}

/**
 * Folds an event. Returns the run's end, if the event ends the run. Only the chunks and the thinking record an event
 * that the run already had, so that they can continue from it.
 *
 * @param id - Names the event's part on its stream.
 * @param isKnown - Whether the run already had the part.
 */
export function foldEvent(
  fold: Fold,
  { step }: Kind,
  event: AgUiEvent,
  id: string | undefined,
  isKnown: boolean,
): RunEnd | undefined {
  const parts = step && fold.chunks.opened.size === 0 ? undefined : partsOf(fold, event, isKnown);
  if (typeof parts === "string") return isKnown ? undefined : fold.refuse(event, parts, "INVALID_ARGUMENT");
  fold.delivery.at(id === undefined ? undefined : { id });
  let end: RunEnd | undefined;
  if (!parts) end = foldStep(fold, step, event as FoldedEvent, isKnown);
  else for (const part of parts) end = foldStep(fold, stepOf(part), part, isKnown);
  fold.delivery.at(undefined);
  return end;
}

/** Returns the events that one event stands for, as `Chunks.expand` does. */
function partsOf(fold: Fold, event: AgUiEvent, isKnown: boolean): readonly FoldedEvent[] | string | undefined {
  if (!isThinking(event)) return fold.chunks.expand(event);
  const reasoning = fold.thinking.modern(event, isKnown);
  return typeof reasoning === "string" ? reasoning : (fold.chunks.expand(reasoning) ?? [reasoning]);
}

/** Applies the event without a subscriber. */
function foldStep(
  fold: Fold,
  step: Step<FoldedEvent> | undefined,
  event: FoldedEvent,
  isKnown: boolean,
): RunEnd | undefined {
  const end = step?.end?.(fold, event);
  if (!step || isKnown) return end;
  if (step.alone) step.alone(fold, event);
  else if (!step.told || step.told(fold, event)) {
    step.always?.(fold, event);
    step.apply?.(fold, event);
  }
  return end;
}
