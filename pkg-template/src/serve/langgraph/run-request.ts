// A client's request for a run.

/** The fields of a request for a run that the server reads. */
export interface RunRequest {
  readonly assistant_id?: unknown;
  readonly input?: unknown;
  readonly command?: { readonly resume?: unknown; readonly update?: unknown; readonly goto?: unknown } | null;
  readonly config?: Readonly<Record<string, unknown>> | null;
  readonly context?: unknown;
  readonly metadata?: unknown;
  readonly stream_mode?: unknown;
  readonly stream_subgraphs?: unknown;
  readonly stream_resumable?: unknown;
  readonly stream_steps?: unknown;
  readonly interrupt_before?: unknown;
  readonly interrupt_after?: unknown;
  readonly checkpoint?: unknown;
  readonly checkpoint_id?: unknown;
  readonly checkpoint_during?: unknown;
  readonly durability?: unknown;
  readonly multitask_strategy?: unknown;
  readonly on_disconnect?: unknown;
  readonly on_completion?: unknown;
  readonly if_not_exists?: unknown;
}
