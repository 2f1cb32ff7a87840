// A conversation: a thread, what was sent and not yet heard, and the runs that carry it.
import { Thread, type OptimisticUpdate } from "threadfold";
import type { Faults } from "./fault-controls";
import { read } from "./message";
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
  /** What a failed run had said before it failed, until another run begins: ids of messages. */
  #leftovers: string[] = [];
  #working = false;

  constructor(server: AgentServer, faults: () => Faults, say: (status: string) => void) {
    this.#server = server;
    this.#faults = faults;
    this.#say = say;
  }

  /** Shows a message at once; it goes out as soon as no run is going on. */
  send(text: string): void {
    this.#show([this.#server.message(crypto.randomUUID(), text)]);
  }

  /** Sends what failed once more: where it stands, or at the end if the conversation has gone on without it. */
  retry(id: string): void {
    const update = this.#made.get(id);
    if (!update) return;
    this.#dropLeftovers();
    const messages = this.#messagesOf(id);
    if (lastId(messages) !== lastId(this.thread.getState().messages)) {
      update.rollback();
      this.#made.delete(id);
      return this.#show(messages);
    }
    update.retry();
    this.#unsent.add(id);
    void this.#work();
  }

  /** Takes back what failed. */
  rollback(id: string): void {
    this.#dropLeftovers();
    this.#made.get(id)?.rollback();
    this.#forget();
  }

  /** Whether an update is still to be sent, once the run that goes on has ended. */
  waits(id: string): boolean {
    return this.#unsent.has(id);
  }

  close(): void {
    this.#closed.abort();
    this.thread.free();
  }

  #show(messages: readonly object[]): void {
    const update = this.thread.optimistic({ messages });
    this.#made.set(update.id, update);
    this.#unsent.add(update.id);
    void this.#work();
  }

  /** Half an answer is of no use once the question is asked again, or taken back. */
  #dropLeftovers(): void {
    const removals = this.#leftovers.map((id) => ({ type: "remove", id }));
    this.#leftovers = [];
    if (removals.length > 0) this.thread.update({ messages: removals });
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
    this.#leftovers = [];
    const before = new Set(thread.confirmed.messages.map((message) => read(message).id));
    const forget = thread.subscribe(() => {
      if (thread.run.status === "running") this.#say("The agent is answering…");
    });
    let over = await follow(() => {
      const answer = run.start();
      // What is written from here on waits for the next run, however long the server takes to begin this one.
      thread.receive({ type: "run-started" });
      return answer;
    });
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
    const failed = thread.run.status === "failed";
    if (failed) this.#leftovers = saidByAgent(thread.confirmed.messages).filter((id) => !before.has(id));
    this.#say(failed ? "The run failed." : "");
  }

  /** The messages that are to go out now. */
  #outgoing(): object[] {
    return this.thread.pending.filter(({ id }) => this.#unsent.has(id)).flatMap(({ id }) => this.#messagesOf(id));
  }

  #messagesOf(id: string): readonly object[] {
    const pending = this.thread.pending.find((update) => update.id === id);
    return (pending?.update as Partial<ThreadState> | undefined)?.messages ?? [];
  }

  /** What is no longer pending needs no handle, and what failed is not sent by itself. */
  #forget(): void {
    const pending = new Map(this.thread.pending.map(({ id, status }) => [id, status]));
    for (const id of this.#made.keys()) if (!pending.has(id)) this.#made.delete(id);
    // Whatever is pending while a run begins counts as sent with it. What is unsent here goes with the next one.
    for (const id of this.#unsent) if ((pending.get(id) ?? "failed") === "failed") this.#unsent.delete(id);
  }
}

const lastId = (messages: readonly object[]) => messages.slice(-1).map((message) => read(message).id)[0];

const saidByAgent = (messages: readonly object[]) =>
  messages
    .map(read)
    .filter(({ role }) => role !== "user")
    .map(({ id }) => id);
