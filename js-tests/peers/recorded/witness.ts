// What can be seen of a thread, as plain data: read in Node, or in a page and handed out of it.
import type { Thread } from "threadfold";

/** A state as it is compared: plain JSON, with the messages apart. */
export interface Held {
  messages: Record<string, unknown>[];
  fields: Record<string, unknown>;
}

/** A thread at a moment, and what it complained of since the one before. */
export interface Seen {
  confirmed: Held;
  shown: Held;
  pending: { update: object; status: string }[];
  status: string | undefined;
  drifts: string[];
  errors: string[];
}

/** As JSON has it: no `undefined`, no instance. */
export function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

export function held(state: object): Held {
  const { messages = [], ...fields } = plain(state) as { messages?: Held["messages"] };
  return { messages, fields };
}

export class Witness {
  readonly #thread: Thread;
  readonly #drifts: string[] = [];
  readonly #errors: string[] = [];

  constructor(thread: Thread) {
    this.#thread = thread;
    thread.on("drift", ({ patch, event }) => this.#drifts.push(`${event.type}: ${JSON.stringify(patch)}`));
    thread.on("error", (error) => this.#errors.push(`${error.code}: ${error.message}`));
  }

  see(): Seen {
    const thread = this.#thread;
    return {
      confirmed: held(thread.getConfirmedState()),
      shown: held(thread.getState()),
      pending: thread.pending.map(({ update, status }) => ({ update: plain(update), status })),
      status: thread.run?.status,
      drifts: this.#drifts.splice(0),
      errors: this.#errors.splice(0),
    };
  }
}
