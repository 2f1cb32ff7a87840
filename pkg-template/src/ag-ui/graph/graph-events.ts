// A run of a graph in the same program, as the events of AG-UI.
import { OPEN_INTERRUPTS, questionIn, text } from "../../stream/interrupt-text.js";
import { isDict } from "../../shared/dict.js";
import { ThreadfoldError } from "../../shared/errors.js";
import { ownConfig, type ConfigObject } from "../../shared/own-config.js";
import { PAGE_TOOLS } from "../../shared/page-tools.js";
import { type RunInbox, withInbox } from "../../shared/run-inbox.js";
import { errorWords } from "../../stream/error-words.js";
import { beforeRefusedInput } from "../../stream/refused-input.js";
import {
  graphParts,
  interruptsIn,
  questionsOf,
  shownState,
  type CommandLike,
  type GraphInterrupt,
  type GraphPart,
  type GraphState,
  type RunnableGraph,
} from "../../stream/graph-parts.js";
import { ClientMessages } from "./client-messages.js";
import type { GraphEvent, ServedEvent } from "./graph-event.js";
import {
  asksNothing,
  checkedInput,
  graphInput,
  isUnfinished,
  notAsked,
  resumeOf,
  type GraphRunInput,
} from "./graph-input.js";
import { MessagesTold } from "./messages-told.js";
import { PROTOCOL_VERSION } from "../protocol-version.js";
import { repeatsAnswers, saveAnswers } from "./repeated-answers.js";
import { SubagentsTold } from "./subagents-told.js";
import { isToolsOwn, subagentOf } from "../../langgraph/namespace.js";
import { StateTold } from "./state-told.js";
import { UsageTold } from "./usage-told.js";

/**
 * How a run reports that it waits for an answer. `"on_interrupt"`: by that custom event, as ag-ui-langgraph does.
 * `"outcome"`: by AG-UI 1.0's outcome of RUN_FINISHED. `"both"`: by both.
 */
export type InterruptEvents = "on_interrupt" | "outcome" | "both";

/** How {@link graphEvents} runs a graph. */
export interface GraphEventOptions {
  /** More of the run's config, such as `recursionLimit` or `context`; a function is called for each run, and awaited. */
  readonly config?:
    ((input: GraphRunInput) => object | undefined | Promise<object | undefined>) | ConfigObject | undefined;
  /** Stops the run. */
  readonly signal?: AbortSignal | undefined;
  /** How an interrupted run says so. Default `"on_interrupt"`. */
  readonly interrupts?: InterruptEvents | undefined;
  /**
   * Whether to emit AG-UI 1.0's events of sub-agents: their starts, messages and ends. Clients other than
   * `foldAgUi` and `AgUiRunner` show those messages in the conversation. Default false; for `graphTransport` true.
   */
  readonly subagents?: boolean | undefined;
}

/** A client that folds, as far as it says what it has. */
export interface FoldingClient {
  /** The checkpoint that it has, whole. */
  readonly at?: string | undefined;
  /** Whether its input lacks the messages of that checkpoint. */
  readonly leavesOut?: boolean | undefined;
  /** The last checkpoint that it had, if it has none whole. */
  readonly since?: string | undefined;
}

/** More of how a server runs a graph. */
export interface ServedOptions extends GraphEventOptions {
  /** The client folds: events leave out what it has, and say where it is at the run's end. */
  readonly client?: FoldingClient | undefined;
  /** The fields of the input's state that are updates of the user: they count whatever the thread has. */
  readonly changes?: readonly unknown[] | undefined;
  /** The messages that the user sends into the run. */
  readonly inbox?: RunInbox | undefined;
  /** The thread's state, if it was read already. */
  readonly known?: GraphState | undefined;
  /** Others may join the run: the events have the messages after its input, which its starter has. */
  readonly isJoinable?: boolean | undefined;
}

/** The error for an answer to a server that lost the question, such as by a restart. */
const NO_QUESTION = "The thread has no question to answer: the graph does not know it.";

const MODES = ["values", "updates", "messages", "tasks", "custom"];

/**
 * Runs a graph in this program and emits AG-UI events, from RUN_STARTED to RUN_FINISHED or RUN_ERROR. Once the signal
 * aborts, no event follows.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for an invalid `RunAgentInput`.
 */
export function graphEvents(
  graph: RunnableGraph,
  input: GraphRunInput,
  options: GraphEventOptions = {},
): AsyncGenerator<GraphEvent> {
  const { config, signal, interrupts, subagents } = options;
  return servedEvents(graph, checkedInput(input), { config, signal, interrupts, subagents });
}

const INTERRUPT_EVENTS: readonly unknown[] = ["on_interrupt", "outcome", "both"] satisfies InterruptEvents[];

/** Returns a caller's option `interrupts`; throws for another value. */
export function checkedInterrupts(call: string, how: InterruptEvents | undefined): InterruptEvents | undefined {
  if (how === undefined || INTERRUPT_EVENTS.includes(how)) return how;
  throw new ThreadfoldError(
    "INVALID_ARGUMENT",
    `${call}: invalid option interrupts: ${JSON.stringify(how)}. Use "on_interrupt", "outcome" or "both".`,
  );
}

/** Returns the config of a run of a thread. */
export function runConfig(config: object | undefined, threadId: string): object {
  const { configurable, ...more } = (config ?? {}) as { configurable?: object };
  return { ...more, configurable: { ...configurable, thread_id: threadId } };
}

/** Returns the config of a run with the client's tools: an agent of `createAgent` gives them to its model. */
function withTools(config: object, tools: readonly object[] | null | undefined): object {
  if (!tools || tools.length === 0) return config;
  const { configurable } = config as { configurable?: object };
  return { ...config, configurable: { ...configurable, [PAGE_TOOLS]: tools } };
}

/** Returns the id of a state's checkpoint. */
export const checkpointOf = (state: GraphState | undefined): unknown => state?.config?.configurable?.["checkpoint_id"];

/** Runs a graph as {@link graphEvents} does, for a client that may fold. */
export async function* servedEvents(
  graph: RunnableGraph,
  input: GraphRunInput,
  {
    config,
    signal,
    interrupts: how,
    client,
    changes,
    known: read,
    subagents = false,
    isJoinable,
    inbox,
  }: ServedOptions,
): AsyncGenerator<ServedEvent> {
  const { threadId, runId, parentRunId } = input;
  yield {
    type: "RUN_STARTED",
    threadId,
    runId,
    protocolVersion: PROTOCOL_VERSION,
    ...(parentRunId !== undefined && { parentRunId }),
  };
  let asked: object | undefined;
  let keepsInput: (() => Promise<void>) | undefined;
  try {
    const own = runConfig(await ownConfig(config, input), threadId);
    asked = withInbox(withTools(own, input.tools), inbox);
    const known = read ?? (await threadState(graph, asked));
    const isAnswer = resumeOf(input) !== undefined;
    if (known && !isKept(known) && isAnswer) {
      yield { type: "RUN_ERROR", message: NO_QUESTION, code: "NO_QUESTION" };
      return;
    }
    if (isAnswer && asksNothing(known) && !(await repeatsAnswers(graph, known, input)))
      throw notAsked(input.resume?.[0]?.interruptId);
    const isThere = client?.at !== undefined && client.at === checkpointOf(known);
    const before = isAnswer && !isThere ? known : await atCheckpoint(graph, asked, known);
    const start = graphInput(graph, input, known, isAnswer ? known : before, {
      isRest: client?.leavesOut && isThere,
      changes,
    });
    if (!isAnswer) keepsInput = inputKeeper(graph, start, asked, known);
    else if (questionsOf(known).length > 0) await saveAnswers(graph, known, resumeIn(start));
    const telling = new Telling(
      graph,
      input,
      client && (isThere ? (before?.values as Values) : NOTHING_KNOWN),
      subagents,
      isJoinable === true && !isAnswer && start !== null,
    );
    const streamMode = client ? [...MODES, "checkpoints"] : MODES;
    for await (const part of graphParts(graph, start, { ...asked, streamMode, ...(signal && { signal }) })) {
      if (signal?.aborted) return;
      yield* telling.part(part);
    }
    if (signal?.aborted) return;
    yield* telling.finish();
    yield* telling.interrupted(how);
    yield { type: "RUN_FINISHED", threadId, runId, ...telling.end(how) };
  } catch (error) {
    const open = asked && !signal?.aborted ? await openQuestions(graph, asked) : [];
    if (signal?.aborted) return;
    if (open.length > 0) yield { type: "CUSTOM", name: OPEN_INTERRUPTS, value: open.map(agUiInterrupt) };
    yield runError(error);
  } finally {
    if (signal?.aborted) await keepsInput?.();
  }
}

/** Returns a call that saves the input of a run that was stopped before the graph had taken it. */
function inputKeeper(graph: RunnableGraph, start: unknown, asked: object, known: GraphState | undefined) {
  return async () => {
    const now = await threadState(graph, asked);
    const isSaved = checkpointOf(now) !== checkpointOf(known);
    const isNew = !isSaved && start !== null;
    if (!now || (!isNew && !now.next?.includes("__start__"))) return;
    // A run that stops before every node takes its input, and does nothing else.
    const config = { ...asked, interruptBefore: "*", streamMode: MODES };
    for await (const _ of graphParts(graph, isNew ? start : null, config));
  };
}

/** The interrupts still open after a run has failed, such as after the graph refused an answer. */
async function openQuestions(graph: RunnableGraph, config: object): Promise<readonly GraphInterrupt[]> {
  try {
    return questionsOf(await threadState(graph, config));
  } catch {
    return []; // The run's own error says more.
  }
}

/** The state of a graph's thread, before an input that the graph refuses; undefined if the graph keeps no threads. */
export async function threadState(graph: RunnableGraph, config: object): Promise<GraphState | undefined> {
  if (!graph.checkpointer || !graph.getState) return undefined;
  try {
    return (await graph.getState(config as never)) as GraphState;
  } catch (error) {
    const before = await beforeRefusedInput(graph, config);
    if (before) return before;
    throw error;
  }
}

/**
 * Returns the thread's state where a run begins with new input: at its checkpoint. The writes of an unfinished step are
 * part of `known`, and gone then, unless the graph keeps those of a step that has finished.
 */
async function atCheckpoint(graph: RunnableGraph, asked: object, known: GraphState | undefined) {
  if (!isUnfinished(known) || !known?.config?.configurable) return known;
  if (graph.keepsLeft && known.next?.length === 0) return known;
  return threadState(graph, { ...asked, configurable: known.config.configurable });
}

/** Whether the graph has the thread. For an unknown or lost thread, `getState` returns an empty state. */
export function isKept({ config, values }: GraphState): boolean {
  // The defaults of fields are values of a thread without a checkpoint, too.
  if (config?.configurable) return config.configurable["checkpoint_id"] !== undefined;
  return Object.keys(values ?? {}).length > 0;
}

/** An error by its code, or by the names that LangGraph gives errors. */
function runError(error: unknown): GraphEvent {
  const { name, message, code = name } = errorWords(error);
  const ours = error instanceof ThreadfoldError ? String(error.serverCode ?? error.code) : undefined;
  return { type: "RUN_ERROR", message, code: ours ?? code };
}

/** The answers of a graph's input, if it is a command. */
const resumeIn = (start: unknown): unknown => (start as Partial<CommandLike> | null)?.resume;

type Values = Readonly<Record<string, unknown>>;

/** The state of a client that folds and has another state than the thread's, or does not say. */
const NOTHING_KNOWN = null;

/** The sub-agent that an interrupt is of. */
interface Attributed {
  readonly subagentRunId?: string | undefined;
}

/** The progress of reporting one run. */
class Telling {
  readonly #graph: RunnableGraph;
  readonly #messages: MessagesTold;
  readonly #state: StateTold;
  readonly #client: ClientMessages | undefined;
  readonly #usage = new UsageTold();
  /** Where the run is. */
  #checkpoint: GraphState | undefined;
  /** The nodes that are at work, and how many tasks of each. */
  readonly #steps = new Map<string, number>();
  readonly #tasks = new Set<unknown>();
  readonly #interrupts = new Map<unknown, GraphInterrupt & Attributed>();
  /** Undefined if the client gets no sub-agents. */
  readonly #subagents: SubagentsTold | undefined;

  /**
   * @param client - The state that a folding client has; undefined for a client that does not fold.
   * @param repeatsInput - Whether the events have the messages after the input also where the client has them.
   */
  constructor(
    graph: RunnableGraph,
    { messages: sent, state: own }: GraphRunInput,
    client: Values | null | undefined,
    subagents: boolean,
    repeatsInput: boolean,
  ) {
    this.#graph = graph;
    this.#subagents = subagents ? new SubagentsTold(client !== undefined) : undefined;
    const { messages, ...state } = client ?? {};
    const base = client ? ((messages ?? []) as readonly unknown[]) : undefined;
    this.#client = client === undefined ? undefined : new ClientMessages(base, sent);
    const ids = [...(base ?? []), ...sent].map((message) => (message as { id?: unknown }).id);
    this.#messages = new MessagesTold(
      ids.filter((id) => typeof id === "string"),
      this.#client,
      base,
      repeatsInput,
    );
    // A field that the page sends shows here by its own reducers: the page needs the graph's.
    const isOwn = Object.keys((own as object | null | undefined) ?? {}).length > 0;
    this.#state = new StateTold(client && !isOwn ? shownState(graph, state) : undefined);
  }

  /** The checkpoint that a folding client has, if the events contained all of it. */
  get at(): string | undefined {
    const { messages, ...state } = (this.#checkpoint?.values ?? {}) as Values;
    const id = checkpointOf(this.#checkpoint);
    const isTold =
      this.#client?.has((messages ?? []) as readonly unknown[]) && this.#state.isAt(shownState(this.#graph, state));
    return typeof id === "string" && isTold ? id : undefined;
  }

  /** Returns the fields of RUN_FINISHED. Clients that fold get the interrupts in any case. */
  end(how: InterruptEvents = "on_interrupt"): object {
    const { at } = this;
    const { usage } = this.#usage;
    const interrupts = this.#interrupts.size > 0 ? [...this.#interrupts.values()].map(agUiInterrupt) : undefined;
    const isOutcome = interrupts && how !== "on_interrupt";
    const own = { ...(at !== undefined && { at }), ...(interrupts && !isOutcome && { interrupts }) };
    return {
      ...(usage && { usage }),
      ...(isOutcome && { outcome: { type: "interrupt", interrupts } }),
      ...(Object.keys(own).length > 0 && { metadata: { threadfold: own } }),
    };
  }

  *part(part: GraphPart): Generator<ServedEvent> {
    for (const event of this.#events(part)) {
      if (!("subagentRunId" in event)) this.#client?.observe(event);
      yield this.#subagents?.withOwn(event) ?? event;
    }
  }

  *#events(part: GraphPart): Generator<ServedEvent> {
    const { mode, ns, payload } = part;
    if (mode === "values" || mode === "updates") this.#asked(part);
    if (mode === "messages") this.#usage.part(payload);
    if (mode === "tasks") this.#usage.task(payload);
    if (this.#subagents?.sees(part)) return yield* this.#subagents.part(part);
    if (this.#subagents && mode === "tasks") yield* this.#subagents.ended(payload);
    switch (mode) {
      case "values":
        if (ns.length === 0) yield* this.#values(payload as Record<string, unknown>);
        break;
      case "messages":
        yield* this.#messages.part(payload, ns);
        break;
      case "tasks":
        yield* this.#task(payload, ns);
        break;
      case "custom":
        yield* this.#custom(payload);
        break;
      case "checkpoints":
        if (ns.length === 0) this.#checkpoint = payload as GraphState;
        break;
    }
  }

  #asked({ ns, payload }: GraphPart): void {
    for (const asked of interruptsIn(payload)) {
      const key = asked.id ?? asked;
      const subagentRunId = this.#interrupts.get(key)?.subagentRunId ?? (this.#subagents && subagentOf(ns));
      this.#interrupts.set(key, { ...asked, subagentRunId });
    }
  }

  *finish(): Generator<GraphEvent> {
    for (const stepName of this.#steps.keys()) yield { type: "STEP_FINISHED", stepName };
    for (const event of this.#messages.finish()) yield this.#subagents?.withOwn(event) ?? event;
  }

  /** Emits the interrupts as ag-ui-langgraph does: a value that is text as it is, any other as JSON. */
  *interrupted(how: InterruptEvents = "on_interrupt"): Generator<GraphEvent> {
    if (how === "outcome") return;
    for (const { value = null } of this.#interrupts.values())
      yield { type: "CUSTOM", name: "on_interrupt", value: typeof value === "string" ? value : JSON.stringify(value) };
  }

  /** A value that a node writes on the stream. ag-ui-langgraph's `manually_emit_state` is the state for the client. */
  *#custom(payload: unknown): Generator<ServedEvent> {
    const event = custom(payload);
    const { name, value } = event;
    if (name === "manually_emit_state" && isDict(value)) yield this.#state.whole(shownState(this.#graph, value));
    else yield event;
  }

  *#values(values: Record<string, unknown>): Generator<GraphEvent> {
    const { messages, __interrupt__: _, ...state } = values;
    if (Object.keys(values).length === 1 && "__interrupt__" in values) return;
    yield* this.#state.tell(shownState(this.#graph, state));
    yield* this.#messages.list(messages);
  }

  /** A step is a node of the root graph at work; several tasks of one node are one step. */
  *#task(payload: unknown, ns: readonly string[]): Generator<GraphEvent> {
    const { id, name, triggers, result, error, interrupts } = payload as Readonly<Record<string, unknown>>;
    if (typeof name !== "string") return;
    const isStart = triggers !== undefined && !this.#tasks.delete(id);
    if (isStart) this.#tasks.add(id);
    // A failed task's message gets no end event, so that the client does not keep the half as a message.
    else if (typeof id === "string" && error == null) {
      yield* this.#messages.end(id, result);
      if (ns.length > 0 && !isToolsOwn(ns)) this.#messages.keepInside(ns, result);
      else if (ns.length === 0 && !(Array.isArray(interrupts) && interrupts.length > 0)) this.#messages.returned(id);
    }
    if (ns.length > 0) return;
    const others = this.#steps.get(name) ?? 0;
    if (isStart) {
      this.#steps.set(name, others + 1);
      if (others === 0) yield { type: "STEP_STARTED", stepName: name };
    } else if (others > 1) this.#steps.set(name, others - 1);
    else if (this.#steps.delete(name)) yield { type: "STEP_FINISHED", stepName: name };
  }
}

/** An event that a node writes on the stream: `{ name, value }` becomes an event of that name. */
function custom(payload: unknown): GraphEvent {
  const { name, value, ...rest } = (payload ?? {}) as { name?: unknown; value?: unknown };
  const isNamed = typeof name === "string" && value !== undefined && Object.keys(rest).length === 0;
  return { type: "CUSTOM", name: isNamed ? name : "custom", value: isNamed ? value : payload };
}

/** Returns an interrupt in ag-ui-langgraph's form. Its value may name the reason, the call, a schema and an end. */
function agUiInterrupt({ id, value, subagentRunId }: GraphInterrupt & Attributed): object {
  const own = isDict(value) ? value : {};
  const fields = {
    reason: text(own["reason"]) ?? "langgraph:interrupt",
    message: questionIn(value),
    toolCallId: text(own["toolCallId"] ?? own["tool_call_id"]),
    responseSchema: own["responseSchema"] ?? own["response_schema"],
    expiresAt: text(own["expiresAt"] ?? own["expires_at"]),
    subagentRunId,
  };
  const given = Object.entries(fields).filter(([, field]) => field !== undefined && field !== null);
  return { id: id ?? "", ...Object.fromEntries(given), metadata: { langgraph: { raw: value ?? null } } };
}
