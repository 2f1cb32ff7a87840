// The status of a thread's run: derived from the events, exposed as `thread.run`.
import type { RunError, RunFinished, RunStarted } from "./thread-events.js";
import type { ThreadRun } from "./thread-types.js";

/** Before the first run. */
const NO_RUN: ThreadRun = Object.freeze({ status: "idle" });

/** The last run's status, and how far its stream has come. */
export class RunPosition {
  #run = NO_RUN;
  /** Updated for each part of the stream; copied into the run when it is read. */
  #lastEventId: string | undefined;

  /** Starts from a record, too. A run that was under way becomes `disconnected`: its connection ended with its page. */
  static of(record: unknown): RunPosition {
    const position = new RunPosition();
    const { id, status, error, interrupts, lastEventId } = (record ?? {}) as Partial<ThreadRun>;
    if (status === "running" || status === "disconnected")
      position.set({ ...own(id, interrupts), status: "disconnected", ...because(error) });
    else if (status === "failed") position.set({ ...own(id, interrupts), status, error });
    else if (status === "interrupted" && Array.isArray(interrupts)) position.set({ ...named(id), status, interrupts });
    else if (typeof id === "string") position.set({ id, status: "idle" });
    if (typeof lastEventId === "string") position.#lastEventId = lastEventId;
    return position;
  }

  /** Returns the same object while it is equal. */
  get run(): ThreadRun {
    if (this.#run.lastEventId !== this.#lastEventId) this.#run = { ...this.#run, lastEventId: this.#lastEventId };
    return this.#run;
  }

  /** Returns whether this start has the last run's id and is not marked as another run's. */
  isRepeatedBy({ runId, joined }: RunStarted): boolean {
    return joined !== false && this.#run !== NO_RUN && runId !== undefined && runId === this.#run.id;
  }

  /** Returns whether this start only names the run under way, which began without an id. */
  isNamedBy({ runId, joined }: RunStarted): boolean {
    return (
      joined !== false && runId !== undefined && this.#run !== NO_RUN && this.#run.id === undefined && this.#isOpen()
    );
  }

  /** Returns whether this start repeats the last run's, to go back to its save point. */
  isJoinedBy(event: RunStarted): boolean {
    return this.isRepeatedBy(event) && (event.joined === true || this.#isOpen());
  }

  #isOpen(): boolean {
    return this.#run.status === "running" || this.#run.status === "disconnected";
  }

  /** Something arrived: there is a connection. */
  heard(): void {
    const { id, interrupts, status } = this.#run;
    if (status === "disconnected") this.set({ ...own(id, interrupts), status: "running" });
  }

  /** Notes the id of a part that arrived. A client that joins a run midway receives no start. */
  at(id: string): void {
    if (this.#run === NO_RUN) this.set({ status: "running" });
    this.#lastEventId = id;
  }

  /** Another stream begins. A joined one keeps the position of the last part received. */
  restart(): void {
    this.#lastEventId = undefined;
  }

  /** Updates the run after this event is folded. */
  after(event: RunStarted | RunFinished | RunError): ThreadRun {
    const { id, interrupts: open } = this.#run;
    if (event.type === "run-started") return { ...own(event.runId, open), status: "running" };
    if (event.type === "run-error") return { ...own(id, open), status: "failed", error: event.error };
    const { interrupts } = event;
    return Array.isArray(interrupts) && interrupts.length > 0
      ? { ...named(id), status: "interrupted", interrupts }
      : { ...named(id), status: "idle" };
  }

  /** A run that has ended needs no connection. */
  disconnect(error: unknown): void {
    const { id, interrupts } = this.#run;
    if (this.#isOpen()) this.set({ ...own(id, interrupts), status: "disconnected", ...because(error) });
  }

  set(next: ThreadRun): void {
    const { id, status, error, interrupts } = this.#run;
    if (next.id === id && next.status === status && next.error === error && next.interrupts === interrupts) return;
    this.#run = this.#lastEventId === undefined ? next : { ...next, lastEventId: this.#lastEventId };
  }
}

const named = (id: unknown) => (typeof id === "string" ? { id } : {});
/**
 * Returns a new run's own state. Until it has an id, the server may not have begun it, so the previous run's interrupts
 * stay open.
 */
const own = (id: unknown, open: readonly unknown[] | undefined) =>
  typeof id === "string" ? { id } : Array.isArray(open) ? { interrupts: open as readonly unknown[] } : {};
const because = (error: unknown) => (error === undefined ? {} : { error });
