// How a run ends before its time: its caller aborts it, the task around it ends, or a task of its own fails.

import { after } from "../../shared/timer.js";
import { LinkedAbort, onAbort } from "./linked-abort.js";

/** A graph that runs inside a task, and ends with it. */
export interface Stoppable {
  stop(error: unknown): void;
}

export class Stops implements Stoppable {
  readonly #given: AbortSignal | undefined;
  readonly #around: Stops | undefined;
  /** Whether the run is over: nothing that its nodes still do counts. */
  isClosed = false;
  /** The run's signal and its super-step's, if a node has asked for one. */
  #abort: LinkedAbort | undefined;
  #stepAbort: LinkedAbort | undefined;
  #unlisten: (() => void) | undefined;
  #wake: ((error: unknown) => void) | undefined;
  #halted: { readonly error: unknown } | undefined;
  #failed: { readonly error: unknown } | undefined;
  /** End the waits for another attempt. */
  #waits: Set<() => void> | undefined;

  /** `given`: the caller's signal. */
  constructor(given: AbortSignal | undefined, around: Stops | undefined) {
    this.#given = given;
    this.#around = around;
  }

  get isAborted(): boolean {
    return this.#given?.aborted ?? false;
  }

  /** @throws the reason, if the caller has aborted. */
  check(): void {
    if (this.#given?.aborted) throw aborted(this.#given);
  }

  /** @throws the error with which the task around has ended. */
  checkHalted(): void {
    if (this.#halted) throw this.#halted.error;
  }

  /** Listens to the caller's signal. @throws its reason, if it is aborted already. */
  listen(): void {
    const signal = this.#given;
    if (!signal) return;
    this.check();
    const stop = () => {
      this.#abort?.abort(signal.reason);
      this.#wake?.(aborted(signal));
    };
    this.#unlisten = onAbort(signal, stop);
  }

  /** Ends the run at once, as the task that it runs inside has ended. */
  stop(error: unknown): void {
    this.#halted ??= { error };
    this.#wake?.(error);
  }

  /** Rejects the wait of the moment, if there is one. */
  wake(error: unknown): void {
    this.#wake?.(error);
  }

  /** Waits for nodes or for the saver, until somebody stops the run: a node may have done so as it was called. */
  untilStopped(work: PromiseLike<void> | ConstructorParameters<typeof Promise<void>>[0]): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#wake = reject;
      if (typeof work === "function") work(resolve, reject);
      else work.then(resolve, reject);
      if (this.#given?.aborted) reject(aborted(this.#given));
      else if (this.#halted) reject(this.#halted.error as Error);
    });
  }

  /** Waits so many milliseconds, or until the run is closed: a timer would keep Node's process for so long. */
  wait(milliseconds: number): Promise<void> {
    const waits = (this.#waits ??= new Set());
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        waits.delete(end);
        resolve();
      };
      const cancel = after(milliseconds, end);
      waits.add(end);
    });
  }

  /**
   * Is aborted when the super-step fails or the caller aborts the run. Each super-step has its own: a task that has ended
   * gets no later error.
   */
  get linked(): LinkedAbort {
    if (this.#stepAbort) return this.#stepAbort;
    const given = this.#given;
    this.#abort ??= new LinkedAbort(given ? undefined : this.#around?.linked);
    if (given?.aborted) this.#abort.abort(given.reason);
    this.#stepAbort = new LinkedAbort(this.#abort);
    if (this.#failed) this.#stepAbort.abort(this.#failed.error);
    return this.#stepAbort;
  }

  /** Begins a super-step. */
  nextStep(): void {
    this.#stepAbort = undefined;
  }

  /** A task has failed for good: the others of its super-step are to end. */
  fail(error: unknown): void {
    this.#failed = { error };
    this.#stepAbort?.abort(error);
  }

  /** Ends the run with an error. */
  abort(error: unknown): void {
    this.isClosed = true;
    this.#stepAbort?.abort(error);
    for (const end of this.#waits ?? []) end();
  }

  close(): void {
    this.isClosed = true;
    this.#unlisten?.();
    this.#abort?.leave();
  }
}

/** The caller's reason, as langgraph.js throws it. */
function aborted({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(typeof reason === "string" ? reason : "Aborted");
}
