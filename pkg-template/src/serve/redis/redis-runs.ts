// Runs in Redis, for several instances: a stream a run, a sorted set of leases, one connection that listens.
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
import { busy, fenced, keyOf, leaseOptions, lost, memberOf } from "../run-stores/shared-runs.js";
import { Channels, type Listener } from "./channels.js";
import { commandsOf, type RedisClient, type SendCommand } from "./client.js";
import { Follower, STOP, TO_RUN } from "./follower.js";
import { APPEND, BEGIN, CANCEL, CLAIM, END, REMOVE, RENEW, UPDATE } from "./scripts.js";

/** How {@link RedisRuns} keeps runs. */
export interface RedisRunsOptions {
  /** A connected client of `redis` 5 or of `ioredis`. The store opens one more connection like it. */
  readonly client: RedisClient;
  /**
   * Begins the names of all keys. Servers of one agent share a prefix; another agent needs another one. Default
   * `"threadfold:"`.
   */
  readonly prefix?: string | undefined;
  /** How many milliseconds an instance may be silent before another one continues its runs. Default 10,000. */
  readonly ttl?: number | undefined;
  /** How many milliseconds a run that is over can still be joined. Default an hour. */
  readonly keepFor?: number | undefined;
}

/** How many parts are read at a time. */
const AT_ONCE = 500;

/**
 * Keeps the runs of `serveAgUi` and `serveLangGraph` in Redis 7: every instance joins, lists and stops the runs of all.
 * Give each instance a store of its own over the same Redis. Its memory policy should be `noeviction`; Redis Cluster is
 * not supported. The threads are kept by the graph's checkpointer, which the instances share, too.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for another client, `UNKNOWN_OPTION`.
 */
export class RedisRuns implements RunStore {
  readonly ttl: number;
  readonly #send: SendCommand;
  readonly #prefix: string;
  readonly #keepFor: number;
  readonly #channels: Channels;
  #isClosed = false;
  /** The scripts' names in Redis. */
  readonly #loaded = new Map<string, Promise<unknown>>();
  /** The listeners of the runs that this store leases, by their members. */
  readonly #stops = new Map<string, Listener>();

  constructor(options: RedisRunsOptions) {
    const { ttl, keepFor } = leaseOptions("new RedisRuns", options, ["client", "prefix"]);
    const { client, prefix = "threadfold:" } = options;
    this.#send = commandsOf(client);
    this.#prefix = prefix;
    this.ttl = ttl;
    this.#keepFor = keepFor;
    this.#channels = new Channels(client);
  }

  async begin(run: NewRun, stop: () => void, take?: TakeText): Promise<RunLease> {
    const { threadId, id, server, owner, about, isAlone } = run;
    const member = memberOf(run);
    const answer = await this.#run(BEGIN, [
      member,
      threadId,
      id,
      server,
      owner === undefined ? "" : `=${owner}`,
      JSON.stringify(about),
      isAlone ? "1" : "0",
      String(this.ttl),
    ]);
    if (answer === "BUSY") throw busy(threadId);
    const [fence, before] = answer as [number, string[]];
    await this.#listen(run, stop, take);
    return { threadId, id, fence: Number(fence), last: 0, before: before.map(keyOf) };
  }

  async claim(
    server: string,
    stop: () => void,
    take?: TakeText,
  ): Promise<(RunLease & { readonly run: StoredRun }) | undefined> {
    if (this.#isClosed) throw new ThreadfoldError("DISPOSED", "RedisRuns: the store was closed.");
    const answer = await this.#run(CLAIM, ["", server, String(this.ttl)]);
    if (!Array.isArray(answer)) return undefined;
    const [fence, before, record] = answer as [number, string[], string[]];
    const fields = Object.fromEntries(record.flatMap((value, at) => (at % 2 ? [] : [[value, record[at + 1]]])));
    const run = runOf(fields);
    await this.#listen(run, stop, take);
    if (run.isStopped) stop();
    const { threadId, id } = run;
    return { threadId, id, fence: Number(fence), last: Number(fields["last"]), before: before.map(keyOf), run };
  }

  async renew(lease: RunLease): Promise<void> {
    await this.#write(lease, RENEW, [String(this.ttl)]);
  }

  async append(lease: RunLease, parts: readonly Part[]): Promise<void> {
    await this.#write(lease, APPEND, parts.map(textOf));
  }

  async update(lease: RunLease, about: object): Promise<void> {
    await this.#write(lease, UPDATE, [JSON.stringify(about)]);
  }

  async end(lease: RunLease, about: object): Promise<void> {
    try {
      await this.#write(lease, END, [JSON.stringify(about), lease.threadId, String(this.#keepFor)]);
    } finally {
      await this.#leave(lease);
    }
  }

  async cancel(key: RunKey): Promise<void> {
    await this.#run(CANCEL, [memberOf(key)]);
  }

  async send(key: RunKey, text: string): Promise<void> {
    await this.#send(["PUBLISH", this.#channelOf(key), TO_RUN + text]);
  }

  async *follow(key: RunKey, after: number, signal?: AbortSignal): AsyncGenerator<NumberedPart> {
    const follower = new Follower(after === Infinity);
    const channel = this.#channelOf(key);
    try {
      await this.#channels.listen(channel, follower);
      for (let last = after; ;) {
        const { parts, isBehind } = await follower.next(signal);
        if (signal?.aborted) return;
        let hasGap = false;
        for (const [at, part] of isBehind ? [] : parts) {
          hasGap = at > last + 1;
          if (hasGap) break;
          if (at <= last) continue;
          last = at;
          yield [at, part];
        }
        if (!isBehind && !hasGap) continue;
        // The record first: later parts come over the channel.
        const [end, ended] = (await this.#send(["HMGET", `${this.#prefix}run:${memberOf(key)}`, "last", "ended"])) as (
          string | null
        )[];
        if (end === null || end === undefined) throw lost(key);
        while (last < Number(end)) {
          const read = await this.#read(key, last);
          if (read.length === 0 || read[0]?.[0] !== last + 1) throw lost(key);
          for (const part of read) {
            last = part[0];
            yield part;
          }
          if (signal?.aborted) return;
        }
        if (ended !== null && ended !== undefined) return;
      }
    } finally {
      await this.#channels.leave(channel, follower);
    }
  }

  async *watch(threadId: string, after: number | undefined, signal: AbortSignal): AsyncGenerator<BegunRun> {
    const bell = new Bell();
    bell.ring();
    const listener: Listener = { heard: () => bell.ring(), missed: () => bell.ring() };
    const channel = `${this.#prefix}begun:${threadId}`;
    try {
      await this.#channels.listen(channel, listener);
      const known = Number(await this.#send(["GET", `${this.#prefix}fence`]));
      let isNew = after !== undefined && after <= known;
      for (let last = isNew ? (after ?? 0) : 0; ;) {
        await bell.next(signal);
        if (signal.aborted) return;
        const found = (await this.#send([
          "ZRANGEBYSCORE",
          `${this.#prefix}thread:${threadId}`,
          `(${last}`,
          "+inf",
          "WITHSCORES",
        ])) as string[];
        for (let place = 0; place < found.length; place += 2) {
          last = Number(found[place + 1]);
          // As it is when it is yielded: the one before may have taken long.
          const [run] = await this.#records([found[place] ?? ""]);
          if (signal.aborted) return;
          isNew ||= last > known || run?.hasEnded === false;
          if (run && isNew) yield [last, run];
        }
      }
    } finally {
      await this.#channels.leave(channel, listener);
    }
  }

  async runs({ threadId, id }: RunFilter): Promise<StoredRun[]> {
    return this.#records(
      id === undefined
        ? ((await this.#send(["ZREVRANGE", `${this.#prefix}thread:${threadId}`, "0", "-1"])) as string[])
        : [memberOf({ threadId, id })],
    );
  }

  async #records(members: readonly string[]): Promise<StoredRun[]> {
    const records = await Promise.all(
      members.map((member) => this.#send(["HMGET", `${this.#prefix}run:${member}`, ...FIELDS])),
    );
    return (records as (string | null)[][]).flatMap((values) =>
      values[0] == null ? [] : runOf(Object.fromEntries(FIELDS.map((name, at) => [name, values[at] ?? undefined]))),
    );
  }

  async remove(key: RunKey): Promise<void> {
    await this.#run(REMOVE, [memberOf(key), key.threadId]);
  }

  /** Closes the connection that the store opened. Runs stay: another instance continues them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#channels.close();
  }

  #channelOf(key: RunKey): string {
    return `${this.#prefix}part:${memberOf(key)}`;
  }

  async #read(key: RunKey, after: number): Promise<(readonly [at: number, part: string])[]> {
    const entries = (await this.#send([
      "XRANGE",
      `${this.#prefix}log:${memberOf(key)}`,
      `${after + 1}-0`,
      "+",
      "COUNT",
      String(AT_ONCE),
    ])) as [string, string[]][];
    return entries.map(([id, [, part = ""]]) => [Number.parseInt(id, 10), part]);
  }

  async #write(lease: RunLease, script: string, args: readonly string[]): Promise<void> {
    const answer = await this.#run(script, [memberOf(lease), String(lease.fence), ...args]);
    if (answer === "LOST") throw lost(lease);
    if (answer === "FENCED") throw fenced(lease);
  }

  async #run(script: string, args: readonly string[]): Promise<unknown> {
    let loading = this.#loaded.get(script);
    if (!loading) {
      loading = this.#send(["SCRIPT", "LOAD", script]);
      this.#loaded.set(script, loading);
    }
    try {
      return await this.#send(["EVALSHA", (await loading) as string, "0", this.#prefix, ...args]);
    } catch (error) {
      // Redis was started anew, or the script could not be loaded.
      this.#loaded.delete(script);
      if (!String(error).includes("NOSCRIPT")) throw error;
      return this.#send(["EVAL", script, "0", this.#prefix, ...args]);
    }
  }

  async #listen(key: RunKey, stop: () => void, take?: TakeText): Promise<void> {
    const member = memberOf(key);
    const before = this.#stops.get(member);
    if (before) await this.#channels.leave(this.#channelOf(key), before);
    const check = async () => {
      const [run] = await this.runs(key);
      if (run?.isStopped) stop();
    };
    const listener = {
      heard: (message: string) => {
        if (message === STOP) stop();
        else if (message.startsWith(TO_RUN)) take?.(message.slice(TO_RUN.length));
      },
      missed: () => void check().catch(() => {}),
    };
    this.#stops.set(member, listener);
    await this.#channels.listen(this.#channelOf(key), listener);
    // It may have been stopped before the channel was open.
    await check();
  }

  async #leave(lease: RunLease): Promise<void> {
    const member = memberOf(lease);
    const listener = this.#stops.get(member);
    this.#stops.delete(member);
    if (listener) await this.#channels.leave(this.#channelOf(lease), listener);
  }
}

const FIELDS = ["threadId", "id", "server", "owner", "about", "ended", "stopped"];

function runOf(fields: Readonly<Record<string, string | undefined>>): StoredRun {
  const { threadId = "", id = "", server = "", owner = "", about = "{}", ended, stopped } = fields;
  return {
    threadId,
    id,
    server,
    owner: owner === "" ? undefined : owner.slice(1),
    about: JSON.parse(about) as object,
    hasEnded: ended !== undefined,
    isStopped: stopped !== undefined,
  };
}
