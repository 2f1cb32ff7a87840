// A conversation: a thread, what was sent and not yet heard, and the runs that carry it.
import { Thread, type OptimisticUpdate } from "threadfold";
import type { Faults } from "./fault-controls";
import { Refusal, type AgentServer } from "./servers";
import type { ThreadState } from "./state";

export type ChatThread = Thread<ThreadState>;

/** How often, and after how many milliseconds, a broken connection is tried again. */
const PATIENCE = [150, 400, 1_000, 2_000];

export class Session {
  readonly thread: ChatThread = new Thread<ThreadState>({ threadId: crypto.randomUUID() });
  readonly #server: AgentServer;
  readonly #faults: () => Faults;
  readonly #say: (status: string) => void;
  readonly #closed = new AbortController();
  readonly #made = new Map<string, OptimisticUpdate>();
  /** Ids of the pending updates that no run has carried yet. */
  readonly #unsent = new Set<string>();
  #working = false;

  constructor(server: AgentServer, faults: () => Faults, say: (status: string) => void) {
    this.#server = server;
    this.#faults = faults;
    this.#say = say;
  }

  /** Shows a message at once; it goes out as soon as no run is going on. */
  send(text: string): void {
    const message = this.#server.message(crypto.randomUUID(), text);
    const update = this.thread.optimistic({ messages: [message] });
    this.#made.set(update.id, update);
    this.#unsent.add(update.id);
    void this.#work();
  }

  /** Sends what failed once more. */
  retry(id: string): void {
    const update = this.#made.get(id);
    if (!update) return;
    update.retry();
    this.#unsent.add(id);
    void this.#work();
  }

  /** Takes back what failed. */
  rollback(id: string): void {
    this.#made.get(id)?.rollback();
    this.#forget();
  }

  close(): void {
    this.#closed.abort();
    this.thread.free();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    try {
      while (this.#unsent.size > 0 && !this.#closed.signal.aborted) await this.#run();
    } finally {
      this.#working = false;
    }
  }

  async #run(): Promise<void> {
    const { thread } = this;
    const faults = this.#faults();
    let error: unknown = new Error("The connection broke.");
    /** Says whether there is nothing more to try. */
    const follow = async (work: () => Promise<boolean>) => {
      try {
        return await work();
      } catch (thrown) {
        error = thrown;
        if (!(thrown instanceof Refusal) && !this.#closed.signal.aborted) return false;
        if (!this.#closed.signal.aborted) thread.receive({ type: "run-failed", error });
        return true;
      }
    };

    this.#say("Waiting for the server…");
    const run = this.#server.run(thread, this.#outgoing(), faults, this.#closed.signal);
    this.#unsent.clear();
    const forget = thread.subscribe(() => {
      if (thread.run?.status === "running") this.#say("The agent is answering…");
    });
    let over = await follow(() => run.start());
    for (const wait of run.join ? PATIENCE : []) {
      if (over) break;
      this.#say("The connection broke. Joining the run again…");
      await new Promise((resolve) => setTimeout(resolve, wait));
      over = await follow(async () => (await run.join?.(faults.joined)) ?? true);
    }
    forget();
    if (this.#closed.signal.aborted) return;
    if (!over) thread.receive({ type: "run-failed", error });
    this.#forget();
    this.#say(thread.run?.status === "failed" ? "The run failed." : "");
  }

  /** The messages that are to go out now. */
  #outgoing(): object[] {
    const going = this.thread.pending.filter(({ id }) => this.#unsent.has(id));
    return going.flatMap(({ update }) => (update as Partial<ThreadState>).messages ?? []);
  }

  /** What is no longer pending needs no handle, and what failed is not sent by itself. */
  #forget(): void {
    const pending = new Map(this.thread.pending.map(({ id, status }) => [id, status]));
    for (const id of this.#made.keys()) if (!pending.has(id)) this.#made.delete(id);
    // Whatever is pending while a run begins counts as sent with it. What is unsent here goes with the next one.
    for (const id of this.#unsent) if ((pending.get(id) ?? "failed") === "failed") this.#unsent.delete(id);
  }
}
