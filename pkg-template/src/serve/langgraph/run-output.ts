// Sends what a run yields to those who follow it.
import { wireJson } from "../wire.js";
import type { ProtocolEvents, Run, Status } from "./run.js";
import { STARTERS, type RunPart } from "./run-parts.js";
import { answered } from "./v2/respond.js";
import { Lifecycle } from "./v2/lifecycle.js";
import type { RunEvent } from "./v2/protocol-event.js";
import { runEvents } from "./v2/run-events.js";

/** Sends a run's parts to those who follow it over the runs API. */
export class PartOutput {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  async take(parts: AsyncIterable<RunPart>): Promise<void> {
    let at = 0;
    for await (const one of parts) {
      at++;
      const { [STARTERS]: own } = one as RunPart & { readonly [STARTERS]?: unknown };
      if (own !== undefined) this.#run.starters.set(at, part({ ...one, data: own }));
      this.#run.add(part(one));
    }
  }

  end(): void {
    const { error } = this.#run;
    if (error) this.#run.add(part({ event: "error", data: error }));
  }
}

const ENDS: Readonly<Partial<Record<Status, string>>> = { success: "completed", error: "failed" };

/** Sends a run's events to those who read its thread's stream. */
export class EventOutput {
  readonly #run: Run;
  readonly #events: ProtocolEvents;
  readonly #lifecycle: Lifecycle;

  constructor(run: Run, events: ProtocolEvents) {
    this.#run = run;
    this.#events = events;
    this.#lifecycle = new Lifecycle(run.assistantId);
    this.#add(this.#lifecycle.root("running"));
    if (events.answers.length > 0) this.#add(answered(events.answers));
  }

  async take(parts: AsyncIterable<RunPart>): Promise<void> {
    for await (const event of runEvents(parts, this.#lifecycle)) this.#add(event);
  }

  end(): void {
    const { status, error } = this.#run;
    const end = ENDS[status] ?? "interrupted";
    for (const event of this.#lifecycle.close(end)) this.#add(event);
    this.#add(this.#lifecycle.root(end, error && { error: error.message }));
  }

  #add(event: RunEvent): void {
    this.#events.add(this.#run.id, event);
  }
}

export const part = ({ event, data }: { event: string; data: unknown }) =>
  `event: ${event}\ndata: ${wireJson(data)}\n\n`;
