// The events that report a graph's run.
import type { REPEATS, WHOLE } from "./whole.js";

/** An event of AG-UI, as a graph makes it. */
export interface GraphEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An event as a server sends it. */
export interface ServedEvent extends GraphEvent {
  readonly [WHOLE]?: () => GraphEvent;
  readonly [REPEATS]?: true;
}
