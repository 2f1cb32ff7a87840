/**
 * A server's events, in the terms of a thread. The adapters of `threadfold/ag-ui` and `threadfold/langgraph` turn every
 * event into these. For another protocol, make them yourself.
 */
export type ThreadEvent = ThreadEventKind & {
  /** The part's id on its stream (an SSE `id:`). The thread passes over a part that this run has had. */
  readonly id?: string | undefined;
  /** Tells the part from every other of its run where its `id` does not, on streams whose ids repeat. */
  readonly key?: string | undefined;
};

type ThreadEventKind =
  | RunStarted
  | RunFinished
  | RunError
  | Disconnected
  | MessageEvent
  | TextEvent
  | MessageFinished
  | MessagesSnapshot
  | UpdateEvent
  | ValuesSnapshot
  | StateSnapshot
  | StateDelta
  | StepEvent;

/** A run begins. This is a save point: the same run goes back to it when it is sent again from its start. */
export interface RunStarted {
  readonly type: "run-started";
  readonly runId?: string | undefined;
  /**
   * `true`: this is the thread's last run, sent again from its start. `false`: it is a new run, whatever its id. By
   * default, it is the last run again if that has the same `runId` and has not ended. Unless `false`, a run that began
   * without a `runId` and has not ended gets this one. So begin a run when you send its request, without an id if the
   * server makes it. Messages that the user writes meanwhile then wait for the next run.
   */
  readonly joined?: boolean | undefined;
}

/** The run ended well. No message is being streamed any more. */
export interface RunFinished {
  readonly type: "run-finished";
  /** The run's interrupts, as the server sent them. With any, the run is `interrupted`. */
  readonly interrupts?: readonly unknown[] | undefined;
  /** Whether somebody stopped it: the server may lack messages of it. */
  readonly stopped?: boolean | undefined;
  /** Whether `update` events brought what the run submitted. Otherwise the thread folds it now. */
  readonly folded?: boolean | undefined;
}

/** The run failed. Updates that it submitted and the server has not fully accepted become `failed`, and stay. */
export interface RunError {
  readonly type: "run-error";
  readonly error: unknown;
}

/** The connection broke. The run may continue on the server, and you can join it: nothing else changes. */
export interface Disconnected {
  readonly type: "disconnected";
  readonly error?: unknown;
}

/**
 * A whole message as it is now. It takes the place of the one with its id, or is added, in the form that it has.
 */
export interface MessageEvent {
  readonly type: "message";
  readonly message: object;
  /** A new one is placed after the message of this id and the tool results right after that; else last. */
  readonly after?: string | undefined;
  /** Whether more of it is to come: snapshots that do not know it yet leave it where it is. */
  readonly streaming?: boolean | undefined;
}

/** Text for the end of a message's content. */
export interface TextEvent {
  readonly type: "text";
  readonly messageId: string;
  readonly text: string;
}

/** A streamed message is complete. From now on a snapshot that contradicts it is drift. */
export interface MessageFinished {
  readonly type: "message-finished";
  readonly messageId: string;
}

/** All messages, as the server has them. The thread reconciles its own with them, in the snapshot's order. */
export interface MessagesSnapshot {
  readonly type: "messages";
  readonly messages: readonly object[];
  /** The roles of messages that are the client's own: they stay if the snapshot lacks them. */
  readonly clientRoles?: readonly string[] | undefined;
  /** Whether messages that the snapshot lacks stay. Default false. */
  readonly partial?: boolean | undefined;
}

/** A node's partial update. The fields' reducers fold it. */
export interface UpdateEvent {
  readonly type: "update";
  readonly update: object;
}

/** The whole state with the messages. The thread reconciles its own with it. */
export interface ValuesSnapshot {
  readonly type: "values";
  readonly values: object;
  /** Whether messages that the state lacks stay, as for a state that carries an interrupt. Default false. */
  readonly partial?: boolean | undefined;
}

/** The whole state without the messages, which have events of their own. */
export interface StateSnapshot {
  readonly type: "state";
  readonly values: object;
  /** The fields that you changed, if you set the state. The server has none of them: `docs/contract.md`, rule 13. */
  readonly own?: readonly string[] | undefined;
}

/** A JSON Patch of the state without the messages, applied whole or not at all. */
export interface StateDelta {
  readonly type: "delta";
  readonly operations: readonly object[];
}

/** The confirmed state is the one of this checkpoint of the server's. A snapshot that follows makes it void. */
export interface StepEvent {
  readonly type: "step";
  /** The number of the super-step that wrote the checkpoint. */
  readonly step?: number | undefined;
  readonly checkpointId?: string | undefined;
  /** Whether tasks of the next super-step have already written: a run with new input drops that. */
  readonly isLeft?: boolean | undefined;
}
