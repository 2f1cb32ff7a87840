// The state, events and commands of a runner's machine. It has ids, numbers and names alone, so that it can move into
// the core.
import type { RunResult } from "../../stream/run-result.js";
import type { WhileRunning } from "../runner-types.js";
import type { Chain } from "./chain.js";

/** The number of a call of the runner, whose promise it settles. */
export type CallId = number;

/** How the thread's last run stands. */
export type Standing =
  | { readonly is: "none" }
  | { readonly is: "ended"; readonly how: "finished" | "stopped" }
  /** It is interrupted: the ids of its interrupts, and of those whose answers wait for the others. */
  | { readonly is: "interrupted"; readonly open: readonly string[]; readonly kept: readonly string[] }
  | FailedRun
  /** The server's state of the thread could not be loaded: the run stands as before. */
  | { readonly is: "unloaded"; readonly behind: RunStanding; readonly resends: readonly string[] | undefined }
  | CutRun;

export type RunStanding = Exclude<Standing, { is: "unloaded" }>;

export interface FailedRun extends Failure {
  readonly is: "error";
  /** The answers that it carried. */
  readonly answers: readonly string[] | undefined;
}

export interface Failure {
  /** Whether the server had begun it. */
  readonly begun: boolean;
  /** Whether it may have ended well. */
  readonly lost: boolean;
  /** Whether the server knows it no more. */
  readonly gone: boolean;
  /** Whether the server refused it because another run of the thread is under way, and it may be sent after that. */
  readonly busy?: boolean;
  /** The interrupts still open. */
  readonly open: readonly string[];
}

export interface CutRun {
  readonly is: "disconnected";
  /** Whether it can be joined. */
  readonly joins: boolean;
  /** Whether the server has sent anything about it. */
  readonly heard: boolean;
  /** Retries are exhausted, or the server asks for authentication: only a call continues. */
  readonly tired: boolean;
}

/** How a run came to its end, or was found. */
export type Found =
  | { readonly is: "finished" | "stopped" }
  | { readonly is: "interrupted"; readonly open: readonly string[] }
  | ({ readonly is: "error" } & Failure)
  | { readonly is: "disconnected"; readonly joins: boolean; readonly heard: boolean };

/** The step after the joined run, or one that cannot be joined: read the server's state, or retry the run if it is gone. */
export type After =
  | { readonly is: "retry" }
  | { readonly is: "load"; readonly joined: string | undefined; readonly resends: readonly string[] | undefined };

export interface StreamAttempt {
  readonly n: number;
  readonly answers?: readonly string[] | undefined;
}

export interface Joined extends StreamAttempt {
  /** Whether the server has sent anything about the run. */
  readonly heard: boolean;
  readonly tries: number;
  /** Whether a join was ever answered. */
  readonly answered: boolean;
  readonly after?: After | undefined;
}

/** The work that waits for a run: updates, the request for a run without one, and the promises of both. */
export interface Waiting {
  readonly unsent: Chain<string>;
  readonly wants: boolean;
  readonly waiters: Chain<{ readonly callId: CallId; readonly id: string | undefined }>;
}

export type State =
  | { readonly is: "rest"; readonly run: Standing }
  /** `sent`: the work that waited for it; undefined if it answers interrupts. */
  | ({ readonly is: "requesting"; readonly sent: Waiting | undefined } & StreamAttempt)
  | ({ readonly is: "reading" } & Joined)
  | ({ readonly is: "rejoining" } & Joined)
  | { readonly is: "stopping"; readonly n: number; readonly run: RunStanding }
  | {
      readonly is: "loading";
      readonly n: number;
      readonly run: RunStanding;
      readonly resends: readonly string[] | undefined;
      /** Whether the thread is followed, and nobody called `load()`: what comes later is announced. */
      readonly follows: boolean;
    }
  /** The server could not be reached: a request is made again after a time. `resends` are those of a load. */
  | {
      readonly is: "offline";
      readonly n: number;
      readonly run: RunStanding;
      readonly resends: readonly string[] | undefined;
    }
  /** Other code folds a run into the thread. */
  | { readonly is: "elsewhere"; readonly isNamed: boolean }
  | { readonly is: "disposed" };

/** A call that waits until the thread is as the server has it. */
export type Later = Extract<Event, { is: "edit" | "resume" | "retry" | "load" }>;

export interface Machine extends Waiting {
  readonly state: State;
  /** The updates among `unsent` that the run under way may take before its end. */
  readonly steering: readonly string[];
  /** The number of the attempt: an event of an older one changes nothing. */
  readonly n: number;
  /** The promises of the calls in progress, and of those that stopped them. */
  readonly own: readonly CallId[];
  readonly stops: readonly CallId[];
  readonly later: readonly Later[];
  /** A run that had begun, or may have, has failed, and none has succeeded since: the server may lack what it sent. */
  readonly mayLack: boolean;
  /** How many requests in a row did not reach the server. */
  readonly misses: number;
  /** Whether the server refused the last request because of another run, and no run was found since. */
  readonly isTurnedAway: boolean;
  /** Nothing that a record holds is sent before the first call. */
  readonly isAwake: boolean;
  /** The runs that a followed thread's server has announced, until the runner rests; undefined: some may have been missed. */
  readonly announced: readonly (string | undefined)[];
}

export type Event =
  // Calls. The command `act` shows and sends their messages, once they are admitted.
  | { readonly is: "send"; readonly callId: CallId; readonly how: WhileRunning }
  | { readonly is: "edit"; readonly callId: CallId; readonly how?: WhileRunning }
  | { readonly is: "resume"; readonly callId: CallId }
  /** `ids`: the failed updates to send again; `named`: the caller chose them; `edits`: they remove messages. */
  | {
      readonly is: "retry";
      readonly callId: CallId;
      readonly ids: readonly string[];
      readonly named: boolean;
      readonly edits: boolean;
    }
  | { readonly is: "load"; readonly callId: CallId }
  | { readonly is: "stop"; readonly callId: CallId }
  | { readonly is: "dispose" }
  // The result of a call. `now` marks an edit, which depends on the thread's current messages, so that nothing comes
  // between.
  | {
      readonly is: "shown";
      readonly callIds: readonly CallId[];
      readonly ids: readonly string[];
      readonly now?: boolean;
      readonly steers?: boolean;
    }
  | { readonly is: "wanted"; readonly callIds: readonly CallId[] }
  | { readonly is: "answered"; readonly callId: CallId; readonly ids: readonly string[] }
  | { readonly is: "stands"; readonly callIds: readonly CallId[] }
  // The transport, each with its attempt.
  | { readonly is: "began"; readonly n: number }
  | { readonly is: "part"; readonly n: number }
  | { readonly is: "ended"; readonly n: number; readonly how: Exclude<Found, { is: "disconnected" }> }
  | Cut
  | {
      readonly is: "loaded";
      readonly n: number;
      readonly how: Found;
      /** The run that continues there. */
      readonly run: string | undefined;
      readonly isDone: boolean;
    }
  | { readonly is: "unloaded"; readonly n: number; readonly unreached: boolean }
  | { readonly is: "cancelled"; readonly n: number }
  | { readonly is: "timer"; readonly n: number }
  // The thread.
  | { readonly is: "otherBegan"; readonly took: readonly string[]; readonly isNamed: boolean }
  | { readonly is: "otherEnded"; readonly how: Found }
  /** The run under way has taken these updates. */
  | { readonly is: "taken"; readonly ids: readonly string[] }
  /** An update that waited is gone: rolled back, or a load has found it at the server. */
  | { readonly is: "rolledBack"; readonly id: string; readonly isAtServer?: boolean }
  | { readonly is: "freed" }
  // The stream of a followed thread. `refresh` follows `look`: there is a run that this runner does not know. `known` is
  // the last one that it knows.
  | { readonly is: "announced"; readonly run: string | undefined }
  | { readonly is: "refresh"; readonly known: string | undefined }
  /** No further event is waiting: pending work may continue. */
  | { readonly is: "next" };

/** The connection broke. */
export interface Cut {
  readonly is: "disconnected";
  readonly n: number;
  /** Whether the run can be joined, and a join may be answered otherwise. */
  readonly joins: boolean;
  /** Whether something new came. */
  readonly parts: boolean;
  /** Whether a join was answered at all. */
  readonly answered: boolean;
  /** Whether the server asks who this is. */
  readonly auth: boolean;
  /** Whether the request did not reach the server. */
  readonly unreached: boolean;
}

export type Result = RunResult["status"];
export type Refusal = "BUSY" | "INVALID_STATE" | "INVALID_ARGUMENT" | "DISPOSED";

export type Command =
  /** Does the call's work: shows a message, reads answers. */
  | { readonly do: "act"; readonly callId: CallId }
  /** Begins a run in the thread, with or without the pending updates. */
  | { readonly do: "begin"; readonly n: number; readonly carries: boolean }
  | {
      readonly do: "request";
      readonly n: number;
      readonly answers: readonly string[] | undefined;
      readonly mayLack: boolean;
    }
  | { readonly do: "wait"; readonly n: number; readonly tries: number }
  | { readonly do: "join"; readonly n: number }
  /** The run failed, as it cannot be joined: comes back as `ended`. */
  | { readonly do: "giveUp"; readonly n: number }
  /** The run stays cut off: reports why. */
  | { readonly do: "tire" }
  | { readonly do: "load"; readonly n: number; readonly joined: string | undefined }
  | { readonly do: "cancel"; readonly n: number }
  /** Brings these updates into the run that is read; one that it has already changes nothing. */
  | { readonly do: "steer"; readonly ids: readonly string[] }
  /** Looks whether a run of these is unknown: comes back as `refresh`. */
  | { readonly do: "look"; readonly announced: readonly (string | undefined)[] }
  /** Reads no more; `goesOn`: the run is left, and not stopped. */
  | { readonly do: "leave"; readonly goesOn: boolean }
  /** Ends the thread's run as stopped: its updates are pending again, and the interrupts that it answered are open again. */
  | { readonly do: "end"; readonly unsends: boolean; readonly reopens: boolean }
  /** Opens the interrupts of a run that failed again. */
  | { readonly do: "reopen" }
  /** Another run has begun: the updates of the cut one have failed with it, and its stream is no longer read. */
  | { readonly do: "fail" }
  /** Retries a failed run: comes back as the event `retry`. */
  | { readonly do: "retry"; readonly callId: CallId }
  /** Sends those of these that have still failed and the server lacks. The outcome is `shown`, `wanted` or `stands`. */
  | {
      readonly do: "resend";
      readonly callIds: readonly CallId[];
      readonly ids: readonly string[];
      readonly isDone: boolean;
    }
  | {
      readonly do: "settle";
      readonly callIds: readonly CallId[];
      readonly how: Result;
      readonly why?: "cancel" | "other";
    }
  | { readonly do: "refuse"; readonly callId: CallId; readonly code: Refusal };

/** The differences between runners. */
export interface Rules {
  readonly canLoad: boolean;
  /** Whether answers are sent again once the server has begun the run that carried them. */
  readonly resendsAnswers: boolean;
  /** Whether a message is refused while a run is under way. */
  readonly refuses: boolean;
  /** Whether to wait for the network when the server cannot be reached. */
  readonly waits: boolean;
  /** How many times a broken run is joined in vain. */
  readonly patience: number;
}
