// The events that report a graph's run.

/** An event of AG-UI, as `graphEvents` makes it. */
export interface GraphEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
