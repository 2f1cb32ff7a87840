// What a runner takes and gives, whatever the protocol.

/**
 * What a run is doing, in the words of the AI SDK. `submitted`: the request is sent, or a connection that broke is
 * being joined again. `streaming`: the server has begun the run. `interrupted`: it asks something, see `interrupts`.
 * `error`: the last run failed, or its connection broke for good. Else `ready`.
 */
export type RunnerStatus = "ready" | "submitted" | "streaming" | "interrupted" | "error";

/** Why a run failed, or why its connection broke. */
export interface RunnerError {
  readonly message: string;
  /** The HTTP status, if the server refused the request. */
  readonly status?: number | undefined;
  readonly code?: string | number | undefined;
}

/** What a run asks, in one shape for both protocols. */
export interface RunnerInterrupt {
  /** Undefined for servers that give none. */
  readonly id: string | undefined;
  /** What is asked: in LangGraph, over AG-UI too, the argument of `interrupt()`; else the interrupt's metadata. */
  readonly value: unknown;
  /**
   * The question in words: the interrupt's own `message`, or `value` if that is text, or the `message`, `question` or
   * `description` in it. Undefined, if it has none of these.
   */
  readonly message: string | undefined;
  /** The tool call that waits for the answer, if the server names it. */
  readonly toolCallId: string | undefined;
  /** The interrupt as the server says it. */
  readonly raw: unknown;
}

/** The answer to an interrupt. */
export interface RunnerDecision {
  /** The interrupt's id; you may leave it out where only one is open. */
  readonly id?: string | undefined;
  /** What is answered: in LangGraph what `interrupt()` returns, over AG-UI the payload. */
  readonly value?: unknown;
  /** AG-UI only: abandons the question. What the agent makes of that is the agent's. */
  readonly cancelled?: boolean | undefined;
}

/** How a run ended. */
export interface RunResult {
  /**
   * `stopped`: by you, or by the server. `disconnected`: the connection broke and could not be joined again; the run
   * may still go on, and `rejoin()` tries once more.
   */
  readonly status: "finished" | "interrupted" | "failed" | "stopped" | "disconnected";
  /** With `failed` and `disconnected`. */
  readonly error?: RunnerError | undefined;
  /** With `interrupted`. */
  readonly interrupts?: readonly RunnerInterrupt[] | undefined;
  /**
   * With `finished` over AG-UI: the tool calls that are yours to answer, by sending a message of the role `tool` for
   * each.
   */
  readonly pendingToolCallIds?: readonly string[] | undefined;
}

/** What every runner can be told. */
export interface RunnerOptions {
  /**
   * What becomes of a message that you send while a run goes on or waits for an answer. `"queue"`, the default: it is
   * shown at once and goes out when that run has ended; all that waits goes out together. `"refuse"`: the promise is
   * rejected with `BUSY`, and nothing is shown.
   */
  whileRunning?: "queue" | "refuse" | undefined;
  /** How many milliseconds the next message waits for a server that is to stop a run. Default 5000. */
  cancelTimeout?: number | undefined;
  /** How a connection that breaks in the middle of a run is joined again, where the server can. */
  rejoin?:
    | {
        /** Milliseconds before each try; anew after each part that came. Default `[250, 1000, 2000, 4000, 8000]`. */
        delays?: readonly number[] | undefined;
      }
    | undefined;
}

/** How a runner sends requests. */
export interface HttpOptions {
  /** Sent with every request. A function is called before each. */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>) | undefined;
  credentials?: RequestCredentials | undefined;
  /** In place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Messages to send: one, or a list, in any form that the thread takes. */
export type SentMessages<U> = U extends { messages?: infer M } ? Exclude<M, undefined> : never;

/** A thread's other input fields. */
export type SentFields<U> = Omit<U, "messages">;
