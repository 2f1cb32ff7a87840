// Runs in Postgres, for several instances that have no other service: rows for runs and parts, one connection that listens.
import { ThreadfoldError } from "../../shared/errors.js";
import { Bell } from "../run-stores/bell.js";
import {
  textOf,
  type BegunRun,
  type NewRun,
  type NumberedPart,
  type Part,
  type RunFilter,
  type RunKey,
  type RunLease,
  type RunStore,
  type StoredRun,
  type TakeText,
} from "../run-stores/run-store.js";
import { busy, fenced, leaseOptions, lost, memberOf } from "../run-stores/shared-runs.js";
import { Batches } from "./batches.js";
import { checkPool, type PostgresPool, type Row } from "./client.js";
import { Notices } from "./notices.js";
import { statementsOf } from "./statements.js";

/** How {@link PostgresRuns} keeps runs. */
export interface PostgresRunsOptions {
  /** A `Pool` of `pg`. The store keeps one of its connections to listen, so it needs two or more. */
  readonly pool: PostgresPool;
  /**
   * Begins the names of the tables: lower-case letters, digits and underscores. Servers of one agent share a prefix;
   * another agent needs another one. Default `"threadfold_"`.
   */
  readonly prefix?: string | undefined;
  /** How many milliseconds an instance may be silent before another one continues its runs. Default 10,000. */
  readonly ttl?: number | undefined;
  /** How many milliseconds a run that is over can still be joined. Default an hour. */
  readonly keepFor?: number | undefined;
}

/** How many milliseconds pass at least from one write of parts to the next. */
const PAUSE = 20;

/**
 * Keeps the runs of `serveAgUi` and `serveLangGraph` in Postgres 12 or later: every instance joins, lists and stops the
 * runs of all. Give each instance a store of its own over the same database. The first call makes the tables if they are
 * missing. The threads are kept by the graph's checkpointer, which the instances share, too.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for what is not a pool, `UNKNOWN_OPTION`.
 */
export class PostgresRuns implements RunStore {
  readonly ttl: number;
  readonly #pool: PostgresPool;
  readonly #keepFor: number;
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #notices: Notices;
  readonly #writes: Batches<readonly string[], boolean>;
  readonly #reads: Batches<void, readonly NumberedPart[]>;
  /** Ends the listening for a stop, of each run that this store leases. */
  readonly #stops = new Map<string, () => void>();
  #isSetUp: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: PostgresRunsOptions) {
    const { ttl, keepFor } = leaseOptions("new PostgresRuns", options, ["pool", "prefix"]);
    const { pool, prefix = "threadfold_" } = options;
    checkPool(pool);
    if (!/^[a-z_][a-z0-9_]{0,39}$/.test(prefix))
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        `new PostgresRuns: expected prefix to be up to 40 lower-case letters, digits and underscores, got '${prefix}'.`,
      );
    this.#pool = pool;
    this.ttl = ttl;
    this.#keepFor = keepFor;
    this.#statements = statementsOf(prefix);
    this.#notices = new Notices(pool, this.#statements, ttl / 3);
    this.#writes = new Batches((waiting) => this.#append(waiting), PAUSE);
    this.#reads = new Batches((waiting) => this.#read([...waiting.keys()]), 0);
  }

  /** Makes the tables that are missing. Call it with a role that may do so, if the servers' role may not. */
  async setup(): Promise<void> {
    const { rows } = await this.#pool.query(this.#statements.isSetUp);
    if (rows[0]?.["is_set_up"] !== true) await this.#pool.query(this.#statements.setup);
  }

  async begin(run: NewRun, stop: () => void, take?: TakeText): Promise<RunLease> {
    const { threadId, id, server, owner, about, isAlone } = run;
    const facts = JSON.stringify({ threadId, id, server, owner });
    const values = [JSON.stringify(threadId), facts, JSON.stringify(server), JSON.stringify(about), isAlone, this.ttl];
    for (;;) {
      const [row] = await this.#query("begin", [memberOf(run), ...values]);
      if (row?.["is_busy"] === true) throw busy(threadId);
      // Another run of the thread began in the same moment.
      if (row?.["topic"] == null) continue;
      this.#listen(run, String(row["topic"]), stop, take);
      return { threadId, id, fence: Number(row["fence"]), last: 0, before: beforeOf(row) };
    }
  }

  async claim(
    server: string,
    stop: () => void,
    take?: TakeText,
  ): Promise<(RunLease & { readonly run: StoredRun }) | undefined> {
    if (this.#isClosed) throw new ThreadfoldError("DISPOSED", "PostgresRuns: the store was closed.");
    const [row] = await this.#query("claim", [JSON.stringify(server), this.ttl]);
    if (!row) {
      await this.#query("clean", [this.#keepFor]);
      return undefined;
    }
    const run = runOf(row);
    const { threadId, id } = run;
    this.#listen(run, String(row["topic"]), stop, take);
    return { threadId, id, fence: Number(row["fence"]), last: Number(row["last"]), before: beforeOf(row), run };
  }

  async renew(lease: RunLease): Promise<void> {
    await this.#write(lease, "renew", [this.ttl]);
  }

  async append(lease: RunLease, parts: readonly Part[]): Promise<void> {
    const isWritten = await this.#writes.add(`${lease.fence} ${memberOf(lease)}`, parts.map(textOf));
    if (!isWritten) await this.#refuse(lease);
  }

  async update(lease: RunLease, about: object): Promise<void> {
    await this.#write(lease, "update", [JSON.stringify(about)]);
  }

  async end(lease: RunLease, about: object): Promise<void> {
    await this.#write(lease, "end", [JSON.stringify(about), this.#keepFor]);
    this.#leave(lease);
  }

  async cancel(key: RunKey): Promise<void> {
    await this.#query("cancel", [memberOf(key)]);
  }

  async send(key: RunKey, text: string): Promise<void> {
    const chunks = encodeURIComponent(JSON.stringify(text)).match(/.{1,7000}/g) ?? [];
    await this.#query("send", [
      memberOf(key),
      chunks.map((chunk, at) => `m${at === chunks.length - 1 ? "." : "-"}${at}!${chunk}`),
    ]);
  }

  async *follow(key: RunKey, after: number, signal?: AbortSignal): AsyncGenerator<NumberedPart> {
    const [found] = await this.#query("find", [memberOf(key)]);
    if (!found) throw lost(key);
    const topic = String(found["topic"]);
    const bell = new Bell();
    // A state that was read may come after a later one that was sent.
    let [end, hasEnded, isGone] = [0, false, false];
    const leave = this.#notices.listen(topic, (state) => {
      if (state.startsWith("m")) return;
      end = Math.max(end, Number.parseInt(state, 10) || 0);
      hasEnded ||= state.endsWith("e");
      isGone ||= state === "";
      bell.ring();
    });
    try {
      for (let last = Math.max(0, after); ;) {
        await bell.next(signal);
        if (signal?.aborted) return;
        if (isGone) throw lost(key);
        while (last < end) {
          const parts = (await this.#reads.add(`${topic} ${last}`, undefined)) ?? [];
          if (parts[0]?.[0] !== last + 1) throw lost(key);
          for (const part of parts) {
            if (signal?.aborted) return;
            if (part[0] !== last + 1) throw lost(key);
            last = part[0];
            yield part;
          }
        }
        if (hasEnded) return;
      }
    } finally {
      leave();
    }
  }

  async *watch(threadId: string, after: number | undefined, signal: AbortSignal): AsyncGenerator<BegunRun> {
    const thread = JSON.stringify(threadId);
    const [found] = await this.#query("watch", [thread]);
    const known = Number(found?.["known"] ?? 0);
    const isKnown = after !== undefined && after <= known;
    const bell = new Bell();
    let latest = 0;
    const leave = this.#notices.listen(String(found?.["topic"]), (state) => {
      latest = Math.max(latest, Number(state));
      bell.ring();
    });
    try {
      for (let last = isKnown ? after : Number(found?.["before"] ?? known); ;) {
        await bell.next(signal);
        while (last < latest && !signal.aborted) {
          const [row] = await this.#query("next", [thread, last]);
          if (signal.aborted || !row) break;
          last = Number(row["at"]);
          yield [last, runOf(row)];
        }
        if (signal.aborted) return;
      }
    } finally {
      leave();
    }
  }

  async runs({ threadId, id }: RunFilter): Promise<StoredRun[]> {
    const rows =
      id === undefined
        ? this.#query("list", [JSON.stringify(threadId)])
        : this.#query("find", [memberOf({ threadId, id })]);
    return (await rows).map(runOf);
  }

  async remove(key: RunKey): Promise<void> {
    await this.#query("remove", [memberOf(key)]);
  }

  /** Gives the connection back that listens. Runs stay: another instance continues them. Close the pool afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#notices.close();
  }

  async #query(name: keyof ReturnType<typeof statementsOf>, values: unknown[]): Promise<Row[]> {
    this.#isSetUp ??= this.setup();
    try {
      await this.#isSetUp;
    } catch (error) {
      this.#isSetUp = undefined;
      throw error;
    }
    return (await this.#pool.query(this.#statements[name], values)).rows;
  }

  async #write(lease: RunLease, name: "renew" | "update" | "end", values: unknown[]): Promise<void> {
    const rows = await this.#query(name, [memberOf(lease), lease.fence, ...values]);
    if (rows.length === 0) await this.#refuse(lease);
  }

  /** Another instance has the run, or nobody. */
  async #refuse(lease: RunLease): Promise<never> {
    this.#leave(lease);
    const [found] = await this.#query("find", [memberOf(lease)]);
    throw found ? fenced(lease) : lost(lease);
  }

  async #append(waiting: ReadonlyMap<string, readonly (readonly string[])[]>): Promise<Map<string, boolean>> {
    const writes = [...waiting].map(([key, lists]) => {
      const space = key.indexOf(" ");
      return { key, fence: key.slice(0, space), member: key.slice(space + 1), parts: lists.flat() };
    });
    const rows = await this.#query("append", [
      writes.map(({ member }) => member),
      writes.map(({ fence }) => fence),
      writes.map(({ parts }) => parts.length),
      writes.map(({ parts }) => JSON.stringify(parts)),
    ]);
    const written = new Set(rows.map(({ fence, member }) => `${String(fence)} ${String(member)}`));
    return new Map(writes.map(({ key }) => [key, written.has(key)]));
  }

  async #read(wanted: readonly string[]): Promise<Map<string, NumberedPart[]>> {
    const pairs = wanted.map((key) => key.split(" "));
    const rows = await this.#query("read", [pairs.map(([topic]) => topic), pairs.map(([, after]) => after)]);
    const found = new Map<string, NumberedPart[]>();
    for (const { topic, after, last, parts } of rows) {
      const key = `${String(topic)} ${String(after)}`;
      const list = found.get(key) ?? [];
      found.set(key, list);
      const texts = JSON.parse(String(parts)) as string[];
      const first = Number(last) - texts.length + 1;
      for (const [at, text] of texts.entries()) if (first + at > Number(after)) list.push([first + at, text]);
    }
    return found;
  }

  #listen(key: RunKey, topic: string, stop: () => void, take?: TakeText): void {
    this.#leave(key);
    let isStopped = false;
    let text = "";
    const leave = this.#notices.listen(topic, (state) => {
      if (state.startsWith("m")) {
        if (/^m.0!/.test(state)) text = "";
        text += state.slice(state.indexOf("!") + 1);
        if (state[1] === ".") take?.(JSON.parse(decodeURIComponent(text)) as string);
        return;
      }
      if (isStopped || !state.includes("s")) return;
      isStopped = true;
      stop();
    });
    this.#stops.set(memberOf(key), leave);
  }

  #leave(key: RunKey): void {
    this.#stops.get(memberOf(key))?.();
    this.#stops.delete(memberOf(key));
  }
}

const beforeOf = ({ before }: Row): RunKey[] =>
  (before as string[]).map((facts) => {
    const { threadId, id } = JSON.parse(facts) as StoredRun;
    return { threadId, id };
  });

function runOf({ facts, about, ended, stopped }: Row): StoredRun {
  const { threadId, id, server, owner } = JSON.parse(String(facts)) as StoredRun;
  const hasEnded = ended === true;
  return {
    threadId,
    id,
    server,
    owner,
    about: JSON.parse(String(about)) as object,
    hasEnded,
    isStopped: stopped === true,
  };
}
