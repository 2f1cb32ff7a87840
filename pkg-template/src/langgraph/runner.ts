import { ThreadfoldError } from "../shared/errors.js";
import type { Thread } from "../thread/thread.js";
import { LeftOff, Wait } from "../shared/abort.js";
import { foldRun, type FoldRunOptions } from "./fold-run.js";
import type { RunInterrupt } from "./interrupt.js";
import { plainMessages } from "./message-form.js";
import type { WithLangChainMessages } from "../state/message-types.js";
import type { RunStream } from "./parts.js";
import type { ThreadState, ThreadUpdate } from "../thread/thread-types.js";
import { asKept, goesBack } from "./behind.js";
import { checkRunnerOptions } from "../runner/check-options.js";
import { jsonOf, reached, request } from "../stream/http.js";
import { inputOf } from "./input.js";
import type { Answer, RunNews, RunProtocol } from "../runner/protocol.js";
import { Runner } from "../runner/runner.js";
import type { ServerThread } from "../runner/load.js";
import { lostMessages } from "./lost.js";
import { idsOf, messagesIn } from "../runner/said.js";
import { questionIn, text } from "../runner/question.js";
import type { HttpOptions, RunnerInterrupt, RunnerOptions, RunResult } from "../runner/runner-types.js";
import { tell } from "../shared/tell.js";

/** How a {@link LangGraphRunner} reaches its server (by `apiUrl` or `client`), and the options of each run. */
export interface LangGraphRunnerOptions extends RunnerOptions, HttpOptions {
  /** The server's address, such as `http://localhost:2024`. */
  apiUrl?: string | URL | undefined;
  /** A `Client` of `@langchain/langgraph-sdk` in place of `apiUrl`, `headers` and `fetch`. */
  client?: LangGraphClient | undefined;
  /** The assistant's id, or the graph's name. */
  assistantId: string;
  /** A function is called before each run. */
  config?: object | (() => object) | undefined;
  /** The run's static context. A function is called before each run. */
  context?: object | (() => object) | undefined;
  /** Default `["values", "messages-tuple", "custom"]`. Keep `values`: it confirms messages. */
  streamMode?: readonly string[] | undefined;
  /** Whether to stream the events of subgraphs, too. */
  streamSubgraphs?: boolean | undefined;
  /** What the server does with a run while another of the thread is running. Default: the server's. */
  multitaskStrategy?: "reject" | "interrupt" | "rollback" | "enqueue" | undefined;
  /**
   * Called with the id of a thread that the server created because yours had none. Store it to return to the thread.
   */
  onThreadId?: ((threadId: string) => void) | undefined;
  /** Called with what nodes send by `get_stream_writer()`. */
  onCustom?: FoldRunOptions["onCustom"];
  /** Called with each interrupt as it arrives. */
  onInterrupt?: FoldRunOptions["onInterrupt"];
}

/** The parts of a `@langchain/langgraph-sdk` client that are used. */
export interface LangGraphClient {
  readonly threads: {
    create(): Promise<{ thread_id: string }>;
    getState(threadId: string): Promise<{ values: unknown }>;
    getHistory?(threadId: string, options: { limit: number }): Promise<readonly { values: unknown }[]>;
  };
  readonly runs: {
    stream(threadId: string, assistantId: string, payload: never): AsyncIterable<object>;
    joinStream(threadId: string, runId: string, options: never): AsyncIterable<object>;
    cancel(threadId: string, runId: string): Promise<unknown>;
    get?(threadId: string, runId: string): Promise<{ status: string }>;
    list(threadId: string): Promise<readonly { run_id: string; status: string }[]>;
  };
}

/**
 * Runs a LangGraph assistant for a thread: creates the thread on the server, sends messages, folds the stream, queues,
 * stops, retries, answers interrupts, and rejoins runs.
 *
 * Runs are resumable and go on when the user leaves the page: the runner rejoins a broken connection after the last
 * part received, and {@link Runner.rejoin} does the same after a reload.
 *
 * @example
 * ```ts
 * import { Thread } from "threadfold";
 * import { LangGraphRunner } from "threadfold/langgraph";
 *
 * const thread = new Thread();
 * const runner = new LangGraphRunner(thread, {
 *   apiUrl: "http://localhost:2024",
 *   assistantId: "agent",
 *   onThreadId: (id) => history.replaceState(null, "", `?thread=${id}`),
 * });
 * let end = await runner.sendMessage("Mail Ada that I am late");
 * if (end.status === "interrupted") end = await runner.resume({ value: true });
 * if (end.status === "failed") console.warn(end.error?.message);
 * ```
 */
export class LangGraphRunner<
  S extends WithLangChainMessages = ThreadState,
  U extends object = ThreadUpdate<S>,
> extends Runner<S, U> {
  /**
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but a thread, for an unknown option, without an
   *   `assistantId`, and unless either `apiUrl` or `client` is given.
   */
  constructor(thread: Thread<S, U>, options: LangGraphRunnerOptions) {
    super(thread, new LangGraphProtocol(thread as unknown as Thread, options), options);
  }

  /**
   * Opens the thread that `thread.threadId` names: folds the server's state with the last run's interrupts, and joins a
   * run under way there. Resolves when no run is under way any more, as {@link Runner.rejoin} does; at once if the
   * server does not know the thread, or the thread has no id. Pending updates stay, and queued messages are sent then.
   * A thread whose own connection broke only rejoins its run.
   *
   * When the server refuses or cannot be reached, resolves with `failed`; {@link Runner.status} and {@link Runner.error}
   * say so until the next run or `load()`, and {@link Runner.retry} loads again.
   *
   * @throws {@link ThreadfoldError} `BUSY` while a run is folded into the thread by other code; `DISPOSED`.
   *
   * @example
   * ```ts
   * import { Thread } from "threadfold";
   * import { LangGraphRunner } from "threadfold/langgraph";
   *
   * // In a page: only apiUrl. Here a server that knows one thread.
   * const server: typeof fetch = async (url) =>
   *   Response.json(
   *     String(url).endsWith("/state")
   *       ? { values: { messages: [{ type: "human", id: "q", content: "Hi" }] }, tasks: [] }
   *       : [],
   *   );
   * const thread = new Thread({ threadId: "t1" });
   * const runner = new LangGraphRunner(thread, { apiUrl: "http://localhost:2024", assistantId: "agent", fetch: server });
   * await runner.load();
   * console.log(thread.getState().messages[0]?.content, runner.status); // Hi ready
   * ```
   */
  async load(): Promise<RunResult> {
    return this.loadFrom();
  }
}

/** A request for a run, in the SDK's form; the REST API spells the same options differently. */
type RunPayload = Record<string, unknown>;
type Values = Record<string, unknown>;

const OWN_OPTIONS = {
  apiUrl: true,
  client: true,
  assistantId: true,
  config: true,
  context: true,
  streamMode: true,
  streamSubgraphs: true,
  multitaskStrategy: true,
  onThreadId: true,
  onCustom: true,
  onInterrupt: true,
} as const;

class LangGraphProtocol implements RunProtocol {
  readonly canJoin = true;
  /** The checkpoint keeps them: given again, they would answer what the graph asks next. */
  readonly answersAgain = false;
  readonly #thread: Thread;
  readonly #options: LangGraphRunnerOptions;
  /** The server's id of the requested run, once it is known. */
  #created: Promise<string | undefined> | undefined;
  #connection = new AbortController();

  constructor(thread: Thread, options: LangGraphRunnerOptions) {
    this.#thread = thread;
    this.#options = options;
    checkRunnerOptions<LangGraphRunnerOptions>("new LangGraphRunner", options, OWN_OPTIONS);
    const { apiUrl, client, assistantId } = options ?? {};
    if ((apiUrl === undefined) === (client === undefined) || typeof assistantId !== "string")
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        "A LangGraphRunner takes an assistantId, and either apiUrl or client.",
      );
  }

  messages(given: unknown): unknown {
    return typeof given === "string" ? { type: "human", content: given } : given;
  }

  request(
    updates: readonly object[],
    answers?: readonly Answer[],
    hasFailed = false,
  ): (signal: AbortSignal) => Promise<RunNews> {
    const { config, context, streamMode = ["values", "messages-tuple", "custom"] } = this.#options;
    const { streamSubgraphs, multitaskStrategy } = this.#options;
    const payload: RunPayload = {
      ...(answers ? { command: { resume: resumeOf(answers) } } : { input: inputOf(updates, this.#thread.schema) }),
      config: asked(config),
      context: asked(context),
      streamMode,
      streamSubgraphs,
      streamResumable: true,
      onDisconnect: "continue",
      multitaskStrategy,
      ifNotExists: "create",
    };
    const whole = async (signal: AbortSignal) => {
      const isEdit = !answers && updates.some((update) => goesBack(this.#thread, update));
      if (isEdit || hasFailed) payload["input"] = await this.#inputFor(updates, isEdit, hasFailed, signal);
      return payload;
    };
    return async (signal) => {
      await this.#fold(this.#begin(whole, signal), signal, false);
      const { messages = [] } = this.#thread.getConfirmedState() as {
        messages?: readonly { readonly tool_calls?: unknown[] }[];
      };
      // A run that was stopped among its tools ends like one that is done, but for the calls.
      const isDone = this.#thread.run.status !== "idle" || !messages.at(-1)?.tool_calls?.length;
      return isDone ? {} : this.#endOf(signal);
    };
  }

  check(answers: readonly Answer[]): void {
    resumeOf(answers);
  }

  /** The input of these updates, by what the server has. */
  async #inputFor(
    updates: readonly object[],
    isEdit: boolean,
    hasFailed: boolean,
    signal: AbortSignal,
  ): Promise<Values | null> {
    const thread = this.#thread;
    let values: object | undefined;
    try {
      values = await this.#kept(signal);
    } catch (error) {
      signal.throwIfAborted();
      // Removals of what the server does not have would break its thread; all else the run's own request complains of.
      if (isEdit) throw error;
    }
    signal.throwIfAborted();
    if (!values) return inputOf(updates, thread.schema);
    const about = new Set(updates.flatMap(idsOf));
    const lost = (hasFailed ? lostMessages(thread, values) : []).filter(({ id }) => !about.has(id));
    const own = updates.map((update) => asKept(thread, update, messagesIn(values)));
    return inputOf(lost.length > 0 ? [{ messages: lost }, ...own] : own, thread.schema);
  }

  async join(signal: AbortSignal): Promise<RunNews> {
    const { client, streamMode } = this.#options;
    const thread = this.#thread;
    const { threadId = "", run } = thread;
    const { id = "", lastEventId = "-1" } = run;
    const abort = this.#connect(signal);
    const options = { lastEventId, streamMode, signal: abort };
    const stream = client
      ? client.runs.joinStream(threadId, id, options as never)
      : this.#get(`runs/${segment(id)}/stream`, abort, { "last-event-id": lastEventId });
    try {
      await this.#fold(stream as RunStream | Promise<RunStream>, signal, true);
    } catch (error) {
      if (statusOf(error) !== 404 || !(await this.#takeState(signal, true))) throw error;
    }
    return this.#endOf(signal);
  }

  /**
   * Asks how the run ended whose stream ended without a question: it may have been stopped, by another page say. The stream
   * of one that is done may be gone; then the thread's state has what it came to.
   */
  async #endOf(signal: AbortSignal): Promise<RunNews> {
    const { client } = this.#options;
    const { threadId = "", run } = this.#thread;
    const { id, status } = run;
    if (id === undefined || (status !== "idle" && status !== "disconnected")) return {};
    try {
      const told = client ? await client.runs.get?.(threadId, id) : await this.#json(`runs/${segment(id)}`, signal);
      const { status: end } = (told ?? {}) as { status?: unknown };
      if (end === "success" && status === "disconnected") await this.#takeState(signal, false);
      if (end !== "interrupted") return {};
    } catch {
      return {};
    }
    if (this.#thread.run.status === "disconnected") this.#thread.receive({ type: "run-finished", stopped: true });
    return { stopped: true };
  }

  /**
   * Takes what a run has come to from the thread's state, and ends it. Of a run that `isForgotten`, as by a server that has
   * started anew, the state has to say that it came to its end. Returns whether it has ended.
   */
  async #takeState(signal: AbortSignal, isForgotten: boolean): Promise<boolean> {
    const thread = this.#thread;
    const found = await this.load(signal);
    if (!found || found.runId !== undefined || signal.aborted) return false;
    if (isForgotten && !showsEnd(thread, found)) return false;
    const { values, interrupts } = found;
    thread.receive({ type: "values", values, partial: interrupts.length > 0 });
    thread.receive({ type: "run-finished", interrupts });
    return true;
  }

  async cancel(signal: AbortSignal): Promise<void> {
    const { apiUrl, client } = this.#options;
    const { threadId = "", run } = this.#thread;
    const connection = this.#connection;
    signal.addEventListener("abort", () => connection.abort());
    const id = run.id ?? (await this.#created);
    try {
      if (id === undefined) return;
      if (client) await client.runs.cancel(threadId, id);
      else
        await request(
          this.#options,
          `${base(apiUrl)}/threads/${segment(threadId)}/runs/${segment(id)}/cancel`,
          {},
          { method: "POST", signal },
        );
    } finally {
      connection.abort();
    }
  }

  /** The signal of a request. The user's stop does not abort it, because the server must learn which run to stop. */
  #connect(signal: AbortSignal): AbortSignal {
    const connection = (this.#connection = new AbortController());
    signal.addEventListener("abort", () => {
      if (signal.reason instanceof LeftOff) connection.abort(signal.reason);
    });
    return connection.signal;
  }

  interrupt(raw: unknown): RunnerInterrupt {
    const { id, value } = raw as RunInterrupt;
    const { tool_call_id: toolCallId } = (value ?? {}) as { tool_call_id?: unknown };
    return { id, value, message: questionIn(value), toolCallId: text(toolCallId), raw };
  }

  /** Fetches the server's state of the thread; `undefined` if it does not know the thread. */
  async load(signal: AbortSignal): Promise<ServerThread | undefined> {
    const { client } = this.#options;
    const { threadId } = this.#thread;
    if (threadId === undefined) return undefined;
    return unlessUnknown(async () => {
      // Fetch the runs first: the state includes any that end later.
      const runs = await (client
        ? reached(client.runs.list(threadId))
        : this.#json("runs?limit=10&select=run_id&select=status", signal));
      return serverThread(runs, await this.#state(threadId, signal));
    });
  }

  /** Fetches the messages that the server has; none if it does not know the thread. */
  async #kept(signal: AbortSignal): Promise<object> {
    const { threadId } = this.#thread;
    if (threadId === undefined) return {};
    const found = await unlessUnknown(async () => serverThread([], await this.#state(threadId, signal)));
    return found?.values ?? {};
  }

  async #state(threadId: string, signal: AbortSignal): Promise<unknown> {
    const { client } = this.#options;
    try {
      return await (client ? reached(client.threads.getState(threadId)) : this.#json("state", signal));
    } catch (error) {
      if (statusOf(error) !== 400 || (client && !client.threads.getHistory)) throw error;
      // The thread has an input that its graph refuses, such as the removal of an unknown message. The last checkpoint,
      // from before it, can be read, and the next input takes its place.
      const before = client?.threads.getHistory?.(threadId, { limit: 1 }) ?? this.#json("history?limit=1", signal);
      const [last] = await before.then(listOf, () => []);
      if (last === undefined) throw error;
      return last;
    }
  }

  /** Asks about the thread. */
  #get(path: string, signal: AbortSignal, headers: Record<string, string> = {}): Promise<Response> {
    const thread = `${base(this.#options.apiUrl)}/threads/${segment(this.#thread.threadId)}`;
    return request(this.#options, `${thread}/${path}`, headers, { signal });
  }

  async #json(path: string, signal: AbortSignal): Promise<unknown> {
    return jsonOf(await this.#get(path, signal));
  }

  async #fold(stream: RunStream | Promise<RunStream>, signal: AbortSignal, join: boolean): Promise<RunNews> {
    const { onCustom, onInterrupt, streamMode } = this.#options;
    await foldRun(this.#thread, stream, {
      signal,
      join,
      endsWithValues: streamMode?.includes("values") ?? true,
      onCustom: (data, from) => tell(onCustom, data, from),
      onInterrupt: (interrupt) => tell(onInterrupt, interrupt),
    });
    return {};
  }

  /** Creates the thread, if the server has none, and the run. A stop waits for the run's id. */
  async #begin(whole: (signal: AbortSignal) => Promise<RunPayload>, signal: AbortSignal): Promise<RunStream> {
    const { apiUrl, client, assistantId, onThreadId } = this.#options;
    const thread = this.#thread;
    let created: (id?: string) => void = () => {};
    this.#created = new Promise((resolve) => (created = resolve));
    const named = (runId: string | undefined) => {
      created(runId);
      const { status, id } = thread.run;
      // From here on the run is known by its id, even if the connection breaks.
      if (runId !== undefined && status === "running" && id === undefined)
        thread.receive({ type: "run-started", runId });
    };
    const abort = this.#connect(signal);
    const post = (path: string, body: object) =>
      request(this.#options, base(apiUrl) + path, JSON_TYPE, {
        method: "POST",
        body: JSON.stringify(body),
        signal: abort,
      });
    try {
      const payload = await unlessAborted(whole(signal), signal);
      if (thread.threadId === undefined) {
        const made = client ? await reached(client.threads.create()) : await jsonOf(await post("/threads", {}));
        const id = ((made ?? {}) as { thread_id?: unknown }).thread_id;
        if (typeof id !== "string" || id === "")
          throw new ThreadfoldError("BAD_RESPONSE", "The server made a thread without saying its thread_id.");
        thread.threadId = id;
        tell(onThreadId, thread.threadId);
      }
      // Of a run that was not asked for yet there is nothing to stop.
      if (signal.aborted && !(signal.reason instanceof LeftOff)) throw signal.reason;
      const { threadId } = thread;
      if (client) {
        const options = { ...payload, signal: abort, onRunCreated: ({ run_id }: { run_id: string }) => named(run_id) };
        return started(client.runs.stream(threadId, assistantId, options as never), () => created());
      }
      const response = await post(`/threads/${segment(threadId)}/runs/stream`, snakeCased({ assistantId, ...payload }));
      named(/runs\/([^/?]+)/.exec(response.headers.get("content-location") ?? "")?.[1]);
      return response;
    } catch (error) {
      created();
      throw error;
    }
  }
}

/** Whether a state shows the end of the thread's run: it has all that the run took along, and nothing is left to do but answer. */
function showsEnd(thread: Thread, { values, interrupts, isDone }: ServerThread): boolean {
  if (!isDone && interrupts.length === 0) return false;
  const has = new Set<unknown>(messagesIn(values).map(({ id }) => id));
  const sent = thread.pending.filter(({ status }) => status === "sent").flatMap(({ update }) => idsOf(update));
  return sent.every((id) => has.has(id)) && lostMessages(thread, values).length === 0;
}

/** An id as a part of a path: a page may take a thread's from its own address. */
function segment(id = ""): string {
  if (id === "." || id === "..") throw new ThreadfoldError("INVALID_ARGUMENT", `'${id}' is no id of a thread.`);
  return encodeURIComponent(id);
}

const JSON_TYPE = { "content-type": "application/json" };

const base = (url: string | URL | undefined) => String(url).replace(/\/$/, "");
const asked = <T>(value: T | (() => T)): T => (typeof value === "function" ? (value as () => T)() : value);

const snakeCased = (payload: RunPayload): RunPayload =>
  Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

/** Returns the stream after sending its request; reports when the response arrives. */
function started(stream: AsyncIterable<object>, answered: () => void): AsyncIterable<object> {
  const iterator = stream[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<object>> | undefined = reached(iterator.next());
  first.then(answered, answered);
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        const part = first ?? iterator.next();
        first = undefined;
        return part;
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}

/** Returns the value for `interrupt()` by the interrupts' ids; for one without an id the answer itself. */
function resumeOf(answers: readonly Answer[]): unknown {
  if (answers.some(({ cancelled }) => cancelled))
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "LangGraph interrupts can be answered, or dismissed by stop(), but not cancelled.",
    );
  const [only] = answers;
  // An answer without the id would be taken for that of the next question, too, if the run fails between the two.
  if (answers.length === 1 && !isServersId(only?.interrupt.id)) return only?.value ?? null;
  if (answers.some(({ interrupt }) => interrupt.id === undefined))
    throw new ThreadfoldError("INVALID_ARGUMENT", "Several interrupts can be answered only if they have ids.");
  // Without a value JSON would leave the answer out.
  return Object.fromEntries(answers.map(({ interrupt, value }) => [interrupt.id, value ?? null]));
}

/** LangGraph takes only ids of this form for ids, and all else for the answer itself. */
const isServersId = (id: string | undefined) => id !== undefined && /^[0-9a-f]{32}$/.test(id);

/** The fields of a server's run and state that a runner reads. */
type ListedRun = { readonly run_id: string; readonly status: string };
type ToldState = {
  readonly values?: unknown;
  readonly next?: unknown;
  readonly tasks?: readonly { readonly interrupts?: readonly object[] }[];
};

/** Waits for what a client answers, which may not know of the signal. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const wait = new Wait(signal);
  try {
    return await wait.for(answer);
  } finally {
    wait.end();
  }
}

/** Returns what the server answers; undefined if it does not know what it is asked for. */
async function unlessUnknown<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

const statusOf = (error: unknown): unknown => ((error ?? {}) as { status?: unknown }).status;

const listOf = (told: unknown): readonly unknown[] => (Array.isArray(told) ? told : []);

function serverThread(listed: unknown, told: unknown): ServerThread {
  if (!areObjects(listed)) throw new ThreadfoldError("BAD_RESPONSE", "The server answered no list of runs.");
  const runs = listed as readonly ListedRun[];
  const { values, next, tasks } = (areObjects([told]) ? told : {}) as ToldState;
  const isState = values === undefined || values === null || areObjects([values]);
  if (!areObjects([told]) || !isState || !areObjects(tasks ?? []))
    throw new ThreadfoldError("BAD_RESPONSE", "The server answered no state of a thread.");
  const interrupts = (tasks ?? []).flatMap(({ interrupts }) => interrupts ?? []);
  const { __interrupt__: _, ...own } = (values ?? {}) as Values;
  const messages = plainMessages(own["messages"]);
  // The latest come first; enqueued runs follow in their order.
  const run =
    runs.find(({ status }) => status === "running") ?? runs.filter(({ status }) => status === "pending").at(-1);
  return {
    values: messages === own["messages"] ? own : { ...own, messages },
    interrupts: interrupts.map((asked) => ({ ...asked, namespace: [] })),
    runId: run?.run_id,
    isDone: listOf(next).length === 0,
  };
}

const areObjects = (list: unknown): boolean =>
  Array.isArray(list) && list.every((item) => typeof item === "object" && item !== null && !Array.isArray(item));
