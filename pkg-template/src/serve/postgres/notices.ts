import { LONGEST_TIMER } from "../../shared/timer.js";
import { Batches } from "./batches.js";
import type { PostgresConnection, PostgresPool, Row } from "./client.js";

/** Hears the state of a run or thread: at first, and as it changes. The same state may come again; "" means that it is gone. */
export type Listener = (state: string) => void;

/**
 * Listens to one channel, over one connection of the pool. A notice may be lost, or its connection: what is listened to is
 * read again from time to time, and with each new connection.
 */
export class Notices {
  readonly #pool: PostgresPool;
  readonly #statements: { readonly listen: string; readonly states: string };
  readonly #pace: number;
  readonly #topics = new Map<string, Set<Listener>>();
  readonly #states: Batches<void, string>;
  #connection: PostgresConnection | undefined;
  #isConnecting = false;
  #isReading = false;
  #isClosed = false;
  #timer: unknown;

  /** @param pace - How many milliseconds pass between two looks. */
  constructor(pool: PostgresPool, statements: { readonly listen: string; readonly states: string }, pace: number) {
    this.#pool = pool;
    this.#statements = statements;
    this.#pace = Math.min(pace, LONGEST_TIMER);
    this.#states = new Batches((topics) => this.#read([...topics.keys()]), 0);
  }

  /** Returns a function that ends it. */
  listen(topic: string, listener: Listener): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners.add(listener));
    if (!this.#connection) void this.#connect();
    this.#timer ??= this.#later();
    void this.#look([topic]);
    return () => {
      if (listeners.delete(listener) && listeners.size === 0 && this.#topics.get(topic) === listeners)
        this.#topics.delete(topic);
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#topics.clear();
    clearTimeout(this.#timer as number | undefined);
    this.#drop(this.#connection);
  }

  #hear(topic: string, state: string): void {
    for (const listener of this.#topics.get(topic) ?? []) listener(state);
  }

  async #connect(): Promise<void> {
    if (this.#isConnecting || this.#isClosed) return;
    this.#isConnecting = true;
    let connection: PostgresConnection | undefined;
    try {
      connection = await this.#pool.connect();
      const own = connection;
      const broke = () => {
        if (this.#drop(own)) void this.#connect();
      };
      own.on("error", broke);
      own.on("end", broke);
      own.on("notification", ({ payload = "" }: { payload?: string }) => {
        for (const word of payload.split(" ")) {
          const [topic = "", state = ""] = word.split(":");
          this.#hear(topic, state);
        }
      });
      this.#connection = own;
      await own.query(this.#statements.listen);
      if (this.#isClosed) this.#drop(own);
      else void this.#look([...this.#topics.keys()]);
    } catch {
      // The next look tries again.
      this.#drop(connection);
    } finally {
      this.#isConnecting = false;
    }
  }

  /** Gives a connection back, which is closed then. Returns whether it was in use. */
  #drop(connection: PostgresConnection | undefined): boolean {
    if (!connection || connection !== this.#connection) return false;
    this.#connection = undefined;
    connection.release(true);
    return true;
  }

  #later(): unknown {
    const timer: unknown = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isClosed || this.#topics.size === 0) return;
      // One that has not answered since the last look is a connection that nobody closed.
      if (this.#isReading) this.#drop(this.#connection);
      if (!this.#connection) void this.#connect();
      if (!this.#isReading) {
        this.#isReading = true;
        void this.#look([...this.#topics.keys()]).then(() => (this.#isReading = false));
      }
      this.#timer = this.#later();
    }, this.#pace);
    (timer as { unref?(): void }).unref?.();
    return timer;
  }

  /** Tells the listeners of these topics their states. A look that fails is made up for by the next one. */
  async #look(topics: readonly string[]): Promise<void> {
    const told = topics.map(async (topic) => this.#hear(topic, (await this.#states.add(topic, undefined)) ?? ""));
    await Promise.all(told).catch(() => {});
  }

  async #read(topics: string[]): Promise<Map<string, string>> {
    const { rows } = await (this.#connection ?? this.#pool).query(this.#statements.states, [topics]);
    return new Map(rows.map(({ topic, state }: Row) => [String(topic), String(state)]));
  }
}
