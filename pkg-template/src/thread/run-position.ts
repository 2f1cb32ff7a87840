// Where a thread's run stands: derived from the events, told as `thread.run`.
import type { RunFailed, RunFinished, RunStarted } from "../thread-events.js";
import type { ThreadRun } from "../thread-types.js";

/** Before the first run. */
const NO_RUN: ThreadRun = Object.freeze({ status: "idle" });

/** Where the last run stands, and how far its stream has come. */
export class RunPosition {
  #run = NO_RUN;
  /** Noted for each part of the stream; put into the run when somebody looks. */
  #lastEventId: string | undefined;

  /** From a record, too. A run that was under way is not any more: its connection went with the page that had it. */
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

  /** The same object while it is equal. */
  get run(): ThreadRun {
    if (this.#run.lastEventId !== this.#lastEventId) this.#run = { ...this.#run, lastEventId: this.#lastEventId };
    return this.#run;
  }

  /** Whether this start has the last run's id, and is not said to be another run's. */
  isRepeatedBy({ runId, joined }: RunStarted): boolean {
    return joined !== false && this.#run !== NO_RUN && runId !== undefined && runId === this.#run.id;
  }

  /** Whether this start only tells the id of the run that is under way and began without one. */
  isNamedBy({ runId, joined }: RunStarted): boolean {
    return (
      joined !== false && runId !== undefined && this.#run !== NO_RUN && this.#run.id === undefined && this.#isOpen()
    );
  }

  /** Whether this start is the last run's once more, to go back to its save point. */
  isJoinedBy(event: RunStarted): boolean {
    return this.isRepeatedBy(event) && (event.joined === true || this.#isOpen());
  }

  #isOpen(): boolean {
    return this.#run.status === "running" || this.#run.status === "disconnected";
  }

  /** Something came: there is a connection. */
  heard(): void {
    const { id, interrupts, status } = this.#run;
    if (status === "disconnected") this.set({ ...own(id, interrupts), status: "running" });
  }

  /** A part with this id came; whoever joins a run in its middle hears no start. */
  at(id: string): void {
    if (this.#run === NO_RUN) this.set({ status: "running" });
    this.#lastEventId = id;
  }

  /** Another stream begins. One that is joined goes on being at the part that it had come to. */
  restart(): void {
    this.#lastEventId = undefined;
  }

  /** What the run is once this event is folded. */
  after(event: RunStarted | RunFinished | RunFailed): ThreadRun {
    const { id, interrupts: open } = this.#run;
    if (event.type === "run-started") return { ...own(event.runId, open), status: "running" };
    if (event.type === "run-failed") return { ...own(id, open), status: "failed", error: event.error };
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
 * What is a run's own. Until it has an id nobody knows that the server has begun it, and what the run before asked is
 * still open.
 */
const own = (id: unknown, open: readonly unknown[] | undefined) =>
  typeof id === "string" ? { id } : Array.isArray(open) ? { interrupts: open as readonly unknown[] } : {};
const because = (error: unknown) => (error === undefined ? {} : { error });
