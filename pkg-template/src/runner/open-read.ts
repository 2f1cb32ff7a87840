import { ofRunners } from "../shared/abort.js";
import type { Thread } from "../thread/thread.js";
import type { RunNews } from "./protocol.js";
import { idsOf, messagesIn } from "./messages-in.js";

/** The data kept while one run, or the server's state, is being read. */
export class OpenRead<S extends object, U extends object> {
  readonly n: number;
  readonly controller = new AbortController();
  /** The server's state when it began. While it is the same object, the server has sent nothing about the run. */
  readonly atStart: S;
  /** Whether it sent a request for a run; one that only joins did not. */
  readonly hasSent: boolean;
  /** The interrupts of the thread's run when this began. */
  readonly interrupts: readonly unknown[] | undefined;
  /** The ids of the messages that were there then, and of those that the run carries; undefined if unknown. */
  before: (() => ReadonlySet<unknown>) | undefined;
  carried: readonly string[] = [];
  /** From the last request: the run's id, its error, and its news. */
  runId: string | undefined;
  error: unknown;
  news: RunNews = {};
  /** Whether a join was answered. */
  hasJoined = false;

  constructor(thread: Thread<S, U>, n: number, hasSent: boolean, interrupts?: readonly unknown[]) {
    this.n = n;
    this.hasSent = hasSent;
    this.interrupts = interrupts;
    this.atStart = thread.getConfirmedState();
    ofRunners.add(this.signal);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Takes note of what became of a request. */
  over(runId: string | undefined, news: RunNews, error: unknown, joins: boolean): void {
    this.runId = runId;
    this.news = news;
    this.error = error;
    this.hasJoined ||= joins && error === undefined;
  }

  /** Records the updates that the run carries, and returns them. */
  carry(thread: Thread<S, U>): object[] {
    const sent = thread.pending.filter(({ status }) => status === "sent");
    const atStart = messagesIn(this.atStart);
    this.carried = sent.map(({ id }) => id);
    this.before = () => new Set([...atStart.map(({ id }) => id), ...sent.flatMap(({ update }) => idsOf(update))]);
    return sent.map(({ update }) => update);
  }
}
