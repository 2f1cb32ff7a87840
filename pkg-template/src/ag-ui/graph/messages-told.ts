// The messages of a graph as AG-UI's events: parts as they come, whole lists where the events did not say it all.
import { textOf } from "../../state/message-content.js";
import { isDict, type Dict } from "../../shared/dict.js";
import { readMessage, type WireMessage } from "../../langgraph/message-form.js";
import { isSummarizing, taskOf } from "../../langgraph/message-metadata.js";
import { isToolsOwn } from "../../langgraph/namespace.js";
import { newId } from "../../shared/new-id.js";
import { snapshotOf, type ClientMessages } from "./client-messages.js";
import type { GraphEvent, ServedEvent } from "./graph-event.js";
import { InsideTold } from "./inside-told.js";
import { reasoningId, reasoningIn } from "./message-told.js";
import { nonEmptyText } from "../../shared/non-empty-text.js";
import { REPEATS, WHOLE } from "./whole.js";

/** A message that is being streamed. */
interface Open {
  readonly id: string;
  /** The task that streams it: it is complete when the task is done. */
  readonly task: string;
  hasText: boolean;
  hasReasoning: boolean;
  /** Ids of its tool calls, by their index; those that got no end yet. */
  readonly calls: Map<unknown, string>;
}

/** Tracks which of a run's messages a client has received. */
export class MessagesTold {
  readonly #open = new Map<string, Open>();
  /** Ids of the messages that the client has. */
  readonly #known: Set<string>;
  /** The messages streamed in parts in this run and not yet as a whole, with their streamed calls. */
  readonly #parts = new Map<string, Set<string>>();
  #list: readonly unknown[] | undefined;
  readonly #inside = new InsideTold();
  /** Whether the run has reported a list: its next one has the same objects. */
  #isFollowed = false;
  /** Whether the client should get the whole list at the end. */
  #isDue = false;

  /** The rules of `predict_state` that a model's call has in its metadata, until a client has them. */
  #rules: readonly Dict[] | undefined;
  /** Ids of the messages whose rules were read. */
  readonly #ruled = new Set<unknown>();
  readonly #client: ClientMessages | undefined;
  /** Whether those who join the run still lack the messages after its input, which the client has. */
  #repeatsInput: boolean;

  /**
   * @param known - Ids of the messages that the client has.
   * @param client - The messages of a client that folds; `base` as it has them.
   */
  constructor(known: Iterable<string>, client?: ClientMessages, base?: readonly unknown[], repeatsInput = false) {
    this.#known = new Set(known);
    this.#client = client;
    this.#list = base;
    this.#repeatsInput = repeatsInput;
  }

  /** Emits a part of the stream mode `messages`: a message or a chunk of one, and its source. */
  *part(payload: unknown, ns: readonly string[]): Generator<GraphEvent> {
    const [message, metadata] = Array.isArray(payload) ? (payload as unknown[]) : [];
    const wire = readMessage(message);
    if (!wire || isSummarizing(metadata)) return;
    const said = taskOf(metadata);
    const { predict_state: rules } = isDict(metadata) ? metadata : {};
    const { id } = wire.fields;
    if (Array.isArray(rules) && !this.#ruled.has(id)) this.#rules = rules as Dict[];
    if (rules) this.#ruled.add(id);
    const graph = ns.length > 0 ? ns : said.split("|").slice(0, -1);
    if (isToolsOwn(graph)) return;
    // The list may not come to have it.
    this.#isDue = true;
    const task = said.slice(said.lastIndexOf(":") + 1);
    if (wire.type === "ai") yield* this.#assistant(wire, task);
    else if (wire.type === "tool") yield* this.#result(wire);
  }

  /** Ends the messages of a task that is done; without a task, all of them. */
  *end(task?: string, result?: unknown): Generator<GraphEvent> {
    for (const message of messagesIn(result)) yield* this.#rest(message);
    for (const open of this.#open.values()) if (task === undefined || open.task === task) yield* this.#end(open);
  }

  /** Keeps what a node of a graph inside has written, until the node around it has returned. */
  keepInside(ns: readonly string[], result: unknown): void {
    this.#inside.note(ns, messagesIn(result), (id) => typeof id === "string" && this.#known.has(id));
  }

  /** The node around a graph inside has returned: the list has what it keeps. */
  returned(task: string): void {
    this.#inside.forget(task);
  }

  /** Tells the messages of a state, where the parts did not: of others, and of what was taken out. */
  *list(given: unknown): Generator<ServedEvent> {
    if (!Array.isArray(given)) return;
    const list = given as readonly unknown[];
    const before = this.#list ?? [];
    this.#list = list;
    this.#isDue ||= list.length > 0;
    let same = 0;
    if (this.#client && !this.#isFollowed) same = this.#client.common(list);
    this.#isFollowed = true;
    while (same < list.length && list[same] === before[same]) same++;
    const news = list.slice(same);
    if (this.#parts.size > 0) for (const message of news) yield* this.#rest(message);
    const now = new Set(news.map(idOf));
    const gone = before
      .slice(same)
      .map(idOf)
      .filter((id) => !now.has(id));
    const isNews = gone.length > 0 || [...now].some((id) => !(typeof id === "string" && this.#known.has(id)));
    // A message of a folding client that is gone may come again, in parts.
    if (this.#client) for (const id of gone) this.#known.delete(id as string);
    if (isNews) yield this.#snapshot();
    else if (this.#repeatsInput) yield repeated(list);
    this.#repeatsInput = false;
  }

  /** The last word on the messages. */
  *finish(): Generator<GraphEvent> {
    yield* this.end();
    // A graph may have no messages in its state.
    const hasList = this.#isFollowed || (this.#list ?? []).length > 0;
    if (this.#isDue && hasList) yield this.#snapshot(true);
  }

  *#assistant(wire: WireMessage, task: string): Generator<GraphEvent> {
    const { fields } = wire;
    const id = nonEmptyText(fields["id"]) ?? this.#unnamed(task);
    let open = this.#open.get(id);
    if (!wire.part && this.#parts.has(id)) return yield* this.#rest(fields);
    if (!open) {
      if (this.#known.has(id)) return;
      if (wire.part) this.#parts.set(id, new Set());
      open = { id, task, hasText: false, hasReasoning: false, calls: new Map() };
      this.#open.set(id, open);
      this.#known.add(id);
    }
    yield* this.#reasoning(open, fields["content"]);
    yield* this.#text(open, textOf(fields as never));
    if (wire.part) for (const chunk of listOf(fields["tool_call_chunks"])) yield* this.#callPart(open, chunk);
    else for (const call of listOf(fields["tool_calls"])) yield* this.#call(open, call);
    if (!wire.part || fields["chunk_position"] === "last") yield* this.#end(open);
  }

  /** Emits the calls of a whole message that its parts did not have, such as of a model that streams text manually. */
  *#rest(given: unknown): Generator<GraphEvent> {
    const id = nonEmptyText((given as Dict | null | undefined)?.["id"]);
    const told = id === undefined ? undefined : this.#parts.get(id);
    if (id === undefined || !told) return;
    this.#parts.delete(id);
    const open = this.#open.get(id);
    const behind = open ?? { id, task: "", hasText: false, hasReasoning: false, calls: new Map<unknown, string>() };
    for (const call of listOf((given as Dict)["tool_calls"]))
      if (nonEmptyText(call["id"]) !== undefined && !told.has(call["id"] as string)) yield* this.#call(behind, call);
    if (!open) yield* this.#end(behind);
  }

  *#reasoning(open: Open, content: unknown): Generator<GraphEvent> {
    const delta = reasoningIn(content);
    if (delta === "") return;
    const messageId = reasoningOf(open);
    if (!open.hasReasoning) yield { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" };
    open.hasReasoning = true;
    yield { type: "REASONING_MESSAGE_CONTENT", messageId, delta };
  }

  *#text(open: Open, delta: string): Generator<GraphEvent> {
    if (delta === "") return;
    if (!open.hasText) {
      yield* endOfReasoning(open);
      yield { type: "TEXT_MESSAGE_START", messageId: open.id, role: "assistant" };
    }
    open.hasText = true;
    yield { type: "TEXT_MESSAGE_CONTENT", messageId: open.id, delta };
  }

  *#callPart(open: Open, { id, name, args, index }: Dict): Generator<GraphEvent> {
    const key = index ?? id;
    const toolCallId = open.calls.get(key) ?? nonEmptyText(id);
    if (toolCallId === undefined) return;
    if (!open.calls.has(key)) yield* this.#startOfCall(open, key, toolCallId, name);
    if (nonEmptyText(args) !== undefined) yield { type: "TOOL_CALL_ARGS", toolCallId, delta: args as string };
  }

  *#call(open: Open, { id, name, args }: Dict): Generator<GraphEvent> {
    const toolCallId = nonEmptyText(id) ?? newId();
    yield* this.#startOfCall(open, toolCallId, toolCallId, name);
    yield { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args ?? {}) };
  }

  *#startOfCall(open: Open, key: unknown, toolCallId: string, name: unknown): Generator<GraphEvent> {
    // As ag-ui-langgraph does: before the first call of a tool that the rules name.
    if (this.#rules?.some(({ tool }) => tool === name)) {
      yield { type: "CUSTOM", name: "PredictState", value: this.#rules };
      this.#rules = undefined;
    }
    open.calls.set(key, toolCallId);
    this.#parts.get(open.id)?.add(toolCallId);
    yield { type: "TOOL_CALL_START", toolCallId, toolCallName: nonEmptyText(name) ?? "", parentMessageId: open.id };
  }

  *#result({ fields }: WireMessage): Generator<GraphEvent> {
    const id = nonEmptyText(fields["id"]) ?? newId();
    if (this.#known.has(id)) return;
    this.#known.add(id);
    const toolCallId = nonEmptyText(fields["tool_call_id"]);
    if (toolCallId === undefined) return;
    // A call is complete by now, even if its message is still being streamed.
    for (const open of this.#open.values()) if ([...open.calls.values()].includes(toolCallId)) yield* this.#end(open);
    yield {
      type: "TOOL_CALL_RESULT",
      messageId: id,
      toolCallId,
      content: textOf(fields as never),
      role: "tool",
    };
  }

  *#end(open: Open): Generator<GraphEvent> {
    this.#open.delete(open.id);
    yield* endOfReasoning(open);
    if (open.hasText) yield { type: "TEXT_MESSAGE_END", messageId: open.id };
    for (const toolCallId of open.calls.values()) yield { type: "TOOL_CALL_END", toolCallId };
  }

  /** The id of a message whose parts have none: the task streams one at a time. */
  #unnamed(task: string): string {
    for (const open of this.#open.values()) if (open.task === task) return open.id;
    return newId();
  }

  #snapshot(isLast = false): GraphEvent {
    this.#isDue = this.#open.size > 0;
    const list = this.#inside.with(this.#list ?? []);
    const event = this.#client ? this.#client[isLast ? "closing" : "snapshot"](list) : snapshotOf(list);
    for (const id of [...list, ...(event["messages"] as object[])].map(idOf))
      if (typeof id === "string") this.#known.add(id);
    return event;
  }
}

/** The messages that a client has, for those who join the run. A long list is read only if somebody does. */
const repeated = (list: readonly unknown[]): ServedEvent => ({
  type: "MESSAGES_SNAPSHOT",
  get messages() {
    return snapshotOf(list).messages;
  },
  [WHOLE]: () => snapshotOf(list),
  [REPEATS]: true,
});

function* endOfReasoning(open: Open): Generator<GraphEvent> {
  if (open.hasReasoning) yield { type: "REASONING_MESSAGE_END", messageId: reasoningOf(open) };
  open.hasReasoning = false;
}

const idOf = (message: unknown): unknown => (message as { id?: unknown } | null)?.id;

const reasoningOf = ({ id }: Open) => reasoningId(id);

/** The messages that a task wrote: its result is an object of the fields, or a list of them. */
export function messagesIn(result: unknown): readonly unknown[] {
  const writes = Array.isArray(result) ? (result as unknown[]) : isDict(result) ? Object.entries(result) : [];
  return writes.flatMap((write) => (Array.isArray(write) && write[0] === "messages" ? [write[1]].flat() : []));
}
const listOf = (value: unknown): readonly Dict[] => (Array.isArray(value) ? value.filter(isDict) : []);
