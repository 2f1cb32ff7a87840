import { ThreadfoldError } from "../shared/errors.js";
import { toAgUi } from "../state/message-forms.js";
import { mergeTools, type Tool } from "../state/tools.js";
import type { Fields, Schema } from "../state/schema.js";
import { choice } from "../shared/choices.js";
import { checkOptions, type NamesOf } from "../shared/options.js";
import { sameJson } from "../shared/same-json.js";
import { foldOf } from "./fold.js";
import type { FoldingThread } from "./folding-thread.js";
import { newId } from "../shared/new-id.js";
import { PROTOCOL_VERSION } from "./protocol-version.js";
import { type FailingThread, type Shown, withoutFailed } from "./not-failed.js";
import { INSIDE } from "../thread/inside.js";
import type { AnyThread } from "../thread/thread.js";

type Values = Record<string, unknown>;

/** The options of {@link runInput}. */
export interface RunInputOptions {
  /** The tools that the front end offers; the first of two with one name. */
  tools?: readonly Tool[] | undefined;
  context?: readonly { description: string; value: string }[] | undefined;
  forwardedProps?: unknown;
  /** The run's id; a new one if you leave it out. The id of the thread's last run asks for that run again. */
  runId?: string | undefined;
  parentRunId?: string | undefined;
  /** The answers to the last run's interrupts. */
  resume?: readonly { interruptId: string; status: "resolved" | "cancelled"; payload?: unknown }[] | undefined;
  /** The server's name for the conversation, if the thread does not know it. */
  threadId?: string | undefined;
  /** The thread's schema, if the thread has no property `schema`. */
  schema?: Schema<never> | Schema<unknown> | undefined;
  /**
   * Which part of the state to send. `"new"`, the default, for servers that keep the state: the input fields that the
   * server does not have yet. `"whole"`, for servers that keep none: all input fields. Or the state itself.
   */
  state?: "new" | "whole" | object | undefined;
  /**
   * Which messages to send. `"whole"`, the default, all. `"new"`, for servers that keep their threads: those that the
   * server does not have yet, or has otherwise.
   */
  messages?: "new" | "whole" | undefined;
}

const NAMES: NamesOf<RunInputOptions> = {
  tools: true,
  context: true,
  forwardedProps: true,
  runId: true,
  parentRunId: true,
  resume: true,
  threadId: true,
  schema: true,
  state: true,
  messages: true,
};

/** The body of a request for a run: AG-UI's `RunAgentInput`. */
export interface RunAgentInput {
  threadId: string;
  runId: string;
  /** The version of AG-UI that this package speaks. */
  protocolVersion: string;
  parentRunId?: string;
  messages: object[];
  state: object;
  tools: Tool[];
  context: { description: string; value: string }[];
  forwardedProps: unknown;
  resume?: { interruptId: string; status: "resolved" | "cancelled"; payload?: unknown }[];
}

/** The methods that sending needs from a thread, besides folding. */
interface SendingThread extends FoldingThread, FailingThread {}

/**
 * Returns the body of a run request. It has the thread's messages in AG-UI's form, including pending ones. It has the
 * tools, each once, the context and the state that the server lacks. It omits failed updates, which wait for a retry.
 * It also omits messages still being streamed or broken off by their run, and activities, which are only for the
 * screen.
 *
 * A server that keeps the state folds what you send into it. It would append a list to itself: one entry a turn would
 * be 1, 3, 7 entries. So a value that the server sent, or that a successful run submitted, is not sent again. If a list
 * or an object grew here, only the new part is sent. Values from `thread.receive` are the server's, in a run and
 * outside. Initial values and those from `thread.update` are yours until a run submits them.
 *
 * @throws {@link ThreadfoldError} `INVALID_ARGUMENT` for an invalid thread or a missing thread id; and if several
 *   pending updates write one field that has a reducer of its own, since only that reducer could make one of them.
 *
 * @example
 * ```ts
 * import { Thread, type AgUiState } from "threadfold";
 * import { foldAgUi, runInput } from "threadfold/ag-ui";
 *
 * const thread = new Thread<AgUiState & { mood?: string; log?: string[] }>({ threadId: "t1" });
 * await foldAgUi(thread, [
 *   { type: "RUN_STARTED", threadId: "t1", runId: "r1" },
 *   { type: "STATE_SNAPSHOT", snapshot: { log: ["began"], mood: "calm" } },
 *   { type: "RUN_FINISHED", threadId: "t1", runId: "r1" },
 * ]);
 * thread.optimistic({ messages: [{ id: "q", role: "user", content: "Hi" }], mood: "curious" });
 * const input = runInput(thread, { tools: [{ name: "confirm" }, { name: "confirm" }] });
 * console.log(input.messages.length, input.tools.length, input.state); // 1 1 { mood: 'curious' }
 * ```
 */
export function runInput(thread: AnyThread, options: RunInputOptions = {}): RunAgentInput {
  foldOf(thread);
  if (typeof options !== "object" || options === null)
    throw new ThreadfoldError("INVALID_ARGUMENT", "The options of runInput should be an object.");
  checkOptions("runInput", options, Object.keys(NAMES));
  const threadId = options.threadId ?? thread.threadId;
  if (threadId === undefined) {
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      "A run needs a thread id: new Thread({ threadId }), or runInput(thread, { threadId }).",
    );
  }
  const shown = withoutFailed(thread);
  const { context = [], forwardedProps = {}, parentRunId, resume, runId = newId() } = options;
  return {
    threadId,
    runId,
    protocolVersion: PROTOCOL_VERSION,
    ...(parentRunId !== undefined && { parentRunId }),
    messages: history(thread, shown, choice(options, "messages", ["whole", "new"]) === 1),
    state: stateToSend(thread, shown, options),
    tools: mergeTools([], options.tools),
    context: [...context],
    forwardedProps,
    ...(resume !== undefined && { resume: [...resume] }),
  };
}

interface Message {
  readonly id?: string;
  readonly role?: unknown;
}

/** Returns the messages to send, whole and in AG-UI's form. */
function history(thread: SendingThread, { state }: Shown, onlyNew: boolean): object[] {
  const { messages = [] } = state as { messages?: readonly Message[] };
  const partial = new Set<unknown>(thread.incompleteIds);
  const said = onlyNew ? ((thread[INSIDE].said("messages") ?? []) as readonly Message[]) : [];
  const known = new Map(said.map((message) => [message.id, message]));
  return messages.flatMap((message) => {
    if (partial.has(message.id) || (known.has(message.id) && sameJson(known.get(message.id), message))) return [];
    // A message with a role is in AG-UI's form, also with a role of a later version.
    const sent: { role?: unknown } = typeof message.role === "string" ? message : toAgUi(message);
    return sent.role === "activity" ? [] : [sent];
  });
}

function stateToSend(
  thread: SendingThread,
  all: Shown,
  { state = "new", schema = thread.schema as Schema<unknown> | undefined }: RunInputOptions,
): object {
  if (typeof state === "object") return state;
  const { messages: _, ...shown } = all.state as Values;
  const input = schema ? ((schema as Schema<unknown>).input(shown).values as Values) : shown;
  if (state === "whole") return input;
  const fields = (schema?.fields ?? READY_MADE) as Fields;
  const initial = (schema as Schema<unknown> | undefined)?.initial() as Values | undefined;
  const sent: Values = {};
  for (const [key, value] of Object.entries(input)) {
    const update = updateFor(all.pending, thread[INSIDE].said(key), {
      key,
      value,
      kind: fields[key]?.kind ?? "replace",
      initial: initial?.[key],
    });
    if (update !== undefined) sent[key] = update;
  }
  return sent;
}

/** The kinds of the fields of a thread without a schema. */
const READY_MADE = { tools: { kind: "tools" }, todos: { kind: "todos" }, files: { kind: "files" } };

interface FieldToSend {
  readonly key: string;
  readonly value: unknown;
  readonly kind: string;
  readonly initial: unknown;
}

/** Returns the update of a field with which the server's reducer arrives at the shown value; undefined for none. */
function updateFor(pending: Shown["pending"], said: unknown, { key, value, kind, initial }: FieldToSend): unknown {
  if (sameJson(value, said)) return undefined;
  switch (kind) {
    case "append":
      return nonEmpty(added(value, said ?? initial));
    case "tools":
      return nonEmpty(addedItems(value, said ?? initial));
    case "files":
      return changedKeys(value, said ?? initial, null);
    case "merge":
      return changedKeys(value, said ?? initial, undefined);
    case "reducer":
      return onlyWrite(pending, key);
    case "todos":
      // The initial empty list does not count as a plan.
      return said === undefined && Array.isArray(value) && value.length === 0 ? undefined : value;
    default:
      return value;
  }
}

/** Returns the items appended to a list; nothing if the list does not begin as it did before. */
function added(list: unknown, before: unknown): unknown[] {
  if (!Array.isArray(list)) return [];
  const known = Array.isArray(before) ? (before as unknown[]) : [];
  return known.every((item, at) => sameJson(item, list[at])) ? list.slice(known.length) : [];
}

function addedItems(list: unknown, before: unknown): unknown[] {
  if (!Array.isArray(list)) return [];
  const known = Array.isArray(before) ? (before as unknown[]) : [];
  return list.filter((item) => !known.some((other) => sameJson(item, other)));
}

/**
 * Returns the entries of an object that are new or different, and for those that are gone what makes the reducer remove
 * them.
 */
function changedKeys(value: unknown, before: unknown, gone: null | undefined): object | undefined {
  const [now, known] = [{ ...(value as Values) }, { ...(before as Values) }];
  const changed = Object.entries(now).filter(([key, item]) => !sameJson(item, known[key]));
  const removed =
    gone === null
      ? Object.keys(known)
          .filter((key) => !Object.hasOwn(now, key))
          .map((key) => [key, null] as const)
      : [];
  return changed.length + removed.length === 0 ? undefined : Object.fromEntries([...changed, ...removed]);
}

const nonEmpty = (list: unknown[]) => (list.length === 0 ? undefined : list);

/** Returns what a pending update wrote to a field with a reducer of its own. */
function onlyWrite(pending: Shown["pending"], key: string): unknown {
  const writes = pending.map(({ update }) => update as Values).filter((update) => Object.hasOwn(update, key));
  if (writes.length > 1) {
    throw new ThreadfoldError(
      "INVALID_ARGUMENT",
      `Several pending updates write '${key}', which has a reducer of its own: set the option 'state' to what to send.`,
    );
  }
  return writes[0]?.[key];
}
