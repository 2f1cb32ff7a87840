import { ThreadfoldError } from "../shared/errors.js";
import { toAgUi } from "../state/message-forms.js";
import type { AgUiMessage } from "../state/messages.js";
import type { Thread } from "../thread/thread.js";
import type { AgUiEvent } from "./event-types.js";
import { agentFolds, checkpointOf, forFolding } from "./without-snapshot.js";
import { foldOf } from "./fold.js";
import { foldAgUi } from "./fold-ag-ui.js";
import { runInput, type RunAgentInput, type RunInputOptions } from "./run-input.js";
import type { AgUiSource } from "./source.js";
import type { WithAgUiMessages } from "../state/message-types.js";
import { newId } from "../shared/new-id.js";
import { arrives } from "../stream/connection.js";
import { httpStatusOf } from "../stream/http.js";
import { refusal } from "../stream/response.js";
import type { AgUiState, ThreadUpdate } from "../thread/thread-types.js";
import { callsLeft } from "./calls-left.js";
import { checkRunnerOptions } from "../runner/options.js";
import type { ServerThread } from "../runner/load.js";
import type { LoadedThread, RunRef } from "../runner/transport.js";
import { overHttp, type AgUiTransport, type HttpTransportOptions } from "./transport.js";
import type { Answer, RunNews, RunProtocol } from "../runner/protocol.js";
import { OPEN_INTERRUPTS } from "../stream/interrupt-text.js";
import { interruptOf } from "./interrupt.js";
import { isConnected } from "../thread/run-status.js";
import { serversId } from "../stream/run-result.js";
import { Runner, runnersThread } from "../runner/runner.js";
import { BranchSwitch } from "../runner/branch-switch.js";
import { startsOver } from "../runner/watched-thread.js";
import { idsOf, removes } from "../runner/messages-in.js";
import { isEdit } from "../runner/rewind.js";
import { tell } from "../shared/tell.js";
import { withTabs } from "../runner/with-tabs.js";
import type { HttpOptions, RunnerOptions } from "../runner/runner-types.js";

/** How an {@link AgUiRunner} reaches its agent, by `url` or by `transport`, and what it sends besides the thread. */
export interface AgUiRunnerOptions extends RunnerOptions, HttpOptions {
  /** The way to the agent: `httpTransport`, `agentTransport`, `graphTransport`, or functions of your own. */
  transport?: AgUiTransport | undefined;
  /** The address to POST the run's input to. */
  url?: string | URL | undefined;
  /**
   * Whether the server at `url` keeps its runs, like `serveAgUi` with its own `resumable` option: see
   * {@link HttpTransportOptions}.
   */
  resumable?: boolean | undefined;
  /** The front end's tools. A function is called before each run; the same goes for the next two. */
  tools?: OrAsked<RunInputOptions["tools"]>;
  context?: OrAsked<RunInputOptions["context"]>;
  forwardedProps?: OrAsked<object | undefined>;
  /**
   * Which part of the state to send: `"new"`, the default, what the server does not have; `"whole"`, for a server that
   * keeps no state; or the state itself.
   */
  state?: RunInputOptions["state"];
  /**
   * The messages to send. By default all, or those that the server lacks if it names its checkpoints, as `serveAgUi`
   * does. `"whole"` sends all; `"new"`, for another server that keeps its threads, those that it lacks. Or pass a function that returns them. It is called before each run with the thread's messages. Messages
   * that are not sent (failed, queued or incomplete) are left out. Its result is not shown.
   */
  messages?: RunInputOptions["messages"] | ((messages: readonly AgUiMessage[]) => readonly object[]);
  /** Called with every event after it is folded. */
  onEvent?: ((event: AgUiEvent) => void) | undefined;
}

type OrAsked<T> = T | (() => T);

/**
 * Runs an AG-UI agent for a thread: sends messages, folds the events, queues, stops, retries, answers interrupts, and
 * rejoins runs where the server can. Needs no `@ag-ui/client`. With `resumable: true`, `load()` opens a thread of
 * `serveAgUi`, and `threads()` lists them. AG-UI itself has no request for a thread: for another server, make it of what
 * you stored.
 *
 * Interrupts are those of AG-UI 1.0; those that ag-ui-langgraph sends as the custom event `on_interrupt` are also read,
 * and answered in its own way. The result's `pendingToolCallIds` lists tool calls left to the page: answer each with
 * `sendMessage({ role: "tool", toolCallId, content })`.
 *
 * @example
 * ```ts
 * import { Thread, type AgUiState } from "threadfold";
 * import { AgUiRunner } from "threadfold/ag-ui";
 *
 * const thread = new Thread<AgUiState>();
 * const runner = new AgUiRunner(thread, {
 *   // In a page: url: "/agent". Here an agent that echoes.
 *   transport: {
 *     async *run({ threadId, runId, messages }) {
 *       const said = (messages.at(-1) as { content: string }).content;
 *       yield { type: "RUN_STARTED", threadId, runId };
 *       yield { type: "TEXT_MESSAGE_START", messageId: "a1", role: "assistant" };
 *       yield { type: "TEXT_MESSAGE_CONTENT", messageId: "a1", delta: `You said ${said}` };
 *       yield { type: "TEXT_MESSAGE_END", messageId: "a1" };
 *       yield { type: "RUN_FINISHED", threadId, runId };
 *     },
 *   },
 * });
 * const sent = runner.sendMessage("Hi");
 * console.log(runner.status, thread.getState().messages.length); // submitted 1
 * console.log((await sent).status, runner.status); // finished ready
 * console.log(thread.getState().messages.map(({ content }) => content)); // [ 'Hi', 'You said Hi' ]
 * ```
 */
export class AgUiRunner<S extends WithAgUiMessages = AgUiState, U extends object = ThreadUpdate<S>> extends Runner<
  S,
  U
> {
  /**
   * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for anything but a thread, for an unknown option, and unless
   *   exactly one of `url` and `transport` is given.
   */
  constructor(thread: Thread<S, U>, options: AgUiRunnerOptions) {
    super(runnersThread("new AgUiRunner", thread), new AgUiProtocol(thread as unknown as Thread, options), options);
  }
}

interface Message {
  readonly id?: unknown;
  readonly role?: unknown;
}

/** The interrupt of a server that sends it as a custom event, without an id. */
interface LegacyInterrupt {
  readonly reason: typeof LEGACY;
  readonly value: unknown;
}

const LEGACY = "on_interrupt";

const areInterrupts = (list: unknown): list is readonly object[] =>
  Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === "object" && item !== null);

export const OWN_OPTIONS = {
  transport: true,
  url: true,
  resumable: true,
  tools: true,
  context: true,
  forwardedProps: true,
  state: true,
  messages: true,
  onEvent: true,
} as const;

class AgUiProtocol implements RunProtocol {
  readonly #thread: Thread;
  readonly #options: AgUiRunnerOptions;
  readonly #transport: AgUiTransport;
  readonly #ids = new WeakMap<object, string>();
  readonly #branch: BranchSwitch;
  #loaded: LoadedThread | undefined;
  /** The last checkpoint that the page had, unless the server has taken an edit of it since. */
  #since: string | undefined;
  /** The run that was asked for last. */
  #requestedId: string | undefined;

  constructor(thread: Thread, options: AgUiRunnerOptions) {
    this.#thread = thread;
    this.#since = thread.position?.checkpointId;
    this.#options = options;
    checkRunnerOptions<AgUiRunnerOptions>("new AgUiRunner", options, OWN_OPTIONS);
    this.#transport = withTabs(transportOf(options ?? {}), options, `ag-ui:${options.url}`);
    if (this.#transport.load) this.load = (signal) => this.#load(signal);
    this.threads = this.#transport.threads;
    const { history, fork } = this.#transport;
    if (history)
      this.history = async (limit) => (thread.threadId === undefined ? [] : history(thread.threadId, { limit }));
    this.#branch = new BranchSwitch(fork);
    if (fork && this.load) this.branch = this.#branch;
    const { steer } = this.#transport;
    this.steer = steer && ((messages, signal) => steer(this.#run, messages.map(inAgUi), { signal }));
    this.follow = startsOver(this.#transport, ({ data }) => {
      const { type, runId } = (data ?? {}) as { type?: unknown; runId?: unknown };
      return type === "RUN_STARTED" ? runId : undefined;
    });
  }

  readonly load: RunProtocol["load"];
  readonly threads: RunProtocol["threads"];
  readonly steer: RunProtocol["steer"];
  readonly history: RunProtocol["history"];
  readonly branch: RunProtocol["branch"];
  readonly follow: RunProtocol["follow"];

  async #load(signal: AbortSignal): Promise<ServerThread | undefined> {
    const { threadId } = this.#thread;
    agentFolds(this.#transport);
    if (threadId === undefined) return undefined;
    await this.#branch.make(threadId, signal);
    const found = await this.#transport.load?.(threadId, { signal });
    // A load that was stopped shows nothing.
    signal.throwIfAborted();
    this.#branch.forget();
    if (!found) return undefined;
    this.#loaded = found;
    this.#since = found.position?.checkpointId;
    const { values, interrupts = [], runId, isDone = false } = found;
    // With a question the state may lack messages that stay here.
    const position = interrupts.length > 0 ? undefined : found.position;
    return { values, interrupts, runId, isDone, position };
  }

  readonly resendsAnswers = true;

  get canJoin(): boolean {
    return this.#transport.join !== undefined;
  }

  messages(given: unknown): unknown {
    if (typeof given === "string") return { id: newId(), role: "user", content: given };
    if (!Array.isArray(given)) return withId(given);
    return typeof given[0] === "string" && given.length === 2 ? given : given.map((message) => this.messages(message));
  }

  request(updates: readonly object[], answers?: readonly Answer[]): (signal: AbortSignal) => Promise<RunNews> {
    const thread = this.#thread;
    const { tools, context, forwardedProps, state, messages } = this.#options;
    thread.threadId ??= newId();
    this.#branch.forget();
    const answered = agentFolds(this.#transport);
    // Until the agent answers: one that names checkpoints reads them, too.
    const folds = answered ?? this.#since !== undefined;
    const input = runInput(thread, {
      tools: asked(tools),
      context: asked(context),
      state,
      // The other updates report which messages are gone.
      messages: typeof messages === "function" || updates.some(removes) ? "whole" : messages,
      ...resuming(asked(forwardedProps) ?? {}, answers),
    });
    // Queued messages are shown, but are not part of this run.
    const queued = thread.pending.filter(({ status }) => status === "pending");
    const waiting = new Set(queued.flatMap(({ update }) => idsOf(update)));
    input.messages = input.messages.filter(({ id }: Message) => !waiting.has(id));
    input.messages = this.#chosen(input.messages);
    const changes = [...new Set(updates.flatMap(Object.keys))].filter((name) => Object.hasOwn(input.state, name));
    const checkpoint = folds ? checkpointOf(thread, this.#loaded) : undefined;
    const rewinds = updates.some((update) => isEdit(thread, update));
    const since = this.load && !answers ? this.#since : undefined;
    this.#since = checkpoint?.id ?? this.#since;
    const marks = { leavesOut: answered && messages === undefined, changes, since };
    const sent = folds ? forFolding(input, checkpoint, marks) : input;
    const whole = folds ? () => forFolding(input, checkpoint, { changes }) : undefined;
    this.#loaded = undefined;
    this.#requestedId = input.runId;
    return async (signal) => {
      const source = this.#send(sent, whole, { signal, changes, rewinds });
      if (this.#options.whileOffline === "wait") await arrives(source, signal);
      return this.#fold(source, signal);
    };
  }

  check(answers: readonly Answer[]): void {
    resuming({}, answers);
  }

  /** The messages that the page wants to send, of those that may be. */
  #chosen(messages: object[]): object[] {
    const { messages: choose } = this.#options;
    const chosen = typeof choose === "function" ? choose(messages as AgUiMessage[]) : undefined;
    if (!chosen) return messages;
    if (!Array.isArray(chosen))
      throw new ThreadfoldError("INVALID_ARGUMENT", "The option messages should return a list of messages.");
    const sent = new Set(messages.map(({ id }: Message) => id));
    const { messages: all = [] } = this.#thread.getState() as { messages?: readonly Message[] };
    const unsent = new Set(all.map(({ id }) => id).filter((id) => !sent.has(id)));
    return chosen
      .filter(({ id }: Message) => id === undefined || !unsent.has(id))
      .map((message: Message) => this.#named(message))
      .map(inAgUi);
  }

  /** A summary that a Context puts in front has no id, which AG-UI asks for: it gets one, the same for each run. */
  #named(message: Message): Message {
    if (message.id !== undefined && message.id !== null) return message;
    const id = this.#ids.get(message) ?? newId();
    this.#ids.set(message, id);
    return { ...message, id };
  }

  news(): RunNews {
    const { messages = [] } = this.#thread.getState() as { messages?: readonly object[] };
    const pendingToolCallIds = callsLeft(messages, asked(this.#options.tools) ?? []);
    return pendingToolCallIds.length > 0 ? { pendingToolCallIds } : {};
  }

  async join(signal: AbortSignal): Promise<RunNews> {
    return this.#fold(this.#transport.join?.(this.#run, { signal }) ?? [], signal);
  }

  async cancel(signal: AbortSignal): Promise<void> {
    // The server has a run under the id that it was asked for with, before it answers.
    const run = { ...this.#run, runId: this.#run.runId || (this.#requestedId ?? "") };
    const { cancel } = this.#transport;
    if (run.runId && this.canJoin && !cancel)
      throw new ThreadfoldError(
        "UNSUPPORTED",
        "The run may go on: the runner's transport can join runs, but has no cancel.",
      );
    const answer = run.runId ? await cancel?.(run, { signal }) : undefined;
    if (answer instanceof Response && !answer.ok) throw await refusal(answer);
  }

  readonly interrupt = interruptOf;

  get #run(): RunRef {
    const { run, threadId = "" } = this.#thread;
    const { id: runId = "", lastEventId } = run;
    return { threadId, runId, lastEventId };
  }

  async #send(
    sent: RunAgentInput,
    whole: (() => RunAgentInput) | undefined,
    { rewinds, ...options }: { signal: AbortSignal; changes: readonly string[]; rewinds: boolean },
  ): Promise<AgUiSource> {
    const known = this.#since;
    const begin = async (input: RunAgentInput) => {
      let isRefused = false;
      try {
        const source = await this.#transport.run(input, options);
        isRefused = source instanceof Response && !source.ok;
        return source;
      } catch (error) {
        // The server may have taken an edit whose answer does not come.
        isRefused = httpStatusOf(error) !== undefined;
        throw error;
      } finally {
        if (rewinds && !isRefused && this.#since === known) this.#since = undefined;
      }
    };
    let source;
    try {
      source = await begin(sent);
    } catch (error) {
      // A page that cannot load the thread sends all from now on.
      if (whole && !this.load && httpStatusOf(error) === 409) foldOf(this.#thread).proven = undefined;
      if (!whole || httpStatusOf(error) !== 412) throw error;
      // The server is at another checkpoint. It still refuses a list whose messages others have replaced.
      source = await begin(whole());
    }
    const isOwn = !options.signal.aborted && isConnected(this.#thread) && this.#thread.run.id === undefined;
    // A server that can be joined knows the run by this id from here on, even if the connection breaks.
    if (isOwn && source instanceof Response && source.ok && this.canJoin)
      this.#thread.receive({ type: "run-started", runId: sent.runId });
    return source;
  }

  async #fold(source: AgUiSource | PromiseLike<AgUiSource>, signal: AbortSignal): Promise<RunNews> {
    const thread = this.#thread;
    const { onEvent } = this.#options;
    const legacy: LegacyInterrupt[] = [];
    let open: unknown;
    const end = await foldAgUi(thread, source, {
      signal,
      onEvent: (event) => {
        if (event.type === "CUSTOM") {
          const { name, value } = event as { name?: unknown; value?: unknown };
          if (name === LEGACY) legacy.push({ reason: LEGACY, value: parsed(value) });
          if (name === OPEN_INTERRUPTS) open = value;
        }
        if (onEvent) tell(onEvent, event);
      },
    });
    if (end.status === "finished" && legacy.length > 0) thread.receive({ type: "run-finished", interrupts: legacy });
    const { value, usage } = end;
    const news = { ...(value !== undefined && { value }), ...(usage && { usage }) };
    if (end.status === "finished" && end.pendingToolCallIds.length > 0)
      return { ...news, pendingToolCallIds: end.pendingToolCallIds };
    return { ...news, stopped: end.status === "stopped", ...(areInterrupts(open) && { stillOpen: open }) };
  }
}

/** The way to the agent that the options name. */
function transportOf(options: AgUiRunnerOptions): AgUiTransport {
  const { transport, url } = options;
  if (transport && url === undefined && typeof transport.run === "function") return transport;
  if (transport || url === undefined)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "new AgUiRunner takes the option url, or a transport: { run, join?, cancel?, load? }.",
    );
  return overHttp(options as HttpTransportOptions);
}

const inAgUi = (message: Message): object => (typeof message.role === "string" ? message : toAgUi(message as never));

const asked = <T>(value: OrAsked<T>): T => (typeof value === "function" ? (value as () => T)() : value);

/** A message with a role but no id would become LangChain's. */
function withId(message: unknown): unknown {
  const isAgUi = typeof message === "object" && message !== null && "role" in message && !("tool_call_id" in message);
  return isAgUi && (message as { id?: unknown }).id === undefined ? { ...message, id: newId() } : message;
}

/** Returns the answers in AG-UI's form, or in ag-ui-langgraph's if it asked by a custom event. */
function resuming(forwardedProps: object, answers: readonly Answer[] | undefined): RunInputOptions {
  if (!answers) return { forwardedProps };
  if (answers.some(({ interrupt }) => serversId(interrupt) === undefined)) {
    const [answer] = answers;
    if (answers.length > 1 || answer?.cancelled)
      throw new ThreadfoldError(
        "INVALID_ARGUMENT",
        "Interrupts without ids can be answered one at a time, and not cancelled.",
      );
    const { command } = forwardedProps as { command?: object };
    return { forwardedProps: { ...forwardedProps, command: { ...command, resume: answer?.value } } };
  }
  const resume = answers.map(({ interrupt, value, cancelled }) => ({
    interruptId: serversId(interrupt) as string,
    ...(cancelled ? { status: "cancelled" as const } : { status: "resolved" as const, payload: value }),
  }));
  return { forwardedProps, resume };
}

/** Parses what ag-ui-langgraph writes as JSON. */
function parsed(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}
