/**
 * What a server says, in the words of a thread: every protocol's events come to these. The adapters of
 * `threadfold/ag-ui` and `threadfold/langgraph` make them; whoever has another protocol makes them by hand.
 */
export type ThreadEvent = ThreadEventKind & {
  /** The part's id on its stream (an SSE `id:`). A part whose id this run has had is passed over. */
  readonly id?: string | undefined;
  /** What tells the part from every other of its run, where its `id` does not: for streams whose ids repeat. */
  readonly key?: string | undefined;
};

type ThreadEventKind =
  | RunStarted
  | RunFinished
  | RunFailed
  | MessageEvent
  | TextEvent
  | MessageFinished
  | MessagesSnapshot
  | UpdateEvent
  | ValuesSnapshot
  | StateSnapshot
  | StateDelta;

/** A run begins: a save point. The same `runId` once more is that run from its start, and goes back to there. */
export interface RunStarted {
  readonly type: "run-started";
  readonly runId?: string | undefined;
}

/** The run has ended well. No message is in flight any more. */
export interface RunFinished {
  readonly type: "run-finished";
}

/** The run has failed: what is pending is marked failed, and stays. */
export interface RunFailed {
  readonly type: "run-failed";
  readonly error: unknown;
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
