// The panel of a page: one, however often it is asked for.
import { checkOptions } from "../shared/options.js";
import type { AnyThread } from "../thread/thread.js";
import { FoundThreads, type AddOptions, type ShownRunner } from "./found.js";
import { Panel } from "./panel.js";
import type { ThreadRecording } from "./recording.js";

/** Options of {@link mountDevtools}. */
export interface DevtoolsOptions {
  /** Whether the panel is open at once. Default false: a button opens it. */
  readonly open?: boolean | undefined;
  /** Whether the page shows the button. Default true; without it, call {@link Devtools.open}. */
  readonly button?: boolean | undefined;
}

/** The panel of a page. */
export interface Devtools {
  /** Whether the panel is open. */
  readonly isOpen: boolean;
  /**
   * Adds a thread, or a runner with its thread. Only those need it that were made before the devtools, other than by
   * `openAgUi` and `openLangGraph`, and those that you give a name or checkpoints.
   *
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything else, `UNKNOWN_OPTION`.
   */
  add(target: AnyThread | ShownRunner, options?: AddOptions): ThreadRecording;
  /** Opens the panel. */
  open(): void;
  /** Closes the panel. Threads are still recorded. */
  close(): void;
  /** Removes the panel, and stops recording. */
  dispose(): void;
}

const MOUNTED = Symbol.for("threadfold.devtools.mounted") as unknown as "mounted";

type Page = { [MOUNTED]?: Devtools | undefined };

/**
 * Shows devtools on the page: the state, parts, runs, pending updates, problems and checkpoints of its threads, now and
 * at each part that was recorded. Returns the panel that is there, if there is one. Without a document it records only.
 *
 * @throws {@link ThreadfoldError} `UNKNOWN_OPTION`.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { mountDevtools } from "threadfold/devtools";
 *
 * const devtools = mountDevtools();
 * const thread = new Thread();
 * const recording = devtools.add(thread, { name: "support" });
 * thread.update({ messages: "Hi" });
 * console.log(recording.parts.length); // 2
 * devtools.dispose();
 * ```
 */
export function mountDevtools(options?: DevtoolsOptions): Devtools {
  checkOptions("mountDevtools", options, ["open", "button"]);
  const page = globalThis as Page;
  const devtools = (page[MOUNTED] ??= mounted(options?.button ?? true, () => delete page[MOUNTED]));
  if (options?.open) devtools.open();
  return devtools;
}

function mounted(hasButton: boolean, forget: () => void): Devtools {
  const found = new FoundThreads();
  found.listen();
  const parent = (globalThis as { document?: Document }).document?.documentElement;
  const panel = parent && new Panel(found, parent, hasButton);
  return {
    get isOpen() {
      return panel?.isOpen ?? false;
    },
    add(target, options = {}) {
      checkOptions("add", options, ["name", "checkpoints"]);
      return found.add(target, options).recording;
    },
    open: () => panel?.open(),
    close: () => panel?.close(),
    dispose() {
      panel?.dispose();
      found.dispose();
      forget();
    },
  };
}
