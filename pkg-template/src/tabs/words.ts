// Messages between the tabs that share a stream. The reader is the tab that has the lock.
import type { Kept } from "./log.js";

/** From a tab to the reader. */
export type Asked =
  /** Asks for the parts after this one. The reader's answer shows that it is awake. */
  | { readonly is: "ask"; readonly tab: string; readonly after: string }
  /** The tab does not read any more. */
  | { readonly is: "bye"; readonly tab: string };

/** From the reader. */
export type Told =
  /** A reader begins after this position. */
  | { readonly is: "begin"; readonly at: string }
  /** The part after `after`. */
  | { readonly is: "part"; readonly after: string; readonly part: Kept }
  /** To one tab: the parts that it asked for, up to `at`; undefined if the reader does not have them. */
  | {
      readonly is: "answer";
      readonly to: string;
      readonly parts: readonly Kept[] | undefined;
      readonly at: string;
      readonly isOver: boolean;
    }
  /** The reader waits for its server. */
  | { readonly is: "wait" }
  /** The stream is over. */
  | { readonly is: "end"; readonly at: string };

export type Word = Asked | Told;
