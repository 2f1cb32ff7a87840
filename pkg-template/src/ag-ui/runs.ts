import { isAbort, isAbortError } from "../shared/abort.js";
import * as reading from "../stream/run-end.js";
import { isOpen } from "../thread/run-status.js";
import type { AgUiInterrupt, RunError, RunFinished, RunStarted } from "./event-types.js";
import { cleaned, MESSAGES, NOTHING, ofServer, type Fold, type Step } from "./fold.js";
import { INSIDE } from "../thread/inside.js";
import { isDict } from "../shared/dict.js";
import { absentOr, areObjects, messages, text } from "./shapes.js";

export function interruptsOf(interrupts: readonly AgUiInterrupt[]): AgUiInterrupt[] {
  return interrupts.map((interrupt) => {
    if (interrupt.subagentRunId !== null) return interrupt;
    const { subagentRunId: _, ...rest } = interrupt;
    return rest;
  });
}

/** Returns the interrupts of a run's end: its outcome's, or those that `serveAgUi` adds where that has none. */
function interruptsIn({ outcome, metadata }: RunFinished): AgUiInterrupt[] | undefined {
  if (outcome?.type === "interrupt") return interruptsOf(outcome.interrupts);
  const { interrupts } = ofServer(metadata);
  return areObjects(interrupts) ? interruptsOf(interrupts as readonly AgUiInterrupt[]) : undefined;
}

/** Whether a run fails because the user stopped it: `@ag-ui/client` makes an event of the request's AbortError. */
function isStop(fold: Fold, event: object): boolean {
  return fold.isStopped || isAbortError((event as { rawEvent?: unknown }).rawEvent);
}

function failure({ message, code }: RunError): object {
  return code === undefined || code === null ? { message } : { message, code };
}

/** Whether a run that begins is the thread's last one, sent again from its start. */
function isJoined(fold: Fold, runId: string | undefined): boolean {
  return runId !== undefined && runId === fold.thread.run.id && (fold.join ?? isOpen(fold.thread));
}

/** Begins a run: a new one, or the last one once more. */
function beginRun(fold: Fold, runId: string | undefined): void {
  const joined = isJoined(fold, runId);
  fold.run.begin();
  fold.streams.reset();
  fold.thinking.reset();
  fold.forget();
  // Received without its position: AG-UI's streams may count their parts anew, and this part is never one that was had.
  fold.thread.receive(
    fold.join !== false && isUnnamed(fold) ? { type: "run-started", runId } : { type: "run-started", runId, joined },
  );
  fold.state.begin(joined);
  fold.reports = fold.thread[INSIDE].reports();
  fold.thread.receive({ type: "step" });
}

/** Whether a run that is under way began before its id was known. */
function isUnnamed({ thread }: Fold): boolean {
  return thread.run.id === undefined && isOpen(thread);
}

/** Takes note that the stream ended. If its run did not, the connection broke, unless the user stopped the run. */
export function leave(fold: Fold): void {
  if (fold.isStopped) reading.stop(fold.thread, endsOf(fold));
  else reading.disconnect(fold.thread);
}

/** Takes note that an error ended the reading. */
export function breakOff(fold: Fold, error: unknown, hasBegun: boolean, signal?: AbortSignal): void {
  fold.isStopped ||= isAbort(error, signal);
  if (fold.isStopped) reading.stop(fold.thread, endsOf(fold));
  else reading.breakOff(fold.thread, error, hasBegun, endsOf(fold));
}

const endsOf = (fold: Fold): reading.RunEnds => ({
  begin: () => beginRun(fold, undefined),
  stop: () => finishStopped(fold),
  fail: (error) => fold.send({ type: "run-error", error }),
});

/** Ends the current run successfully: received messages stay, and sent updates are settled. */
function finishStopped(fold: Fold): void {
  fold.send({ type: "run-finished", stopped: true });
}

export const runStarted: Step<RunStarted> = {
  shape: { runId: text, input: absentOr((input) => isDict(input) && absentOr(messages)(input["messages"])) },
  hook: "onRunStartedEvent",
  always: (fold, { runId }) => beginRun(fold, runId),
  apply(fold, { input }) {
    if (!input?.messages) return NOTHING;
    for (const message of input.messages.map(cleaned)) {
      if (fold.message(message.id)) continue;
      fold.put(message);
      fold.calls.noteMessage(message);
    }
    return MESSAGES;
  },
};

export const runFinished: Step<RunFinished> = {
  shape: {
    outcome: absentOr(
      (outcome) => isDict(outcome) && (outcome["type"] !== "interrupt" || areObjects(outcome["interrupts"])),
    ),
  },
  hook: "onRunFinishedEvent",
  told(fold, event) {
    const { outcome } = event;
    if (outcome?.type === "interrupt") return { outcome: "interrupt", interrupts: outcome.interrupts };
    if (outcome?.type === "cancelled") return { outcome: "cancelled" };
    return { outcome: "success", result: event.result, pendingToolCallIds: fold.run.leftOver(event) };
  },
  always(fold, event) {
    const interrupts = interruptsIn(event);
    fold.send({
      type: "run-finished",
      ...(interrupts && { interrupts }),
      ...(event.outcome?.type === "cancelled" && { stopped: true }),
    });
    const { at } = ofServer(event.metadata);
    const { thread } = fold;
    if (typeof at !== "string" || fold.reports !== thread[INSIDE].reports()) return;
    thread.receive({ type: "step", checkpointId: at });
    fold.proven = thread.getConfirmedState();
  },
  end(fold, event) {
    const { outcome, result, usage } = event;
    const interrupts = interruptsIn(event);
    if (interrupts) return { status: "interrupted", interrupts, usage };
    if (outcome?.type === "cancelled") return { status: "stopped" };
    // A result may have come with the messages.
    const pendingToolCallIds = fold.run.leftOver(event).filter((id) => !fold.calls.result(id));
    return { status: "finished", value: result, usage, pendingToolCallIds };
  },
};

export const runError: Step<RunError> = {
  shape: { message: text },
  hook: "onRunErrorEvent",
  always(fold, event) {
    if (!isStop(fold, event)) fold.send({ type: "run-error", error: failure(event) });
    else if (isOpen(fold.thread)) finishStopped(fold);
  },
  end: (fold, event) => (isStop(fold, event) ? { status: "stopped" } : { status: "error", error: failure(event) }),
};
