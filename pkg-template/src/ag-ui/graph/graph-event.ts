// What a graph is told in.

/** An event of AG-UI, as `graphEvents` makes it. */
export interface GraphEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
