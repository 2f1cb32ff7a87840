// A thread that records the events that the adapter sends to it.
import { Thread, type ThreadEvent, type ThreadState } from "threadfold";

export class Recorder extends Thread {
  readonly events: ThreadEvent[] = [];
  readonly errors: string[] = [];
  readonly shown: ThreadState["messages"][] = [];

  constructor(values?: Partial<ThreadState>) {
    super({ values });
    this.on("error", ({ code }) => this.errors.push(code));
  }

  override receive(event: ThreadEvent): boolean {
    this.events.push(event);
    const isFolded = super.receive(event);
    this.shown.push(this.getState().messages);
    return isFolded;
  }

  /** The events of a kind, without their ids and times. */
  sent(type: ThreadEvent["type"]): object[] {
    return this.events.filter((event) => event.type === type).map(({ id: _id, key: _key, ...event }) => event);
  }

  get contents(): unknown[] {
    return this.getState().messages.map(({ content }) => content);
  }
}
