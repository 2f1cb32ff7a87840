import type { Thread } from "../thread/thread.js";
import { LeftOff, Wait } from "../shared/abort.js";
import { foldRun } from "./fold-langgraph.js";
import type { RunStream } from "./parts.js";
import { asKept, goesBack } from "./behind.js";
import { checkRunnerOptions } from "../runner/options.js";
import { choice } from "../shared/choices.js";
import { arrives } from "../stream/connection.js";
import { httpStatusOf, pause, reached } from "../stream/http.js";
import { refusal } from "../stream/response.js";
import { newId } from "../shared/new-id.js";
import type { LoadedThread, RunRef } from "../runner/transport.js";
import type { LangGraphTransport } from "./transport.js";
import { inputOf } from "./input.js";
import type { Answer, RunNews, RunProtocol } from "../runner/protocol.js";
import type { ServerThread } from "../runner/load.js";
import { lackingMessages, lostMessages } from "../runner/lost-messages.js";
import { BranchSwitch } from "../runner/branch-switch.js";
import { startsOver } from "../runner/watched-thread.js";
import { idsOf, messagesIn } from "../runner/messages-in.js";
import { withTabs } from "../runner/with-tabs.js";
import { isConnected } from "../thread/run-status.js";
import { interruptOf } from "./interrupt.js";
import { tell } from "../shared/tell.js";
import { resumeOf } from "./resume.js";
import { doubtAll } from "./doubt-all.js";
import { settle } from "./settle.js";
import { isQuiet, type LangGraphRunnerOptions, modesOf, OWN_OPTIONS, transportOf } from "./runner-options.js";

/** A request for a run, in the SDK's form; the REST API spells the same options differently. */
type RunPayload = Record<string, unknown>;
type Values = Record<string, unknown>;

/** LangGraph's own part of a runner: requests for runs, the server's states, and answers. */
export class LangGraphProtocol implements RunProtocol {
  readonly canJoin: boolean;
  /** The checkpoint keeps them: sent again, they would answer the graph's next interrupt. */
  readonly resendsAnswers = false;
  readonly #thread: Thread;
  readonly #options: LangGraphRunnerOptions;
  readonly #transport: LangGraphTransport;
  /** The server's id of the requested run, once it is known. */
  #created: Promise<string | undefined> | undefined;
  #connection = new AbortController();
  readonly #branch: BranchSwitch;
  /** How many runs have ended well whose server makes digests. */
  #proven = 0;
  /** When the server's state changed last, after a run whose server numbers nothing. */
  #changedAt: string | undefined;
  /** Whether it is not known that the thread was as the server's when the run began. */
  #mayDiffer = false;
  /** The stream that was read last: resolves when it is no longer read. */
  #reading: Promise<unknown> | undefined;
  /** The run in whose middle the state was loaded. */
  #loadedIn: string | undefined;
  /** The outcome of the run that was folded last, if the server was asked. */
  #status: string | undefined;

  constructor(thread: Thread, options: LangGraphRunnerOptions) {
    this.#thread = thread;
    this.#options = options;
    checkRunnerOptions<LangGraphRunnerOptions>("new LangGraphRunner", options, OWN_OPTIONS);
    choice(options, "wire", ["quiet", "values"]);
    const transport = transportOf(options ?? {});
    this.#transport = withTabs(transport, options, `langgraph:${options.apiUrl}:${options.assistantId}`);
    this.canJoin = this.#transport.join !== undefined;
    if (this.#transport.load) this.load = (signal) => this.#load(signal);
    this.threads = this.#transport.threads;
    const { steer } = this.#transport;
    this.steer = steer && ((messages, signal) => steer(this.#run, messages, { signal }));
    const { history, fork } = this.#transport;
    if (history)
      this.history = async (limit) => (thread.threadId === undefined ? [] : history(thread.threadId, { limit }));
    this.#branch = new BranchSwitch(fork);
    if (fork && this.load) this.branch = this.#branch;
    this.follow = startsOver(this.#transport, ({ event, data }) => {
      const { run_id: runId, status } = (data ?? {}) as { run_id?: unknown; status?: unknown };
      return event === "metadata" && status === undefined ? runId : undefined;
    });
  }

  messages(given: unknown): unknown {
    return typeof given === "string" ? { type: "human", content: given } : given;
  }

  request(
    updates: readonly object[],
    answers?: readonly Answer[],
    mayLack = false,
  ): (signal: AbortSignal) => Promise<RunNews> {
    this.#branch.forget();
    const { config, context } = this.#options;
    const streamMode = modesOf(this.#options);
    const { subgraphs: streamSubgraphs, multitaskStrategy } = this.#options;
    const payload: RunPayload = {
      ...(answers ? { command: { resume: resumeOf(answers) } } : { input: inputOf(updates, this.#thread.schema) }),
      config: asked(config),
      context: asked(context),
      streamMode,
      ...(isQuiet(this.#options) && { streamSteps: true }),
      streamSubgraphs,
      streamResumable: true,
      onDisconnect: "continue",
      multitaskStrategy,
      ifNotExists: "create",
    };
    const whole = async (signal: AbortSignal) => {
      const isEdit = !answers && updates.some((update) => goesBack(this.#thread, update));
      if (isEdit || mayLack) payload["input"] = await this.#inputFor(updates, isEdit, mayLack, signal);
      return payload;
    };
    return async (signal) => {
      const source = this.#begin(whole, signal);
      if (this.#options.whileOffline === "wait") await arrives(source, signal);
      await this.#fold(source, signal, false);
      const { messages = [] } = this.#thread.getConfirmedState() as {
        messages?: readonly { readonly tool_calls?: unknown[] }[];
      };
      // A run that was stopped among its tools ends like one that is done, but for the calls.
      const isDone = this.#thread.run.status !== "ready" || !messages.at(-1)?.tool_calls?.length;
      return isDone ? {} : this.#endOf(signal);
    };
  }

  check(answers: readonly Answer[]): void {
    resumeOf(answers);
  }

  /** The input of these updates, adapted to the server's messages. */
  async #inputFor(
    updates: readonly object[],
    isEdit: boolean,
    mayLack: boolean,
    signal: AbortSignal,
  ): Promise<Values | null> {
    const thread = this.#thread;
    let values: object | undefined;
    try {
      values = await this.#kept(signal);
    } catch (error) {
      signal.throwIfAborted();
      // Removals of messages that the server lacks would break its thread. The run's own request reports all other
      // errors.
      if (isEdit) throw error;
    }
    signal.throwIfAborted();
    if (!values) return inputOf(updates, thread.schema);
    const about = new Set(updates.flatMap(idsOf));
    const lost = (mayLack ? lostMessages(thread, values) : []).filter(({ id }) => !about.has(id));
    const own = updates.map((update) => asKept(thread, update, messagesIn(values)));
    return inputOf(lost.length > 0 ? [{ messages: lost }, ...own] : own, thread.schema);
  }

  async join(signal: AbortSignal): Promise<RunNews> {
    const call = { signal: this.#connect(signal), streamMode: modesOf(this.#options) };
    try {
      await this.#fold((async () => this.#transport.join?.(this.#run, call) ?? [])(), signal, true);
    } catch (error) {
      if (httpStatusOf(error) !== 404 || !(await this.#takeState(signal, true))) throw error;
    }
    return this.#endOf(signal);
  }

  /**
   * Asks how the run ended whose stream ended without a question: it may have been stopped, by another page say. The
   * stream of one that is done may be gone; then the thread's state has what it came to.
   */
  async #endOf(signal: AbortSignal): Promise<RunNews> {
    const { id, status } = this.#thread.run;
    if (id === undefined || (status !== "ready" && status !== "disconnected")) return {};
    try {
      const end = this.#status ?? (await this.#transport.status?.(this.#run, { signal }));
      if (end === "success" && status === "disconnected") await this.#takeState(signal, false);
      if (end !== "interrupted") return {};
    } catch {
      return {};
    }
    if (this.#thread.run.status === "disconnected") this.#thread.receive({ type: "run-finished", stopped: true });
    return { stopped: true };
  }

  /**
   * Reads a run's outcome from the thread's state, and ends the run. If the run `isForgotten`, such as by a restarted
   * server, the state must show that it finished. Returns whether it has ended.
   */
  async #takeState(signal: AbortSignal, isForgotten: boolean): Promise<boolean> {
    const thread = this.#thread;
    const found = await this.#load(signal);
    if (!found || found.runId !== undefined || signal.aborted) return false;
    if (isForgotten && !showsEnd(thread, found)) return false;
    const { values, interrupts } = found;
    thread.receive({ type: "values", values, partial: interrupts.length > 0 });
    if (found.position) thread.receive({ type: "step", ...found.position });
    thread.receive({ type: "run-finished", interrupts });
    return true;
  }

  /** A stream of updates ends as one that is cut: asks whether the run has. */
  async #isOver(signal: AbortSignal): Promise<boolean> {
    try {
      this.#status = await this.#transport.status?.(this.#run, { signal });
    } catch {
      signal.throwIfAborted();
    }
    return this.#status === undefined || ["success", "interrupted"].includes(this.#status);
  }

  /** Asks for the fields in doubt. If the server does not answer, they stay in doubt. */
  async #settle(isWell: boolean, hasDigests: boolean, signal: AbortSignal): Promise<void> {
    const transport = hasDigests ? this.#transport : { ...this.#transport, digests: undefined };
    // A server that marks its parts says where a run begins.
    if (!hasDigests && this.#mayDiffer) doubtAll(this.#thread, "gap");
    if (!hasDigests) this.#changedAt = await this.#askChange(signal);
    try {
      const compares = hasDigests && isWell && isPowerOfTwo(++this.#proven);
      await settle(this.#thread, transport, { isWell, compares }, signal);
    } catch {
      signal.throwIfAborted();
    }
  }

  /** Notes before a run whether somebody else may have changed the thread since the last one. */
  async #compare(signal: AbortSignal): Promise<void> {
    const { threadId, position } = this.#thread;
    const before = this.#changedAt;
    this.#changedAt = undefined;
    this.#mayDiffer = threadId !== undefined && position === undefined;
    if (before !== undefined) this.#mayDiffer ||= (await this.#askChange(signal)) !== before;
  }

  async #askChange(signal: AbortSignal): Promise<string | undefined> {
    const { threadId } = this.#thread;
    try {
      return threadId === undefined ? undefined : await this.#transport.changedAt?.(threadId, { signal });
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  async cancel(signal: AbortSignal): Promise<void> {
    const { cancel } = this.#transport;
    const connection = this.#connection;
    signal.addEventListener("abort", () => connection.abort());
    const ref = this.#run;
    const runId = ref.runId || (await this.#created);
    try {
      const answer = runId ? await cancel?.({ ...ref, runId }, { signal }) : undefined;
      if (answer instanceof Response && !answer.ok) throw await refusal(answer);
    } finally {
      connection.abort();
    }
    if (runId && isQuiet(this.#options)) await this.#settleStopped({ ...ref, runId }, signal);
  }

  /** Asks for the state that a stopped run left, once the server has stopped it. Otherwise the fields stay in doubt. */
  async #settleStopped(run: RunRef, signal: AbortSignal): Promise<void> {
    await this.#reading;
    try {
      for (const delay of STOPS_AFTER) {
        if (this.#thread.doubts.length === 0) return;
        await pause(delay, signal);
        const status = await this.#transport.status?.(run, { signal });
        if (status === "running" || status === "pending") continue;
        return await settle(this.#thread, this.#transport, { isWell: false, isStopped: true, compares: false }, signal);
      }
    } catch {
      // The next run asks.
    }
  }

  get #run(): RunRef {
    const { run, threadId = "" } = this.#thread;
    return { threadId, runId: run.id ?? "", lastEventId: run.lastEventId };
  }

  /** The signal of a request. The user's stop does not abort it, because the server must learn which run to stop. */
  #connect(signal: AbortSignal): AbortSignal {
    const connection = (this.#connection = new AbortController());
    signal.addEventListener("abort", () => {
      if (signal.reason instanceof LeftOff) connection.abort(signal.reason);
    });
    return connection.signal;
  }

  readonly interrupt = interruptOf;

  readonly load: RunProtocol["load"];
  readonly threads: RunProtocol["threads"];
  readonly steer: RunProtocol["steer"];
  readonly history: RunProtocol["history"];
  readonly branch: RunProtocol["branch"];
  readonly follow: RunProtocol["follow"];

  /** Fetches the server's state of the thread; `undefined` if it does not know the thread. */
  async #load(signal: AbortSignal): Promise<ServerThread | undefined> {
    const { threadId } = this.#thread;
    if (threadId === undefined) return undefined;
    this.#changedAt = undefined;
    await this.#branch.make(threadId, signal);
    const found = serverThread(await this.#transport.load?.(threadId, { signal }));
    this.#branch.forget();
    this.#loadedIn = found?.runId;
    return found;
  }

  /** Fetches the messages that the server has; none if it does not know the thread. */
  async #kept(signal: AbortSignal): Promise<object> {
    const { threadId } = this.#thread;
    const { state, load } = this.#transport;
    const found = threadId === undefined ? undefined : await (state ?? load)?.(threadId, { signal });
    return found?.values ?? {};
  }

  async #fold(stream: RunStream | Promise<RunStream>, signal: AbortSignal, join: boolean): Promise<RunNews> {
    const { onEvent } = this.#options;
    this.#status = undefined;
    const reading = foldRun(this.#thread, stream, {
      signal,
      join,
      isLoaded: join && this.#loadedIn === this.#run.runId && this.#run.lastEventId === undefined,
      endsWith: endOf(modesOf(this.#options)),
      isOver: () => this.#isOver(signal),
      settle: (endedWell, hasDigests) => this.#settle(endedWell, hasDigests, signal),
      onEvent: (part) => tell(onEvent, part),
    });
    this.#reading = reading.catch(() => {});
    await reading;
    return {};
  }

  /** Creates the thread, if the server has none, and the run. A stop waits for the run's id. */
  async #begin(whole: (signal: AbortSignal) => Promise<RunPayload>, signal: AbortSignal): Promise<RunStream> {
    const { onThreadId } = this.#options;
    const thread = this.#thread;
    let created: (id?: string) => void = () => {};
    this.#created = new Promise((resolve) => (created = resolve));
    const named = (runId: string | undefined) => {
      created(runId);
      // From here on the run is known by its id, even if the connection breaks.
      if (runId !== undefined && !signal.aborted && isConnected(thread) && thread.run.id === undefined)
        thread.receive({ type: "run-started", runId });
    };
    const abort = this.#connect(signal);
    try {
      const payload = await unlessAborted(whole(signal), signal);
      if (isQuiet(this.#options)) await unlessAborted(this.#compare(signal), signal);
      const made = thread.threadId ?? (await this.#transport.create?.({ signal: abort })) ?? newId();
      // A request that was stopped may end after the next one.
      if (thread.threadId === undefined) {
        thread.threadId = made;
        thread.receive({ type: "step", step: BEFORE_INPUT });
        tell(onThreadId, made);
      }
      // A run that was not requested yet cannot be stopped.
      if (signal.aborted && !(signal.reason instanceof LeftOff)) throw signal.reason;
      const stream = await this.#transport.run({ ...payload, threadId: thread.threadId }, { signal: abort, named });
      const ended = () => created();
      if (stream instanceof Response) named(runIn(stream));
      else if (Symbol.asyncIterator in stream) return started(stream as AsyncIterable<object>, ended);
      else created();
      return stream as RunStream;
    } catch (error) {
      created();
      throw error;
    }
  }
}

/**
 * Whether a state shows the end of the thread's run: it has all updates that the run submitted, and only answers are
 * outstanding.
 */
function showsEnd(thread: Thread, { values, interrupts, isDone }: ServerThread): boolean {
  if (!isDone && interrupts.length === 0) return false;
  const has = new Set<unknown>(messagesIn(values).map(({ id }) => id));
  const sent = thread.pending.filter(({ status }) => status === "sent").flatMap(({ update }) => idsOf(update));
  return sent.every((id) => has.has(id)) && lackingMessages(thread, values).length === 0;
}

const asked = <T>(value: T | (() => T)): T => (typeof value === "function" ? (value as () => T)() : value);

/** Waits, in ms, for a server to stop a run. */
const STOPS_AFTER = [0, 100, 400];

/** Runs are compared seldom, and the first ones of a page the most. */
const isPowerOfTwo = (count: number): boolean => (count & (count - 1)) === 0;

/** The position of a thread without a checkpoint: the server counts from its first input. */
const BEFORE_INPUT = -2;

/** The stream mode after which a run may end. */
const endOf = (modes: readonly string[]): "values" | "updates" | undefined =>
  modes.includes("values") ? "values" : modes.includes("updates") ? "updates" : undefined;

/** Waits for what a client answers, which may not know of the signal. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const wait = new Wait(signal);
  try {
    return await wait.for(answer);
  } finally {
    wait.end();
  }
}

const serverThread = (found: LoadedThread | undefined): ServerThread | undefined =>
  found && {
    values: found.values,
    interrupts: found.interrupts ?? [],
    runId: found.runId,
    isDone: found.isDone ?? false,
    position: found.position,
  };

/** The id that a server gives a run in the head of its answer. */
const runIn = ({ headers }: Response) => /runs\/([^/?]+)/.exec(headers.get("content-location") ?? "")?.[1];

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
