// The tabs of the panel: each shows one aspect of the chosen thread.
import type { AnyThread } from "../../thread/thread.js";
import type { Found } from "../found.js";
import type { RecordedPart } from "../part.js";

/** The thread that is shown, at one place of its recording. */
export interface Shown {
  readonly found: Found;
  readonly parts: readonly RecordedPart[];
  /** The thread as it is now, or as it was at the place. */
  readonly thread: AnyThread;
  /** How its run stands. */
  readonly status: string;
  /** The place in `parts`; undefined for now. */
  readonly at: number | undefined;
  /** Shows the thread at another place. */
  readonly travel: (at: number | undefined) => void;
  /** Draws again in the next frame. */
  readonly redraw: () => void;
}

export interface View {
  readonly label: string;
  readonly root: HTMLElement;
  /** A number beside the label. A bad one needs attention. */
  badge?(shown: Shown): { readonly count: number; readonly isBad?: boolean };
  show(shown: Shown): void;
}
