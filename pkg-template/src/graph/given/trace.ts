// Events of a run, for tracing.

/** An event of a run. A graph that runs inside a task has a run of its own, with that task's `parentTaskId`. */
export interface TraceEvent {
  readonly type:
    | "run-start"
    | "run-end"
    | "run-error"
    | "run-interrupt"
    | "task-start"
    | "task-end"
    | "task-error"
    | "task-interrupt"
    | "task-retry"
    | "input-dropped";
  readonly runId: string;
  readonly graph: string;
  readonly threadId?: string | undefined;
  /** The namespace of the graph: empty for the outermost. */
  readonly ns: readonly string[];
  readonly parentTaskId?: string | undefined;
  readonly step: number;
  /** When, in milliseconds since 1970. */
  readonly time: number;
  readonly node?: string | undefined;
  readonly taskId?: string | undefined;
  readonly attempt?: number | undefined;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  /** The keys of the input that the graph does not take. */
  readonly keys?: readonly string[] | undefined;
}

/** Called synchronously. An error that it throws does not affect the run. */
export type TraceListener = (event: TraceEvent) => void;
