// The ways to a LangGraph server.
import { isDict } from "../shared/dict.js";
import { ThreadfoldError } from "../shared/errors.js";
import { checkOptions } from "../shared/options.js";
import {
  after,
  HTTP_OPTIONS,
  httpStatusOf,
  jsonOf,
  reached,
  request,
  segment,
  under,
  type HttpOptions,
} from "../stream/http.js";
import { listed } from "../runner/listed.js";
import type {
  CheckpointMessages,
  ListedThread,
  LoadedThread,
  RunRef,
  ThreadQuery,
  Transport,
} from "../runner/transport.js";
import type { Source } from "../stream/source.js";
import { plainMessages } from "./message-form.js";

/** A request for a run, in the SDK's spelling; the REST API spells the same options differently. */
export interface LangGraphInput {
  readonly threadId: string;
  readonly input?: unknown;
  readonly command?: unknown;
  readonly [option: string]: unknown;
}

/** How a `LangGraphRunner` reaches a server. */
export interface LangGraphTransport extends Transport<LangGraphInput, object> {
  /**
   * Starts a run. Call `named` with its id, unless you return a `Response` whose `Content-Location` has it. A stop
   * sends that id to the server.
   */
  run(
    input: LangGraphInput,
    options: { readonly signal: AbortSignal; named(runId: string): void },
  ): Source<object> | PromiseLike<Source<object>>;
  join?:
    | ((
        run: RunRef,
        options: { readonly signal: AbortSignal; readonly streamMode?: readonly string[] | undefined },
      ) => Source<object> | PromiseLike<Source<object>>)
    | undefined;
  /** Makes a thread, and returns its id. Without it, the runner makes the id. */
  create?: ((options: { readonly signal: AbortSignal }) => PromiseLike<string>) | undefined;
  /** Returns the thread's state alone, as before an edit. Without it, `load` is asked. */
  state?:
    | ((
        threadId: string,
        options: { readonly signal: AbortSignal },
      ) => LoadedThread | undefined | PromiseLike<LoadedThread | undefined>)
    | undefined;
  /** Returns the saved values of some fields; undefined if the server cannot. Without it, the state is asked for. */
  fields?: AskFields | undefined;
  /** Returns the digests of saved fields, as `serveLangGraph` makes them; undefined if the server makes none. */
  digests?: AskFields | undefined;
  /** Returns when the thread's state changed last; undefined if the server does not say. */
  changedAt?:
    ((threadId: string, options: { readonly signal: AbortSignal }) => PromiseLike<string | undefined>) | undefined;
  /** Returns how a run stands: `interrupted` for one that another page has stopped, `success` for one that ended well. */
  status?:
    | ((run: RunRef, options: { readonly signal: AbortSignal }) => string | undefined | PromiseLike<string | undefined>)
    | undefined;
}

/** Asks a server about some fields of a thread. Returns an answer for each field that has one. */
type AskFields = (
  threadId: string,
  names: readonly string[],
  options: { readonly signal: AbortSignal },
) => PromiseLike<Readonly<Record<string, unknown>> | undefined>;

/** Where {@link apiTransport} finds the assistant. */
export interface ApiTransportOptions extends HttpOptions {
  /** The server's address, such as `http://localhost:2024`. */
  apiUrl: string | URL;
  /** The assistant's id, or the graph's name. */
  assistantId: string;
}

/** The parts of a `@langchain/langgraph-sdk` client that are used. */
export interface LangGraphClient {
  readonly threads: {
    create(): Promise<{ thread_id: string }>;
    getState(threadId: string): Promise<{ values: unknown }>;
    getHistory?(threadId: string, options: { limit: number }): Promise<readonly { values: unknown }[]>;
    updateState?(threadId: string, options: never): Promise<unknown>;
    search?(query: never): Promise<readonly object[]>;
    joinStream?(threadId: string, options: never): AsyncIterable<object>;
  };
  readonly runs: {
    stream(threadId: string, assistantId: string, payload: never): AsyncIterable<object>;
    joinStream(threadId: string, runId: string, options: never): AsyncIterable<object>;
    cancel(threadId: string, runId: string): Promise<unknown>;
    get?(threadId: string, runId: string): Promise<{ status: string }>;
    list(threadId: string): Promise<readonly { run_id: string; status: string }[]>;
  };
}

/** Returns the transport to the LangGraph server at an address. */
export function apiTransport(options: ApiTransportOptions): LangGraphTransport {
  checkOptions("apiTransport", options, [...HTTP_OPTIONS, "apiUrl", "assistantId"]);
  return overApi(options);
}

/** Does the same with a runner's options. They are read at each request: `openLangGraph` may replace them. */
export function overApi(options: ApiTransportOptions): LangGraphTransport {
  const { apiUrl, assistantId } = options;
  const get = (threadId: string, path: string, signal: AbortSignal, headers: Record<string, string> = {}) =>
    request(options, under(apiUrl, `/threads/${segment(threadId)}/${path}`), headers, { signal });
  const json = async (threadId: string, path: string, signal: AbortSignal) => jsonOf(await get(threadId, path, signal));
  const post = (path: string, body: object | undefined, signal: AbortSignal | undefined) =>
    request(options, under(apiUrl, path), body ? JSON_TYPE : {}, {
      method: "POST",
      ...(signal && { signal }),
      ...(body && { body: JSON.stringify(body) }),
    });
  const read = stateOf(
    (threadId, signal) => json(threadId, "state", signal),
    (threadId, signal) => json(threadId, "history?limit=1", signal),
  );
  return {
    create: async ({ signal }) => createdId(await jsonOf(await post("/threads", {}, signal))),
    run: ({ threadId, ...payload }, { signal }) =>
      post(`/threads/${segment(threadId)}/runs/stream`, snakeCased({ assistantId, ...payload }), signal),
    join: ({ threadId, runId, lastEventId = "-1" }, { signal }) =>
      get(threadId, `runs/${segment(runId)}/stream`, signal, after(lastEventId)),
    follow: (threadId, { signal }) => get(threadId, "stream?stream_mode=lifecycle", signal),
    cancel: ({ threadId, runId }, { signal }) =>
      post(`/threads/${segment(threadId)}/runs/${segment(runId)}/cancel`, undefined, signal),
    steer: ({ threadId, runId }, messages, { signal }) =>
      post(`/threads/${segment(threadId)}/runs/${segment(runId)}/messages`, { messages }, signal),
    load: (threadId, { signal }) =>
      unlessUnknown(async () => {
        // Fetch the runs first: the state includes any that end later.
        const runs = await json(threadId, "runs?limit=10&select=run_id&select=status", signal);
        return threadOf(runs, await read(threadId, signal));
      }),
    history: async (threadId, { limit }) =>
      checkpointsIn(await jsonOf(await post(`/threads/${segment(threadId)}/history`, { limit }, undefined))),
    fork: async (threadId, checkpoint_id, { signal }) =>
      jsonOf(await post(`/threads/${segment(threadId)}/state`, { values: null, checkpoint_id }, signal)),
    state: (threadId, { signal }) => unlessUnknown(async () => threadOf([], await read(threadId, signal))),
    fields: async (threadId, names, { signal }) => {
      const extract = extractOf(names);
      return (
        extract &&
        fieldsIn(
          await jsonOf(await post("/threads/search", { ids: [threadId], extract, select: ["thread_id"] }, signal)),
          names,
        )
      );
    },
    digests: async (threadId, fields, { signal }) => {
      const path = `/threads/${segment(threadId)}/state/digest`;
      const answer = (await unlessUnknown(async () => jsonOf(await post(path, { fields }, signal)))) as Answered;
      return answer?.digests;
    },
    changedAt: async (threadId, { signal }) =>
      changedIn(await jsonOf(await post("/threads/search", changeOf(threadId), signal))),
    threads: async (query) =>
      threadsIn(await jsonOf(await post("/threads/search", snakeCased(searchOf(query)), query.signal))),
    status: async ({ threadId, runId }, { signal }) => statusIn(await json(threadId, `runs/${segment(runId)}`, signal)),
  };
}

/**
 * Returns the transport by a `Client` of `@langchain/langgraph-sdk`.
 *
 * @param options - `assistantId`: the assistant's id, or the graph's name.
 */
export function clientTransport(
  client: LangGraphClient,
  options: { readonly assistantId: string },
): LangGraphTransport {
  checkOptions("clientTransport", options, ["assistantId"]);
  const { assistantId } = options;
  const { threads, runs } = client;
  const history = threads.getHistory && ((threadId: string) => threads.getHistory?.(threadId, { limit: 1 }));
  const read = stateOf((threadId) => reached(threads.getState(threadId)), history);
  return {
    create: async () => createdId(await reached(threads.create())),
    run: ({ threadId, ...payload }, { signal, named }) =>
      runs.stream(threadId, assistantId, {
        ...payload,
        signal,
        onRunCreated: ({ run_id }: { run_id: string }) => named(run_id),
      } as never),
    // A server sends the run's own modes if none is named. Of several, Python's takes the last alone.
    join: ({ threadId, runId, lastEventId = "-1" }, { signal }) =>
      runs.joinStream(threadId, runId, { lastEventId, signal } as never),
    cancel: ({ threadId, runId }) => runs.cancel(threadId, runId),
    load: (threadId, { signal }) =>
      unlessUnknown(async () => threadOf(await reached(runs.list(threadId)), await read(threadId, signal))),
    state: (threadId, { signal }) => unlessUnknown(async () => threadOf([], await read(threadId, signal))),
    changedAt: async (threadId) => changedIn(await threads.search?.(changeOf(threadId) as never)),
    ...(threads.getHistory && {
      history: async (threadId, options) => checkpointsIn(await threads.getHistory?.(threadId, options)),
    }),
    ...(threads.updateState && {
      fork: (threadId, checkpointId) =>
        reached(threads.updateState?.(threadId, { values: null, checkpointId } as never) ?? Promise.resolve()),
    }),
    ...(threads.joinStream && {
      follow: (threadId, { signal }) =>
        threads.joinStream?.(threadId, { streamMode: "lifecycle", signal } as never) ?? [],
    }),
    ...(threads.search && {
      threads: async (query) =>
        threadsIn(await reached(threads.search?.(searchOf(query) as never) ?? Promise.resolve([]))),
    }),
    status: async ({ threadId, runId }) => statusIn(await runs.get?.(threadId, runId)),
  };
}

type Ask = (threadId: string, signal: AbortSignal) => PromiseLike<unknown> | undefined;

/**
 * Reads a thread's state. If its graph refuses the thread's input, such as the removal of an unknown message, reads the
 * last checkpoint before it. The next input replaces that one.
 */
const stateOf =
  (ask: Ask, before: Ask | undefined) =>
  async (threadId: string, signal: AbortSignal): Promise<unknown> => {
    try {
      return await ask(threadId, signal);
    } catch (error) {
      if (httpStatusOf(error) !== 400 || !before) throw error;
      const [last] = await Promise.resolve(before(threadId, signal)).then(listOf, () => []);
      if (last === undefined) throw error;
      return last;
    }
  };

/** Reads a list of checkpoints. */
const checkpointsIn = (told: unknown): readonly CheckpointMessages[] =>
  listOf(told).flatMap((state) => {
    const { values, metadata, checkpoint, parent_checkpoint: parent } = state as KeptState;
    const id = checkpoint?.checkpoint_id;
    return typeof id !== "string"
      ? []
      : {
          id,
          parent: parent?.checkpoint_id,
          isInput: metadata?.source === "input",
          messages: listOf(plainMessages(values?.messages)) as readonly object[],
        };
  });

interface KeptState {
  readonly values?: { readonly messages?: unknown } | null;
  readonly metadata?: { readonly source?: unknown } | null;
  readonly checkpoint?: { readonly checkpoint_id?: unknown } | null;
  readonly parent_checkpoint?: { readonly checkpoint_id?: string } | null;
}

function createdId(made: unknown): string {
  const id = ((made ?? {}) as { thread_id?: unknown }).thread_id;
  if (typeof id === "string" && id !== "") return id;
  throw new ThreadfoldError("BAD_RESPONSE", "The server made a thread without saying its thread_id.");
}

const statusIn = (told: unknown): string | undefined => ((told ?? {}) as { status?: string }).status;

/** The search for the time of a thread's last change, in some 100 bytes. */
const changeOf = (threadId: string) => ({ ids: [threadId], select: ["state_updated_at"] });

/** Reads that time: of the one thread that was searched for, by a server that knows it. */
function changedIn(found: unknown): string | undefined {
  const [thread, ...others] = listOf(found) as readonly ({ state_updated_at?: unknown } | null)[];
  const at = others.length === 0 ? thread?.state_updated_at : undefined;
  return typeof at === "string" ? at : undefined;
}

/** The search for a page of threads, without their values. */
const searchOf = ({ limit = 10, offset = 0 }: ThreadQuery) => ({
  limit,
  offset,
  sortBy: "updated_at",
  sortOrder: "desc",
  select: ["thread_id", "created_at", "updated_at", "status"],
});

const STATUSES: Readonly<Record<string, ListedThread["status"]>> = {
  idle: "ready",
  busy: "streaming",
  interrupted: "interrupted",
  error: "error",
};

/** Reads a list of threads. */
const threadsIn = (found: unknown): readonly ListedThread[] =>
  listed(Array.isArray(found) ? found.map(threadIn) : undefined);

function threadIn(found: unknown) {
  const { thread_id, created_at, updated_at, status } = (found ?? {}) as Readonly<Record<string, string | undefined>>;
  return {
    threadId: thread_id,
    status: STATUSES[status ?? ""] ?? "ready",
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

/** The server takes ten paths at most. */
const MAX_PATHS = 10;

/** The paths of fields in a thread's values; undefined if the server could not read them. */
function extractOf(names: readonly string[]): Record<string, string> | undefined {
  if (names.length > MAX_PATHS || names.some((name) => !/^[A-Za-z_]\w*$/.test(name))) return undefined;
  return Object.fromEntries(names.map((name) => [name, `values.${name}`]));
}

/** Reads the fields of the one thread that was searched for; undefined if the server knows no paths. */
function fieldsIn(found: unknown, names: readonly string[]): Record<string, unknown> | undefined {
  const [thread, ...others] = listOf(found) as readonly ({ extracted?: Record<string, unknown> } | null)[];
  const extracted = others.length === 0 ? thread?.extracted : undefined;
  if (!extracted || !names.every((name) => Object.hasOwn(extracted, name))) return undefined;
  const { messages, ...own } = extracted;
  return "messages" in extracted ? { ...own, messages: plainMessages(messages) ?? [] } : own;
}

const JSON_TYPE = { "content-type": "application/json" };

const snakeCased = (payload: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

/** The fields of a server's run and state that a runner reads. */
type Answered = { readonly digests?: Readonly<Record<string, unknown>> } | undefined;
type ListedRun = { readonly run_id: string; readonly status: string };
type ToldState = {
  readonly values?: unknown;
  readonly next?: unknown;
  readonly tasks?: readonly { readonly interrupts?: readonly object[]; readonly result?: unknown }[];
  readonly metadata?: { readonly step?: unknown } | null;
  readonly checkpoint?: { readonly checkpoint_id?: unknown } | null;
};

/** Returns the server's answer; undefined if the server does not know the thread or run. */
async function unlessUnknown<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (httpStatusOf(error) === 404) return undefined;
    throw error;
  }
}

const listOf = (told: unknown): readonly unknown[] => (Array.isArray(told) ? told : []);

/** Reads what a server answers for a thread. */
function threadOf(listed: unknown, told: unknown): LoadedThread {
  if (!areDicts(listed))
    throw new ThreadfoldError(
      "BAD_RESPONSE",
      "The server's answer is not a list of runs: is apiUrl the address of a LangGraph server?",
    );
  const runs = listed as readonly ListedRun[];
  const { values, next, tasks, metadata, checkpoint } = (areDicts([told]) ? told : {}) as ToldState;
  const isState = values === undefined || values === null || areDicts([values]);
  if (!areDicts([told]) || !isState || !areDicts(tasks ?? []))
    throw new ThreadfoldError(
      "BAD_RESPONSE",
      "The server's answer is not the state of a thread: is apiUrl the address of a LangGraph server?",
    );
  const interrupts = (tasks ?? []).flatMap(({ interrupts }) => interrupts ?? []);
  const { __interrupt__: _, ...own } = (values ?? {}) as Record<string, unknown>;
  const messages = plainMessages(own["messages"]);
  // The latest come first; enqueued runs follow in their order.
  const run =
    runs.find(({ status }) => status === "running") ?? runs.filter(({ status }) => status === "pending").at(-1);
  return {
    values: messages === own["messages"] ? own : { ...own, messages },
    interrupts: interrupts.map((asked) => ({ ...asked, namespace: [] })),
    runId: run?.run_id,
    isDone: listOf(next).length === 0,
    position: {
      ...(typeof metadata?.step === "number" && { step: metadata.step }),
      ...(typeof checkpoint?.checkpoint_id === "string" && { checkpointId: checkpoint.checkpoint_id }),
      isLeft: (tasks ?? []).some(({ result }) => result !== undefined && result !== null),
    },
  };
}

const areDicts = (list: unknown): boolean => Array.isArray(list) && list.every(isDict);
