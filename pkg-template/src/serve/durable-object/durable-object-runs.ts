// Runs in the storage of a Durable Object. The object has one instance at a time, which alone writes its storage.
import { ThreadfoldError } from "../../shared/errors.js";
import { joinedTexts, piecesOf, type ObjectContext, type ObjectStorage } from "../../shared/object-storage.js";
import { latestFirst } from "../latest-first.js";
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
import { busy, fenced, leaseOptions, lost } from "../run-stores/shared-runs.js";
import { LiveRun, liveRunsOf, type LiveRuns } from "./live-runs.js";

/** How {@link DurableObjectRuns} keeps runs. */
export interface DurableObjectRunsOptions {
  /** How many milliseconds a run may rest before the alarm continues it, if the instance that ran it is gone. Default 5,000. */
  readonly ttl?: number | undefined;
  /** How many milliseconds a run that is over can be joined. Default an hour. */
  readonly keepFor?: number | undefined;
}

/** `threadfold_parts` has the parts of a run from 1, and the facts about it at 0, in pieces. */
const TABLES = `
CREATE TABLE IF NOT EXISTS threadfold_fence (only INTEGER PRIMARY KEY, fence INTEGER);
CREATE TABLE IF NOT EXISTS threadfold_runs (at INTEGER PRIMARY KEY, thread TEXT, id TEXT, server TEXT, owner TEXT,
  ended INTEGER, stopped INTEGER);
CREATE TABLE IF NOT EXISTS threadfold_parts (run INTEGER, at INTEGER, piece INTEGER, text TEXT,
  PRIMARY KEY (run, at, piece)) WITHOUT ROWID;
`;

/** So many parts are read from the storage at a time. */
const AT_ONCE = 200;

/** A record of `threadfold_runs`. */
interface Row {
  readonly at: number;
  readonly thread: string;
  readonly id: string;
  readonly server: string;
  readonly owner: string | null;
  readonly ended: number | null;
  readonly stopped: number | null;
}

/**
 * Keeps runs in the storage of a Durable Object, which must be backed by SQLite: one object for each thread. A run goes
 * on when its caller leaves, and can be joined. If the object's instance is evicted or aborted in mid-run, the next one
 * continues the run from its last checkpoint. A request wakes it, or the object's alarm.
 *
 * The store sets that alarm: call {@link DurableObjectRuns.alarm} in the object's `alarm()`, and set no other one.
 *
 * @example
 * ```ts
 * import { END, START, StateGraph } from "threadfold/graph";
 * import { defineSchema, field } from "threadfold";
 * import { serveAgUi } from "threadfold/serve";
 * import { DurableObjectRuns, DurableObjectSaver, type ObjectContext } from "threadfold/serve/durable-object";
 *
 * const builder = new StateGraph(defineSchema({ messages: field.messages() }))
 *   .addNode("answer", () => ({ messages: [{ type: "ai", content: "Hello" }] }))
 *   .addEdge(START, "answer")
 *   .addEdge("answer", END);
 *
 * // In a Worker it extends DurableObject of "cloudflare:workers".
 * class AgentThread {
 *   readonly runs: DurableObjectRuns;
 *   readonly fetch: (request: Request) => Promise<Response>;
 *
 *   constructor(ctx: ObjectContext) {
 *     this.runs = new DurableObjectRuns(ctx);
 *     this.fetch = serveAgUi(builder.compile({ checkpointer: new DurableObjectSaver(ctx) }), { runs: this.runs });
 *   }
 *
 *   alarm() {
 *     return this.runs.alarm();
 *   }
 * }
 * ```
 */
export class DurableObjectRuns implements RunStore {
  readonly ttl: number;
  readonly #keepFor: number;
  readonly #storage: ObjectStorage;
  readonly #live: LiveRuns;

  /** @param ctx - The object's `this.ctx`. */
  constructor(ctx: ObjectContext, options: DurableObjectRunsOptions = {}) {
    const { ttl, keepFor } = leaseOptions("new DurableObjectRuns", options, [], 5_000);
    if (typeof ctx?.storage?.sql?.exec !== "function")
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        "new DurableObjectRuns: expected the ctx of a Durable Object with SQLite. Name its class in new_sqlite_classes.",
      );
    this.ttl = ttl;
    this.#keepFor = keepFor;
    this.#storage = ctx.storage;
    this.#live = liveRunsOf(ctx);
    this.#exec(TABLES);
  }

  /** Continues the runs of an instance that is gone, and drops those that are over for too long. */
  async alarm(): Promise<void> {
    for (const { at } of this.#rows("ended <= ?", Date.now() - this.#keepFor)) this.#drop(at);
    for (const look of this.#live.looks) await look();
    await this.#setAlarm();
  }

  whenOrphaned(look: () => Promise<void>): void {
    this.#live.looks.add(look);
  }

  async begin(run: NewRun, stop: () => void, take?: TakeText): Promise<RunLease> {
    const { threadId, id, server, owner, about, isAlone } = run;
    const before = this.#underWay(threadId);
    if (before.some((other) => isAlone || other.id === id)) throw busy(threadId);
    const fence = this.#storage.transactionSync(() => {
      for (const { at } of this.#rows("thread = ? AND id = ?", threadId, id)) this.#drop(at);
      const at = this.#nextFence();
      this.#exec(
        "INSERT INTO threadfold_runs VALUES (?, ?, ?, ?, ?, NULL, NULL)",
        at,
        threadId,
        id,
        server,
        owner ?? null,
      );
      this.#writePart(at, 0, JSON.stringify(about));
      return at;
    });
    this.#live.leased.set(fence, new LiveRun(fence, 0, stop, take));
    this.#live.signals.wake(begunIn(threadId));
    await this.#setAlarm();
    return { threadId, id, fence, last: 0, before: before.map(keyOf) };
  }

  async claim(
    server: string,
    stop: () => void,
    take?: TakeText,
  ): Promise<(RunLease & { readonly run: StoredRun }) | undefined> {
    const orphans = this.#rows("ended IS NULL AND server = ?", server).filter(({ at }) => !this.#live.of(at));
    const [row] = orphans;
    if (!row) return undefined;
    const fence = this.#nextFence();
    const [found] = this.#exec("SELECT max(at) AS last FROM threadfold_parts WHERE run = ?", row.at);
    const last = Number(found?.["last"]);
    this.#live.leased.set(fence, new LiveRun(row.at, last, stop, take));
    if (row.stopped !== null) stop();
    const before = this.#underWay(row.thread).filter(({ at }) => at < row.at);
    return { ...keyOf(row), fence, last, before: before.map(keyOf), run: this.#stored(row) };
  }

  /** An instance has its runs for as long as it lives. */
  async renew(lease: RunLease): Promise<void> {
    this.#leased(lease);
  }

  async append(lease: RunLease, parts: readonly Part[]): Promise<void> {
    const run = this.#leased(lease);
    const texts = parts.map(textOf);
    this.#storage.transactionSync(() => {
      for (const [place, text] of texts.entries()) this.#writePart(run.at, run.last + place + 1, text);
    });
    run.add(texts);
    this.#live.signals.wake(partOf(run.at));
  }

  async update(lease: RunLease, about: object): Promise<void> {
    this.#writeAbout(this.#leased(lease).at, about);
  }

  async end(lease: RunLease, about: object): Promise<void> {
    const { at } = this.#leased(lease);
    this.#writeAbout(at, about);
    this.#exec("UPDATE threadfold_runs SET ended = ? WHERE at = ?", Date.now(), at);
    this.#live.leased.delete(lease.fence);
    this.#live.signals.wake(partOf(at));
    await this.#setAlarm();
  }

  async cancel(key: RunKey): Promise<void> {
    const row = this.#rowOf(key);
    if (!row || row.ended !== null || row.stopped !== null) return;
    this.#exec("UPDATE threadfold_runs SET stopped = 1 WHERE at = ?", row.at);
    this.#live.of(row.at)?.stop();
  }

  async send(key: RunKey, text: string): Promise<void> {
    const row = this.#rowOf(key);
    if (row && row.ended === null) this.#live.of(row.at)?.take?.(text);
  }

  async *follow(key: RunKey, after: number, signal?: AbortSignal): AsyncGenerator<NumberedPart> {
    const at = this.#rowOf(key)?.at;
    if (at === undefined) throw lost(key);
    for (let last = Math.max(0, after); ;) {
      if (signal?.aborted) return;
      const parts = this.#parts(at, last);
      for (const part of parts) {
        if (part[0] !== last + 1) throw lost(key);
        last = part[0];
        yield part;
        if (signal?.aborted) return;
      }
      if (parts.length > 0) continue;
      const [row] = this.#rows("at = ?", at);
      if (!row) throw lost(key);
      if (row.ended !== null) return;
      await this.#live.signals.next(partOf(at), signal);
    }
  }

  async *watch(threadId: string, after: number | undefined, signal: AbortSignal): AsyncGenerator<BegunRun> {
    const known = Number(this.#exec("SELECT fence FROM threadfold_fence")[0]?.["fence"] ?? 0);
    const first = this.#underWay(threadId)[0]?.at ?? known + 1;
    for (let last = after !== undefined && after <= known ? after : first - 1; !signal.aborted;) {
      const [next] = this.#rows("thread = ? AND at > ?", threadId, last);
      if (next) {
        last = next.at;
        yield [last, this.#stored(next)];
      } else await this.#live.signals.next(begunIn(threadId), signal);
    }
  }

  async runs({ threadId, id }: RunFilter): Promise<StoredRun[]> {
    const rows = this.#rows("thread = ? AND id = coalesce(?, id)", threadId, id ?? null);
    return latestFirst(rows).map((row) => this.#stored(row));
  }

  async remove(key: RunKey): Promise<void> {
    const row = this.#rowOf(key);
    if (row) this.#drop(row.at);
  }

  /** Does nothing: the store has no connection. */
  async close(): Promise<void> {}

  #exec(query: string, ...bindings: (string | number | null)[]): Record<string, unknown>[] {
    return this.#storage.sql.exec(query, ...bindings).toArray();
  }

  /** Records in the order in which the runs began. */
  #rows(where: string, ...bindings: (string | number | null)[]): Row[] {
    return this.#exec(`SELECT * FROM threadfold_runs WHERE ${where} ORDER BY at`, ...bindings) as unknown as Row[];
  }

  #rowOf({ threadId, id }: RunKey): Row | undefined {
    return this.#rows("thread = ? AND id = ?", threadId, id)[0];
  }

  #underWay(threadId: string): Row[] {
    return this.#rows("thread = ? AND ended IS NULL", threadId);
  }

  #stored(row: Row): StoredRun {
    const rows = this.#exec("SELECT at, text FROM threadfold_parts WHERE run = ? AND at = 0 ORDER BY piece", row.at);
    return {
      ...keyOf(row),
      server: row.server,
      owner: row.owner ?? undefined,
      about: JSON.parse(joinedTexts(rows)[0]?.[1] ?? "{}") as object,
      hasEnded: row.ended !== null,
      isStopped: row.stopped !== null,
    };
  }

  #nextFence(): number {
    const query = `INSERT INTO threadfold_fence VALUES (0, 1)
      ON CONFLICT (only) DO UPDATE SET fence = fence + 1 RETURNING fence`;
    return Number(this.#exec(query)[0]?.["fence"]);
  }

  #leased(lease: RunLease): LiveRun {
    const run = this.#live.leased.get(lease.fence);
    if (run) return run;
    if (!this.#rowOf(lease)) throw lost(lease);
    throw fenced(lease);
  }

  #writePart(run: number, at: number, text: string): void {
    for (const [piece, cut] of piecesOf(text).entries())
      this.#exec("INSERT INTO threadfold_parts VALUES (?, ?, ?, ?)", run, at, piece, cut);
  }

  #writeAbout(run: number, about: object): void {
    this.#storage.transactionSync(() => {
      this.#exec("DELETE FROM threadfold_parts WHERE run = ? AND at = 0", run);
      this.#writePart(run, 0, JSON.stringify(about));
    });
  }

  #parts(run: number, after: number): [at: number, text: string][] {
    if (after === Infinity) return [];
    const recent = this.#live.of(run)?.after(after);
    if (recent) return recent;
    const query = "SELECT at, text FROM threadfold_parts WHERE run = ? AND at > ? AND at <= ? ORDER BY at, piece";
    return joinedTexts(this.#exec(query, run, after, after + AT_ONCE));
  }

  #drop(at: number): void {
    const [row] = this.#rows("at = ?", at);
    this.#exec("DELETE FROM threadfold_runs WHERE at = ?", at);
    this.#exec("DELETE FROM threadfold_parts WHERE run = ?", at);
    for (const [fence, run] of this.#live.leased) if (run.at === at) this.#live.leased.delete(fence);
    if (row) this.#live.signals.wake(partOf(at));
  }

  /** The alarm wakes an instance to continue the runs of this one, or to drop the first run that is over for too long. */
  async #setAlarm(): Promise<void> {
    if (this.#live.leased.size > 0) return this.#storage.setAlarm(Date.now() + this.ttl);
    const ended = this.#exec("SELECT min(ended) AS ended FROM threadfold_runs")[0]?.["ended"];
    if (typeof ended === "number") await this.#storage.setAlarm(ended + this.#keepFor);
  }
}

const partOf = (run: number): string => `part ${run}`;
const begunIn = (threadId: string): string => `begun ${threadId}`;
const keyOf = ({ thread, id }: Row): RunKey => ({ threadId: thread, id });
