import { isOpen } from "../thread/run-status.js";
import { INSIDE } from "../thread/inside.js";
import type { ThreadPosition } from "../thread/proof.js";
import type { AnyThread } from "../thread/thread.js";
import type { StepWindow } from "./step-window.js";

/** Where a thread stood when a run began. */
interface RunStart {
  readonly window: StepWindow | undefined;
  readonly position: ThreadPosition | undefined;
}

/** Notes on one run, from its streams. */
export interface RunNotes {
  readonly id?: string | undefined;
  /** The run before it, without the one before that. */
  readonly before?: RunNotes | undefined;
  /** The state to go back to when the run starts again. */
  readonly start?: RunStart | undefined;
  /** How it ended; undefined until the stream shows it. All but a finished run may leave a super-step unfinished. */
  end?: "finished" | "interrupted" | "failed" | undefined;
  /** Whether it was sent updates; undefined until they are folded in, which is before any task runs. */
  hasInput?: boolean;
  /** The input that its stream names, of a run that another client started. */
  input?: object;
  /** Whether all that it was sent was folded in. */
  isInputFolded?: boolean;
  /** The greatest super-step that a part named. */
  step?: number | undefined;
  /** The number of parts with writes so far, if the server numbers them. */
  parts?: number;
  /** Whether the server marked its end. */
  hasEnd?: boolean;
  /** Whether a reading of its stream began in the middle, and no part came since. */
  isJoining?: boolean;
  hasUpdates?: boolean;
  /** Whether a super-step is known to be saved. */
  hasSaved?: boolean;
  /** Whether the state has some of the open super-step's writes, nobody knows which. */
  isPartlyTaken?: boolean;
}

/** The notes about a thread's last run, whose stream was read elsewhere. */
export function lastRun(thread: AnyThread): RunNotes {
  const { id, status, interrupts } = thread.run;
  // A run without an id is only requested.
  if (isOpen(thread) && id !== undefined) return { hasInput: false };
  const isLeft = thread[INSIDE].proof.position?.isLeft;
  const end = interrupts ? "interrupted" : status === "error" || isLeft ? "failed" : "finished";
  return { hasInput: false, end, before: { end } };
}
