// The input and output of a runner, whatever the protocol.
import type { InputOf } from "../state/fields.js";
import type { ShareStreams } from "./transport.js";

export type { HttpOptions, RequestHeaders } from "../stream/http.js";

/** The answer to an interrupt. */
export interface InterruptAnswer {
  /** The interrupt's id; optional when only one is open. */
  readonly id?: string | undefined;
  /** The answer: in LangGraph the result of `interrupt()`, over AG-UI the payload. */
  readonly value?: unknown;
  /** AG-UI only: cancels the interrupt. The agent decides how to continue. */
  readonly cancelled?: boolean | undefined;
}

/** How to treat a message that is sent while a run is under way. */
export type WhileRunning = "queue" | "refuse" | "steer" | "interrupt";

/** Options of every runner. */
export interface RunnerOptions {
  /**
   * How to treat a message that you send while a run is under way or waits for an answer. `"queue"`, the default, shows
   * it at once and sends it when that run has ended, together with all other queued ones. `"refuse"` resolves
   * with the error `BUSY`, and shows nothing. `"steer"` brings it into the run, which reads it before its next model
   * call. If the run ends without it, or the agent reads none, it is queued. `"interrupt"` stops the run, and
   * dismisses its questions, first.
   */
  whileRunning?: WhileRunning | undefined;
  /**
   * How to treat a message when the server cannot be reached. `"fail"`, the default, resolves with the error
   * `NO_CONNECTION`. `"wait"` keeps it pending and sends it by itself when the network is back, with all other queued
   * ones, in order. A `load()` and a run that was cut off wait, too. `openAgUi` and `openLangGraph` wait by default.
   */
  whileOffline?: "fail" | "wait" | undefined;
  /** How many milliseconds the next message waits for the server to answer a stop. Default 5000. */
  cancelTimeout?: number | undefined;
  /**
   * Milliseconds before each try to join a run whose connection broke, if the server can; restarts after each part
   * received. Default `[250, 1000, 2000, 4000, 8000]`.
   */
  rejoinDelays?: readonly number[] | undefined;
  /**
   * Shares a connection with the browser's other tabs: `sharedTabs({ name: user.id })` of `threadfold/tabs`.
   */
  tabs?: ShareStreams | undefined;
}

/** The data sent with a message, and its position. */
export interface SendOptions<U = object> {
  /** Other input fields of the state, shown and sent with it: LangGraph's `input` beside `messages`, AG-UI's `state`. */
  readonly input?: SentFields<U> | undefined;
  /** The id of a user message: the new one replaces it. */
  readonly messageId?: string | undefined;
  /** As the runner's option of this name, for this message. */
  readonly whileRunning?: WhileRunning | undefined;
}

/** Messages to send: one, or a list, in any form that the thread accepts. AG-UI's without an id get one. */
export type SentMessages<U> = U extends { messages?: infer M } ? Sent<Exclude<M, undefined>> : never;

type Sent<M> = M extends readonly (infer One)[]
  ? [Nameless<One>] extends [never]
    ? M
    : readonly (One | Nameless<One>)[]
  : M | Nameless<M>;

/** A message of AG-UI's without its id. */
type Nameless<M> = M extends { id: string; role: string } ? Omit<M, "id"> & { id?: undefined } : never;

/** A thread's other input fields. */
export type SentFields<U> = Known<Omit<InputOf<U>, "messages">>;

/** Of no field at all `Omit` makes `{}`, which takes anything. */
type Known<F> = [keyof F] extends [never] ? Record<string, never> : F;
