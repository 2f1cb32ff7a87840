// Builds a graph's input from an AG-UI client's request.
import { ThreadfoldError } from "../../shared/errors.js";
import { langGraphDefaultMergeState } from "../merge-state.js";
import { toLangChain } from "../../state/message-forms.js";
import { isRemoval } from "../../state/message-kind.js";
import { removeMessage } from "../../state/messages.js";
import { isDict } from "../../shared/dict.js";
import { command, questionsOf, type GraphState, type RunnableGraph } from "../../stream/graph-parts.js";
import { plainMessages } from "../../langgraph/message-form.js";
import { isInterruptId } from "../../shared/interrupt-id.js";
import { sameJson } from "../../shared/same-json.js";

/** As much of AG-UI's `RunAgentInput` as a graph is started with. */
export interface GraphRunInput {
  readonly threadId: string;
  readonly runId: string;
  readonly parentRunId?: string | undefined;
  readonly messages: readonly object[];
  readonly state?: unknown;
  readonly tools?: readonly object[] | undefined;
  readonly context?: readonly object[] | undefined;
  readonly forwardedProps?: unknown;
  readonly resume?: readonly ResumeEntry[] | undefined;
}

export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: string;
  readonly payload?: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/** Checks what every run needs: a thread, a run, and messages with ids that remove none; and the form of the rest. */
export function checkedInput(given: unknown): GraphRunInput {
  const { threadId, runId, messages, state, tools, context, resume } = (given ?? {}) as Partial<GraphRunInput>;
  const isText = (value: unknown) => typeof value === "string" && value !== "";
  const areDicts = (given: unknown) => given == null || (Array.isArray(given) && given.every(isDict));
  const isMessage = (message: unknown) =>
    isText((message as { id?: unknown } | null)?.id) &&
    isText((message as { role?: unknown }).role) &&
    areDicts((message as { toolCalls?: unknown }).toolCalls) &&
    !isRemoval(message as object);
  const areAnswers = (given: unknown) =>
    Array.isArray(given) && given.every((entry) => isText((entry as Partial<ResumeEntry> | null)?.interruptId));
  const needs = [
    [isText(threadId), "threadId: a string"],
    [isText(runId), "runId: a string"],
    [
      Array.isArray(messages) && messages.every(isMessage),
      "messages: a list of messages with id and role, toolCalls only as a list, and no removals",
    ],
    [state == null || isDict(state), "state: an object, or none"],
    [areDicts(tools), "tools: a list of tools, or none"],
    [areDicts(context), "context: a list of descriptions with their values, or none"],
    [resume == null || areAnswers(resume), "resume: a list of answers with interruptId, or none"],
  ] as const;
  const lacks = needs.find(([isGiven]) => !isGiven)?.[1];
  if (lacks) throw new ThreadfoldError("INVALID_ARGUMENT", `A run's input needs ${lacks}.`);
  return given as GraphRunInput;
}

/**
 * Returns the graph's input. Answers to its interrupts become a command. Otherwise the input is what is new: the
 * messages that its thread lacks, and the state fields in which the client differs. If the client resends the user's
 * last message, the input removes everything after it. Tools and context go into the fields that ag-ui-langgraph writes
 * (`tools`, `ag-ui`, `copilotkit`), if the graph has them. Returns null, which resumes the thread, if its last run did
 * not end and nothing is new.
 *
 * @param known - The thread's state; undefined if the graph keeps none.
 * @param atCheckpoint - The same without what a step that did not end has written: new input begins there.
 * @param isRest - Whether the input lacks the messages that the checkpoint has.
 * @param changes - The fields of its state that are updates: they count whatever the thread has.
 */
export function graphInput(
  graph: RunnableGraph,
  input: GraphRunInput,
  known: GraphState | undefined,
  atCheckpoint: GraphState | undefined,
  { isRest = false, changes = [] }: { isRest?: boolean | undefined; changes?: readonly unknown[] | undefined } = {},
): unknown {
  if (resumeOf(input) !== undefined) {
    const resume = asksNothing(known) ? undefined : resumeOf(input, known);
    checkAlone(input, valuesOf(known)["messages"]);
    // A repeated answer continues its run. One that cancels what it does not know is asked again.
    return resume === undefined ? null : command({ resume });
  }
  const isNews = !isUnfinished(known) || bringsNews(input, valuesOf(known)["messages"]);
  const state = valuesOf(atCheckpoint);
  const isField = fieldsOf(graph);
  const kept = (plainMessages(state["messages"]) ?? []) as object[];
  // A system message is dropped only at the beginning of the whole list.
  const sent = [...(isRest ? kept.slice(0, 1) : []), ...input.messages.filter(isSaid).map(toLangChain)];
  const { messages: added, ...merged } = langGraphDefaultMergeState(
    { messages: kept as never },
    sent as never,
    { tools: input.tools ?? [], context: input.context ?? [] } as never,
    { compat: "current" },
  ) as unknown as Values & { messages: unknown };
  const own = (shown: Values) =>
    Object.entries((input.state ?? {}) as Values).filter(
      ([name, value]) =>
        !(name in merged) &&
        name !== "messages" &&
        name !== "lg_name" &&
        isField(name, true) &&
        (changes.includes(name) || !sameJson(value, shown[name])),
    );
  if (!isNews && own(valuesOf(known)).length === 0) return null;
  const fields = Object.entries(merged).filter(([name]) => isField(name, false));
  const messages = [...undone(state["messages"], input.messages), ...(added as object[])];
  return { ...Object.fromEntries([...own(state), ...fields]), messages };
}

/** Whether the thread's last run did not end. Every task of a step may be done, and the next checkpoint be missing. */
export const isUnfinished = (known: GraphState | undefined): boolean =>
  (known?.next?.length ?? 0) > 0 || (known?.tasks?.length ?? 0) > 0;

/** Whether the thread's last run did not end, and asks nothing. */
export const asksNothing = (known: GraphState | undefined): boolean =>
  known?.tasks !== undefined && isUnfinished(known) && questionsOf(known).length === 0;

const valuesOf = (state: GraphState | undefined) => (state?.values ?? {}) as Values;

/**
 * Whether the user or the page sends something that the thread lacks, or resends the user's last message. Output of a
 * failed step does not count as new: that step runs again.
 */
function bringsNews({ messages, tools }: GraphRunInput, known: unknown): boolean {
  const sent = messages as readonly Sent[];
  if (sent.at(-1)?.role === "user") return true;
  const list = (plainMessages(known) ?? []) as readonly Kept[];
  const has = new Set(list.map(({ id }) => id));
  const names = new Set(((tools ?? []) as readonly { name?: string }[]).map(({ name }) => name));
  const calls = [
    ...sent.flatMap(({ toolCalls }) => (toolCalls ?? []).map((call) => ({ id: call.id, name: call.function?.name }))),
    ...list.flatMap(({ tool_calls }) => tool_calls ?? []),
  ];
  const ofPage = new Set(calls.filter(({ name }) => names.has(name)).map(({ id }) => id));
  const isNews = ({ role, toolCallId }: Sent) => (role === "tool" ? ofPage.has(toolCallId) : role !== "assistant");
  return sent.some((message) => !has.has(message.id) && isSaid(message) && isNews(message));
}

/** Refuses a new user message beside answers: the graph continues with the answers alone. */
function checkAlone({ messages }: GraphRunInput, known: unknown): void {
  const list = plainMessages(known);
  if (!Array.isArray(list)) return;
  const has = new Set((list as readonly Kept[]).map(({ id }) => id));
  // Before one that the thread has, it was removed there.
  const last = (messages as readonly Sent[]).map(({ id }) => has.has(id)).lastIndexOf(true);
  const late = (messages as readonly Sent[]).slice(last + 1).find(({ role }) => role === "user");
  if (late)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `RunAgentInput: \`resume\` comes with the new message ${JSON.stringify(late.id)}, which this run would not see. ` +
        "Send the answers alone, and the message in the next run.",
    );
}

interface Kept {
  readonly id?: string;
  readonly tool_calls?: readonly { readonly id?: string | undefined; readonly name?: string | undefined }[];
}

interface Sent {
  readonly id?: string;
  readonly role?: string;
  readonly toolCallId?: string;
  readonly toolCalls?:
    readonly { readonly id?: string; readonly function?: { readonly name?: string } | null }[] | null;
}

/**
 * Removes everything after the last user message that the thread knows, so that the run is made anew. Applies if the
 * client sends that message again, or edited, as the last one that the thread knows.
 */
function undone(known: unknown, sent: readonly object[]): object[] {
  const list = (plainMessages(known) ?? []) as readonly { id?: string; content?: unknown }[];
  const places = new Map(list.map(({ id }, place) => [id, place]));
  const last = (sent as readonly Sent[]).filter(({ id }) => places.has(id)).at(-1);
  const place = last?.role === "user" ? (places.get(last.id) as number) : -1;
  if (!last || place < 0) return [];
  const said = toLangChain(last as never) as { readonly content?: unknown };
  const was = list[place]?.content;
  const isEdited = !sameJson(said.content, was);
  // Behind another message only a text is known to be edited: what else it has may come back in another form.
  const isTold = last === sent.at(-1) || (isEdited && typeof said.content === "string" && typeof was === "string");
  if (!isTold) return [];
  const kept = new Set((sent as readonly Sent[]).map(({ id }) => id));
  const gone = list.slice(place + 1).flatMap(({ id }) => (id === undefined || kept.has(id) ? [] : [removeMessage(id)]));
  return isEdited ? [said, ...gone] : gone;
}

/** Reasoning and activities are for the screen. */
const isSaid = (message: object) => {
  const { role = "", subagentRunId } = message as { role?: string; subagentRunId?: string | null };
  return !["reasoning", "activity"].includes(role) && (subagentRunId ?? undefined) === undefined;
};

/** Tells which fields a graph has; `otherwise` of one that does not say. */
function fieldsOf({ channels }: RunnableGraph): (name: string, otherwise: boolean) => boolean {
  if (typeof channels !== "object" || channels === null) return (_, otherwise) => otherwise;
  return (name) => Object.hasOwn(channels, name);
}

/** The answer that ag-ui-langgraph gives to an interrupt that the user cancelled. */
const CANCELLED = "__agui_cancelled__";

/**
 * Returns the answers to the graph's interrupts; undefined if the client sends none.
 *
 * @param known - The thread's state, which says what is asked: what is not cannot be cancelled.
 */
export function resumeOf(input: GraphRunInput, known?: GraphState): unknown {
  const { resume } = input;
  return Array.isArray(resume) && resume.length > 0 ? answersOf(resume as ResumeEntry[], known) : commandOf(input);
}

/** Returns the answer in `forwardedProps.command.resume`, which names no question; undefined if there is none. */
export function commandOf({ forwardedProps }: GraphRunInput): unknown {
  const value = (forwardedProps as { command?: { resume?: unknown } } | null | undefined)?.command?.resume;
  return value === null ? undefined : parsed(value);
}

/**
 * The answers by the interrupts' ids, where those are LangGraph's: it takes only such a map for one. An answer to what
 * is not asked is refused: it might approve something else.
 */
function answersOf(resume: readonly ResumeEntry[], known: GraphState | undefined): unknown {
  const asked = known?.tasks && questionsOf(known);
  const given = new Map<string, ResumeEntry>();
  for (const answer of resume) {
    const { interruptId: id } = answer;
    if (!sameJson(given.get(id) ?? answer, answer))
      throw new ThreadfoldError("INVALID_ARGUMENT", `Two answers to ${JSON.stringify(id)}. Send one.`);
    given.set(id, answer);
  }
  const answers = resume.flatMap(({ interruptId, status, payload }) => {
    const question = asked?.find(({ id }) => id === interruptId);
    // A graph may ask without ids: then whatever the client calls it is the question.
    if (status !== "cancelled" && asked?.length && !question && asked.every(({ id }) => id))
      throw notAsked(interruptId);
    if (status !== "cancelled") return [[interruptId, payload ?? null] as const];
    if (asked && !question) return [];
    return [[interruptId, rejection(question?.value) ?? { [CANCELLED]: true, interrupt_id: interruptId }] as const];
  });
  if (answers.length === 0) return undefined;
  if (resume.every(({ interruptId }) => isInterruptId(interruptId))) return Object.fromEntries(answers);
  if (answers.length > 1)
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "Several interrupts can be answered only by ids that the graph gave.",
    );
  return answers[0]?.[1];
}

/** The error for an answer to a question that the thread does not ask. */
export const notAsked = (id: string | undefined): ThreadfoldError =>
  new ThreadfoldError(
    "INVALID_STATE",
    `The thread does not ask ${id === undefined ? "anything" : JSON.stringify(id)}.`,
    {
      serverCode: "NO_QUESTION",
    },
  );

/** Whether an answer is one that the graph gets for a question that the user cancelled. */
export function isRejection(answer: unknown): boolean {
  if (!isDict(answer)) return false;
  const { decisions = [answer] } = answer;
  const isReject = (one: unknown) => isDict(one) && one["type"] === "reject";
  return answer[CANCELLED] === true || (Array.isArray(decisions) && decisions.every(isReject));
}

/** An approval of tool calls that the user cancelled rejects them; undefined for any other question. */
function rejection(value: unknown): unknown {
  const { type, action_requests, actionRequests = action_requests } = (value ?? {}) as Values;
  if (type === "tool_approval") return { type: "reject" };
  return Array.isArray(actionRequests) ? { decisions: actionRequests.map(() => ({ type: "reject" })) } : undefined;
}

/** Clients send the answer as JSON, or as it is. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
