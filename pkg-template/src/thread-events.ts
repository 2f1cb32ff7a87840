/**
 * What a server says, in the words of a thread: every protocol's events come to these. The adapters of
 * `threadfold/ag-ui` and `threadfold/langgraph` make them; whoever has another protocol makes them by hand.
 */
export type ThreadEvent = ThreadEventKind & {
  /** The part's id on its stream (an SSE `id:`). A part that this run has had lately is passed over. */
  readonly id?: string | undefined;
  /** What tells the part from every other of its run, where its `id` does not: for streams whose ids repeat. */
  readonly key?: string | undefined;
};

type ThreadEventKind =
  | RunStarted
  | RunFinished
  | RunFailed
  | Disconnected
  | MessageEvent
  | TextEvent
  | MessageFinished
  | MessagesSnapshot
  | UpdateEvent
  | ValuesSnapshot
  | StateSnapshot
  | StateDelta;

/** A run begins: a save point, to which the same run goes back when it is told again from its start. */
export interface RunStarted {
  readonly type: "run-started";
  readonly runId?: string | undefined;
  /**
   * `true`: this is the thread's last run, told again from its start. `false`: it is a new run, whatever its id.
   * Left out, it is the last run again if that has the same `runId` and has not ended. Unless `false`, a run that began
   * without a `runId` and has not ended takes this one: begin a run when you send its request, without an id if the
   * server makes it, and what the user writes meanwhile waits for the next run.
   */
  readonly joined?: boolean | undefined;
}

/** The run has ended well. No message is being streamed any more. */
export interface RunFinished {
  readonly type: "run-finished";
  /** What the run waits for, as the server says it. With any, the run is `interrupted`. */
  readonly interrupts?: readonly unknown[] | undefined;
}

/** The run has failed: what it took along and the server does not have is marked failed, and stays. */
export interface RunFailed {
  readonly type: "run-failed";
  readonly error: unknown;
}

/** The connection broke. The run may still go on where it is, and can be joined: nothing else changes. */
export interface Disconnected {
  readonly type: "disconnected";
  readonly error?: unknown;
}

/**
 * A whole message as it is now: takes the place of the one with its id, or is added. Used as it is given, in the
 * form that it has.
 */
export interface MessageEvent {
  readonly type: "message";
  readonly message: object;
  /** A new one is placed behind the message of this id and the tool results right behind that; else last. */
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

/** A streamed message is whole. From here on a snapshot that says otherwise is drift. */
export interface MessageFinished {
  readonly type: "message-finished";
  readonly messageId: string;
}

/** All messages, as the server has them: reconciled, in the snapshot's order. */
export interface MessagesSnapshot {
  readonly type: "messages";
  readonly messages: readonly object[];
  /** Roles of which messages that the snapshot lacks are the client's own, and stay. */
  readonly clientRoles?: readonly string[] | undefined;
  /** The snapshot says nothing about messages that it lacks: they stay. */
  readonly partial?: boolean | undefined;
}

/** A node's partial update, folded by the fields' reducers. */
export interface UpdateEvent {
  readonly type: "update";
  readonly update: object;
}

/** The whole state, messages among it: reconciled. */
export interface ValuesSnapshot {
  readonly type: "values";
  readonly values: object;
  /** The state says nothing about messages that it lacks, such as one that carries an interrupt: they stay. */
  readonly partial?: boolean | undefined;
}

/** The whole state but for the messages, which have events of their own. */
export interface StateSnapshot {
  readonly type: "state";
  readonly values: object;
}

/** A JSON Patch of the state but for the messages: applied whole or not at all. */
export interface StateDelta {
  readonly type: "delta";
  readonly operations: readonly object[];
}
