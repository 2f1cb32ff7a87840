// Threads as the API lists them: whose run goes on, what they ask, and what they hold.
import type { GraphState } from "../../stream/graph-parts.js";
import { errorWords } from "../../stream/error-words.js";
import { isDict } from "../../shared/dict.js";
import { json, type Asker } from "../http.js";
import type { Owners } from "../owners.js";
import { wireJson } from "../wire.js";
import type { KeptThread, KeptThreads } from "../threads/kept-threads.js";
import { hasFields, ordered, rangeOf } from "../threads/list-query.js";
import type { Assistants } from "./assistants.js";
import type { Runs } from "./runs.js";
import { extracted, pathsOf } from "./state-digest.js";
import { interruptsOf } from "./thread-state.js";
import type { ThreadStates } from "./thread-states.js";

/** The orders of a search for threads, by the names of the API. */
const THREAD_ORDERS: Readonly<Record<string, keyof KeptThread>> = {
  thread_id: "id",
  created_at: "createdAt",
  updated_at: "updatedAt",
};

interface Summary {
  readonly status: string;
  readonly values: unknown;
}

/** The parts of a server that know of threads. */
interface Sources {
  readonly assistants: Assistants;
  readonly threads: KeptThreads;
  readonly runs: Runs;
  readonly states: ThreadStates;
  readonly owners: Owners;
}

export class ThreadSummaries {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async count({ metadata, values, status }: Record<string, unknown>, asker: Asker | undefined): Promise<number> {
    return (await this.#found({ metadata, values, status, limit: Number.MAX_SAFE_INTEGER }, asker)).length;
  }

  /** Returns a list as JSON. A thread that cannot be read is one of status `error`, and fails no other. */
  async search(asked: Record<string, unknown>, asker: Asker | undefined): Promise<Response> {
    const { select } = asked;
    const shown = (thread: object) =>
      Array.isArray(select)
        ? Object.fromEntries(Object.entries(thread).filter(([key]) => key === "extracted" || select.includes(key)))
        : thread;
    const texts = (await this.#found(asked, asker)).map((thread) => {
      try {
        return wireJson(shown(thread));
      } catch (error) {
        return wireJson(shown(unreadable(thread, error)));
      }
    });
    return json(`[${texts.join(",")}]`);
  }

  async #found(asked: Record<string, unknown>, asker: Asker | undefined): Promise<object[]> {
    const { metadata, ids, status, values, select, extract, ...page } = asked;
    const { assistants, threads, owners } = this.#sources;
    const [from, to] = rangeOf(page);
    const sorted = ordered(await threads.listed(assistants.graphs()), asked, THREAD_ORDERS);
    const wanted = Array.isArray(ids) ? new Set<unknown>(ids) : undefined;
    const named = sorted
      .filter(({ id }) => wanted?.has(id) ?? true)
      .filter((thread) => hasFields(thread.metadata, metadata));
    const found = await owners.usable(asker, named);
    const paths = pathsOf(extract);
    const isDated = Array.isArray(select) && select.includes("state_updated_at");
    const summary = (thread: KeptThread) =>
      this.#withExtracts(thread, paths, isDated).catch(async (error: unknown) =>
        unreadable(await this.of(thread, undefined), error),
      );
    // Only a state has a thread's status and values.
    const isByState = status != null || (isDict(values) && Object.keys(values).length > 0);
    if (!isByState) return Promise.all(found.slice(from, to).map(summary));
    const all = (await Promise.all(found.map(summary))) as Summary[];
    return all
      .filter((thread) => (status == null || thread.status === status) && hasFields(thread.values, values))
      .slice(from, to);
  }

  async #withExtracts(thread: KeptThread, paths: ReturnType<typeof pathsOf>, isDated: boolean): Promise<object> {
    const { states } = this.#sources;
    const state = await states.ifAny(thread.id);
    const summary = await this.of(thread, state);
    const committed = paths && state && (await states.committed(thread.id, state));
    return {
      ...summary,
      ...(isDated && { state_updated_at: state?.createdAt ?? null }),
      ...(paths && { extracted: extracted(await this.of(thread, committed), paths) }),
    };
  }

  /** Returns a thread as the API shows it. */
  async of({ id, metadata, createdAt, updatedAt }: KeptThread, state: GraphState | undefined): Promise<object> {
    const { assistants, runs: all } = this.#sources;
    const runs = await all.store.runs({ threadId: id });
    const last = all.last(runs);
    const interrupts = state ? interruptsOf(state) : [];
    const isBusy = assistants.underWay(id).length > 0 || runs.some(({ hasEnded }) => !hasEnded);
    const status = isBusy
      ? "busy"
      : last?.status === "error"
        ? "error"
        : interrupts.length > 0 || (state?.next ?? []).length > 0
          ? "interrupted"
          : "idle";
    return {
      thread_id: id,
      created_at: createdAt,
      updated_at: updatedAt,
      metadata,
      status,
      config: {},
      values: state?.values ?? null,
      error: status === "error" ? (last?.error ?? null) : null,
      interrupts: Object.fromEntries(
        (state?.tasks ?? []).flatMap(({ id: task, interrupts: asked = [] }) =>
          asked.length > 0 ? [[task, asked]] : [],
        ),
      ),
    };
  }
}

/** The list entry for a thread that cannot be read. */
function unreadable(thread: object, cause: unknown): object {
  const { name, message } = errorWords(cause);
  return { ...thread, status: "error", values: null, interrupts: {}, error: { error: name, message } };
}
