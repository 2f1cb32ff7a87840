// The events of threads: numbered, kept as long as their runs, and sent to all who read a thread's stream.
import { wireJson } from "../../wire.js";
import { passes, type EventFilter, type RunEvent } from "./protocol-event.js";

interface KeptEvent {
  readonly seq: number;
  /** The run with which the event is dropped. */
  readonly keptWith: string;
  readonly event: RunEvent;
  /** The event as it is sent: made once, for all who read it. */
  readonly text: string;
}

/** The events of one thread. */
class ThreadLog {
  events: KeptEvent[] = [];
  readonly #waiting = new Set<() => void>();
  /** The number of the last event. */
  seq: number;

  constructor(seq: number) {
    this.seq = seq;
  }

  get isRead(): boolean {
    return this.#waiting.size > 0;
  }

  add(runId: string, event: RunEvent, keptWith: string): void {
    const seq = ++this.seq;
    this.events.push({ seq, keptWith, event, text: textOf(seq, runId, event) });
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Yields the events that pass, from the first after `since`, until the reader leaves, or a run begins that it may not read. */
  async *read(
    filter: EventFilter,
    isAllowed: (run: string) => Promise<boolean>,
    left: AbortSignal,
  ): AsyncGenerator<string> {
    let last = filter.since;
    let run: string | undefined;
    while (!left.aborted) {
      const kept = this.events[firstAfter(this.events, last)];
      if (!kept) await this.#more(left);
      else {
        if (kept.keptWith !== run && !(await isAllowed(kept.keptWith))) return;
        run = kept.keptWith;
        last = kept.seq;
        if (passes(filter, kept.event)) yield kept.text;
      }
    }
  }

  #more(left: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        left.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      left.addEventListener("abort", wake);
    });
  }
}

/** The events of all threads of a server. */
export class ThreadEvents {
  readonly #threads = new Map<string, ThreadLog>();
  /** The highest number of a thread that was dropped. */
  #highest = 0;

  /** @param keptWith - The run with which the event is dropped, for an event that is of no kept run. */
  add(threadId: string, runId: string, event: RunEvent, keptWith = runId): void {
    this.#log(threadId).add(runId, event, keptWith);
  }

  /** The number of a thread's last event. */
  seqOf(threadId: string): number {
    return this.#log(threadId).seq;
  }

  /** @param isAllowed - Asked for each run: the thread may be another user's by now. */
  read(
    threadId: string,
    filter: EventFilter,
    isAllowed: (run: string) => Promise<boolean>,
    left: AbortSignal,
  ): AsyncGenerator<string> {
    return this.#log(threadId).read(filter, isAllowed, left);
  }

  /** Returns the namespaces of a run with the last status of each. */
  statusesOf(threadId: string, runId: string): Map<string, RunEvent> {
    const events = this.#threads.get(threadId)?.events ?? [];
    const of = events.filter((kept) => kept.keptWith === runId && kept.event.method === "lifecycle");
    return new Map(of.map(({ event }) => [event.namespace.join("|"), event]));
  }

  /** Drops the events of a run that is forgotten. */
  forget(threadId: string, runId: string): void {
    const log = this.#threads.get(threadId);
    if (!log) return;
    log.events = log.events.filter((kept) => kept.keptWith !== runId);
    if (log.events.length === 0) this.delete(threadId);
  }

  /** Drops the events of a thread. Its readers stay, and get those of later runs. */
  delete(threadId: string): void {
    const log = this.#threads.get(threadId);
    if (!log) return;
    log.events = [];
    if (log.isRead) return;
    this.#highest = Math.max(this.#highest, log.seq);
    this.#threads.delete(threadId);
  }

  #log(threadId: string): ThreadLog {
    // A client may know numbers of a program before this one: those of later runs are higher by the clock.
    const log = this.#threads.get(threadId) ?? new ThreadLog(Math.max(Date.now(), this.#highest));
    this.#threads.set(threadId, log);
    return log;
  }
}

/** Finds the first event after a number: the numbers rise. */
function firstAfter(events: readonly KeptEvent[], seq: number): number {
  let [from, to] = [0, events.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((events[middle] as KeptEvent).seq > seq) to = middle;
    else from = middle + 1;
  }
  return from;
}

function textOf(seq: number, runId: string, { method, namespace, node, data }: RunEvent): string {
  const status = method === "lifecycle" ? (data as { readonly event: string }).event : undefined;
  // A client knows the run of a lifecycle event by this form of its id.
  const id = status === undefined ? `${seq}-0` : `synth:${runId}:lc|${namespace.join("|")}|${status}`;
  const params = { namespace, timestamp: Date.now(), ...(node !== undefined && { node }), data };
  const event = { type: "event", event_id: id, seq, method, params };
  return `id: ${id}\nevent: ${method}\ndata: ${wireJson(event)}\n\n`;
}
