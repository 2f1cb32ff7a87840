// One entry of a recording: a part that a thread folded, or a change that the page made.
import type { PatchOperation } from "../state/patch.js";
import type { ThreadEvent } from "../thread/thread-events.js";
import { errorWords } from "./dom.js";

/** A part that a thread folded, or a change that the page made itself. */
export interface RecordedPart {
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** The event's type; `start` for the first one, `pending` and `change` for changes of the page's own. */
  readonly kind: string;
  /** The event. Undefined for a change of the page's own. */
  readonly event?: ThreadEvent | undefined;
  /** A change of the page's own, in a few words. */
  readonly note?: string | undefined;
  /** The thread's record after the part, from which a replay can start. */
  record?: object | undefined;
  /** The run's status where there is a record: a run under way is `disconnected` in that. */
  status?: string | undefined;
  /** Why the part could not be folded. */
  error?: { readonly code?: string | undefined; readonly message: string } | undefined;
  /** Turns the predicted state into the one that this snapshot sent. */
  drift?: readonly PatchOperation[] | undefined;
  /** The fields that may differ from the server's since this part, each with the reason. */
  doubts?: readonly string[] | undefined;
}

/** A run, as its parts show it. */
export interface RecordedRun {
  readonly id: string | undefined;
  /** The numbers of its first and its last part, in the recording's list. */
  readonly from: number;
  to: number;
  /** How it ended; undefined while it is under way. */
  result: string | undefined;
  error: string | undefined;
}

interface RunFields {
  readonly runId?: string;
  readonly joined?: boolean;
  readonly interrupts?: readonly unknown[];
  readonly stopped?: boolean;
  readonly error?: unknown;
}

/** Returns the runs of these parts, in order. A run that was joined again is one. */
export function runsOf(parts: readonly RecordedPart[]): readonly RecordedRun[] {
  const runs: RecordedRun[] = [];
  let open: RecordedRun | undefined;
  parts.forEach(({ kind, event }, at) => {
    if (!event) return;
    const { runId, joined, interrupts, stopped, error } = event as RunFields;
    if (kind === "run-started") {
      const isSame = open && (joined ?? (open.id === undefined || runId === open.id));
      if (open && isSame) Object.assign(open, { id: runId ?? open.id, result: undefined, error: undefined });
      else runs.push((open = { id: runId, from: at, to: at, result: undefined, error: undefined }));
    }
    if (!open) return;
    open.to = at;
    if (kind === "run-finished") open.result = stopped ? "stopped" : interrupts?.length ? "interrupted" : "finished";
    else if (kind === "run-error" || kind === "disconnected") {
      open.result = kind === "run-error" ? "failed" : "disconnected";
      open.error = error === undefined ? undefined : errorWords(error);
    } else if (open.result === "disconnected") open.result = undefined;
    if (open.result !== undefined && open.result !== "disconnected") open = undefined;
  });
  return runs;
}

/** Returns how many messages a part brings: the weight of what it keeps in memory. */
export function messagesIn(event: ThreadEvent | undefined): number {
  const { messages, values } = (event ?? {}) as { messages?: unknown; values?: { messages?: unknown } };
  const list = messages ?? values?.messages;
  return Array.isArray(list) ? list.length : 0;
}

const sizes = new WeakMap<RecordedPart, number>();

/** Returns a part's bytes as JSON. Measured when somebody looks at it, and once. */
export function bytesOf(part: RecordedPart): number {
  let size = sizes.get(part);
  if (size === undefined) sizes.set(part, (size = part.event ? bytes(part.event) : 0));
  return size;
}

function bytes(event: ThreadEvent): number {
  try {
    return new TextEncoder().encode(JSON.stringify(event)).length;
  } catch {
    return 0;
  }
}
