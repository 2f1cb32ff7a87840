import { ThreadfoldError } from "threadfold";
import { isAbort, isAbortError } from "../abort.js";
import type { Interrupt, RunError, RunFinished, RunStarted } from "./event-types.js";
import { cleaned, MESSAGES, NOTHING, type Fold, type Step } from "./fold.js";

/** How a run came to its end. */
export type RunEnd =
  | { readonly status: "finished"; readonly result?: unknown; readonly pendingToolCallIds: readonly string[] }
  | { readonly status: "interrupted"; readonly interrupts: readonly Interrupt[] }
  | { readonly status: "cancelled" }
  | { readonly status: "failed"; readonly error: RunFailure }
  /** The stream ended before the run did. */
  | { readonly status: "cut" };

/** What the server said of a run that failed. */
export interface RunFailure {
  readonly message: string;
  readonly code?: string;
}

export function interruptsOf(interrupts: readonly Interrupt[]): Interrupt[] {
  return interrupts.map((interrupt) => {
    if (interrupt.subagentRunId !== null) return interrupt;
    const { subagentRunId: _, ...rest } = interrupt;
    return rest;
  });
}

/** The end that an event says; undefined for one that says none. */
export function endOf(fold: Fold, event: { type: string }): RunEnd | undefined {
  if (event.type === "RUN_ERROR")
    return isStop(fold, event) ? { status: "cancelled" } : { status: "failed", error: failure(event as RunError) };
  if (event.type !== "RUN_FINISHED") return undefined;
  const { outcome, result } = event as RunFinished;
  if (outcome?.type === "interrupt") return { status: "interrupted", interrupts: interruptsOf(outcome.interrupts) };
  if (outcome?.type === "cancelled") return { status: "cancelled" };
  return { status: "finished", result, pendingToolCallIds: fold.run.leftOver(event as RunFinished) };
}

/** Whether a run fails because the user has stopped it: `@ag-ui/client` makes an event of the request's AbortError. */
function isStop(fold: Fold, event: object): boolean {
  return fold.isStopped || isAbortError((event as { rawEvent?: unknown }).rawEvent);
}

function failure({ message, code }: RunError): RunFailure {
  return code === undefined ? { message } : { message, code };
}

/** Whether a run that begins is the thread's last one, told again from its start. */
function isJoined(fold: Fold, runId: string | undefined): boolean {
  return runId !== undefined && runId === fold.thread.run.id && (fold.join ?? isOpen(fold));
}

/** Begins a run: a new one, or the last one once more. */
function beginRun(fold: Fold, runId: string | undefined): void {
  const joined = isJoined(fold, runId);
  fold.run.begin();
  fold.streams.reset();
  fold.calls.forget();
  fold.send(
    fold.join !== false && isUnnamed(fold) ? { type: "run-started", runId } : { type: "run-started", runId, joined },
  );
  fold.state.begin(joined);
}

/** Whether a run is under way, connected or not. */
function isOpen({ thread: { run } }: Fold): boolean {
  return run.status === "running" || run.status === "disconnected";
}

/** Whether a run that is under way began before its id was known. */
function isUnnamed(fold: Fold): boolean {
  return fold.thread.run.id === undefined && isOpen(fold);
}

/** The stream is over. If its run is not, the connection broke, unless the user has stopped it. */
export function leave(fold: Fold, error?: unknown): void {
  unlessFreed(() => {
    if (fold.isStopped) finishStopped(fold);
    else if (fold.thread.run.status === "running") fold.send({ type: "disconnected", error });
  });
}

/**
 * Reading ended by an error. Stopped by the user, the run ends. If no run began, the one that was asked for has failed;
 * but one that has an id is under way, and may be joined.
 */
export function breakOff(fold: Fold, error: unknown, began: boolean, signal?: AbortSignal): void {
  fold.isStopped ||= isAbort(error, signal);
  if (fold.isStopped || began || (isOpen(fold) && !isUnnamed(fold))) return leave(fold, error);
  unlessFreed(() => {
    if (!isOpen(fold)) beginRun(fold, undefined);
    fold.send({ type: "run-failed", error });
  });
}

/** Ends the run that is under way as one that has ended well: what was said stays, and what was sent is over. */
function finishStopped(fold: Fold): void {
  if (!isOpen(fold)) return;
  fold.send({ type: "run-finished" });
  fold.state.finish();
}

/** A thread that was freed has nobody to tell. */
function unlessFreed(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ThreadfoldError && error.code === "DISPOSED")) throw error;
  }
}

export const runStarted: Step<RunStarted> = {
  hook: "onRunStartedEvent",
  always: (fold, { runId }) => beginRun(fold, runId),
  apply(fold, { input }, id) {
    const messages = input?.messages;
    if (!messages) return NOTHING;
    const fresh = messages.map(cleaned).filter((message) => !fold.message(message.id));
    for (const [at, message] of fresh.entries()) {
      fold.put(message, at === fresh.length - 1 ? id : undefined);
      fold.calls.noteMessage(message);
    }
    return MESSAGES;
  },
};

export const runFinished: Step<RunFinished> = {
  hook: "onRunFinishedEvent",
  told(fold, event) {
    const { outcome } = event;
    if (outcome?.type === "interrupt") return { outcome: "interrupt", interrupts: outcome.interrupts };
    if (outcome?.type === "cancelled") return { outcome: "cancelled" };
    return { outcome: "success", result: event.result, pendingToolCallIds: fold.run.leftOver(event) };
  },
  always(fold, { outcome }) {
    fold.send({
      type: "run-finished",
      ...(outcome?.type === "interrupt" && { interrupts: interruptsOf(outcome.interrupts) }),
    });
    fold.state.finish();
  },
};

export const runError: Step<RunError> = {
  hook: "onRunErrorEvent",
  always(fold, event) {
    if (isStop(fold, event)) finishStopped(fold);
    else fold.send({ type: "run-failed", error: failure(event) });
  },
};
