import { isDict } from "../shared/dict.js";
import { ThreadfoldError } from "../shared/errors.js";
import type { Thread } from "../thread/thread.js";
import { removeMessage } from "../state/messages.js";
import type { LoadedThread } from "./transport.js";
import { forgetLost, lostMessages } from "./lost-messages.js";
import { beginEmpty } from "./begin-empty.js";
import { messagesIn } from "./messages-in.js";

/** A transport's {@link LoadedThread} as a protocol hands it on: with the defaults. */
export interface ServerThread extends LoadedThread {
  readonly interrupts: readonly unknown[];
  readonly runId: string | undefined;
  readonly isDone: boolean;
}

/**
 * Folds the server's state of a thread; pending updates stay. Returns the run to join there, if one is under way that was
 * not joined before.
 */
export function foldState<S extends object, U extends object>(
  thread: Thread<S, U>,
  { values, interrupts: told, runId, isDone, position }: ServerThread,
  joined: string | undefined,
): string | undefined {
  if (!isDict(values) || !Array.isArray(told) || !told.every(isDict))
    throw new ThreadfoldError(
      "BAD_RESPONSE",
      "load: expected `values` as an object and `interrupts` as a list of objects from the transport.",
    );
  // A state does not say which sub-agent asks: the stream that brought the question did.
  const known = new Map((thread.run.interrupts ?? []).map((asked) => [idOf(asked), asked]));
  const interrupts = told.map((asked) => known.get(idOf(asked) ?? NaN) ?? asked);
  // The state of another page's run that asks is all that there is to show.
  const isShown = interrupts.some((asked) => idOf(asked) === undefined || known.has(idOf(asked)));
  foldValues(thread, { values, interrupts, position }, isShown);
  if (runId !== undefined && runId !== joined) {
    beginEmpty(thread, runId);
    thread.receive({ type: "disconnected" });
    return runId;
  }
  // An interrupt answered elsewhere is no longer open, and of a run that ended well after all nothing has failed.
  const hasFailed = thread.run.status === "error";
  const isOver = isDone && hasFailed && !thread.pending.some(({ status }) => status === "failed");
  if (hasFailed && (isDone || (interrupts.length > 0 && !isShown))) dropHalf(thread, values);
  if (interrupts.length > 0 || thread.run.interrupts || isOver) thread.receive({ type: "run-finished", interrupts });
  return undefined;
}

/** Removes the messages that a failed run cut off: somebody else has continued it, and the server has what that made. */
function dropHalf<S extends object, U extends object>(thread: Thread<S, U>, values: object): void {
  const kept = new Set<unknown>(messagesIn(values).map(({ id }) => id));
  const gone = thread.incompleteIds.filter((id) => !kept.has(id) && thread.getConfirmedMessage(id));
  if (gone.length > 0) thread.receive({ type: "update", update: { messages: gone.map((id) => removeMessage(id)) } });
}

const idOf = (asked: unknown): unknown => (asked as { readonly id?: unknown } | null)?.id;

/**
 * Folds a state of the server's. Messages of a failed run that the server has lost become a failed update again.
 */
export function foldValues<S extends object, U extends object>(
  thread: Thread<S, U>,
  { values, interrupts, position }: Pick<ServerThread, "values" | "interrupts" | "position">,
  // The state of an interrupted run lacks what a subgraph sent before it.
  partial = interrupts.length > 0,
): void {
  const { status, error } = thread.run;
  const lost = status === "error" ? lostMessages(thread, values) : [];
  if (Object.keys(values).length > 0) thread.receive({ type: "values", values, partial });
  if (position) thread.receive({ type: "step", ...position });
  if (lost.length > 0) thread.optimistic({ messages: lost } as U).fail(error);
  forgetLost(thread);
}
