// The folding of one graph's stream into its thread, and of its tools' graphs into theirs.
import type { Position, ReceivingThread } from "../stream/delivery.js";
import { catchUp, hadBySubagent, passed } from "../stream/catch-up.js";
import { isOpen } from "../thread/run-status.js";
import { INSIDE } from "../thread/inside.js";
import type { Subagents } from "../thread/subagents.js";
import type { AnyThread } from "../thread/thread.js";
import { Conversation } from "./conversation.js";
import { isDict, type Dict } from "../shared/dict.js";
import { graphOf, toolsGraph } from "./namespace.js";
import type { LangGraphPart } from "./parts.js";
import { ProtocolV2, type ProtocolEvent } from "./protocol-v2.js";
import { Run } from "./run.js";
import { RunsApi } from "./runs-api.js";
import { certainty, startedBy, type CallHints } from "./subagent-calls.js";
import { nonEmptyText } from "../shared/non-empty-text.js";

/** The folding of a thread's runs: a stream that was cut in the middle of a message is joined again. */
const FOLDINGS = new WeakMap<ReceivingThread, Folding>();

export class Folding {
  readonly conversation: Conversation;
  readonly v2: ProtocolV2;
  readonly api: RunsApi;
  /** The namespace of a sub-agent's graph, from the root; "" for the root. */
  readonly id: string;
  /** The run of a sub-agent's graph. A root's is the reading's. */
  readonly run: Run;
  readonly #children = new Map<string, Folding>();
  /** The certainty of the best hints to a sub-agent's call so far. */
  #certainty = 0;
  /** The parent's run that this one's belongs to. */
  #of = -1;

  constructor(thread: ReceivingThread, id = "") {
    this.id = id;
    this.conversation = new Conversation(thread);
    this.run = new Run(this.conversation);
    this.v2 = new ProtocolV2(this.conversation);
    this.api = new RunsApi(this.conversation, id);
  }

  static of(thread: ReceivingThread): Folding {
    let known = FOLDINGS.get(thread);
    if (!known) FOLDINGS.set(thread, (known = new Folding(thread)));
    return known;
  }

  get thread(): ReceivingThread {
    return this.conversation.thread;
  }

  get subagents(): Subagents {
    return this.#own[INSIDE].subagents();
  }

  get #own(): AnyThread {
    return this.thread as AnyThread;
  }

  /** The stream was cut. */
  catchUp(): void {
    catchUp(this.#own, this.conversation.delivery);
  }

  /** Takes a part at a position, or passes over one that the thread has had. Returns whether it had it. */
  take(part: LangGraphPart, position: Position, begins: boolean, run: Run): boolean {
    const namespace = this.#graphOf(part);
    const end = toolsGraph(namespace);
    if (end > 0) {
      const child = this.#child(namespace.slice(0, end), namespace.length === end ? hintsIn(part) : {});
      hadBySubagent(this.#own, position);
      const [kind] = (part.event ?? "").split("|");
      const event = [kind, ...namespace.slice(end)].join("|");
      const isKnown = child.take({ ...part, event }, position, begins, child.run);
      this.#ask(child, namespace.slice(0, end), run);
      return isKnown;
    }
    const { delivery } = this.conversation;
    const isKnown = !begins && delivery.had(position);
    if (!isKnown) delivery.at(position);
    this.api[isKnown ? "skip" : "take"](part, run);
    if (this.#children.size > 0) {
      this.#results(part);
      passed(this.#own, position);
    }
    return isKnown;
  }

  /** Does the same with an event of protocol v2. */
  takeEvent(event: ProtocolEvent, run: Run): boolean {
    const { namespace = [] } = event.params;
    const end = Array.isArray(namespace) && !this.#owns(event) ? toolsGraph(namespace) : 0;
    if (end > 0) {
      // The server sends an earlier run again.
      if (this.v2.isSkipping) return true;
      const segments = namespace.slice(0, end);
      const isOwn = namespace.length === end;
      const child = this.#child(segments, isOwn ? hintsInEvent(event, this.v2.callIn(segments)) : {});
      const rest = { ...event, params: { ...event.params, namespace: namespace.slice(end) } };
      const isKnown =
        isOwn && event.method === "lifecycle" ? child.#lifecycle(event) : child.takeEvent(rest, child.run);
      this.#ask(child, segments, run);
      return isKnown;
    }
    const { delivery } = this.conversation;
    const position = { id: event.event_id };
    const isKnown = delivery.had(position);
    if (!isKnown) delivery.at(position);
    this.v2[isKnown ? "skip" : "take"](event, run);
    return isKnown;
  }

  /** Whether an event is this graph's, though its namespace is a tool's: older servers send a tool's start and result so. */
  #owns(event: ProtocolEvent): boolean {
    const { namespace = [] } = event.params;
    return this.v2.owns(event) && !(event.method === "tools" && this.#children.has(namespace.join("|")));
  }

  #lifecycle({ params: { data } }: ProtocolEvent): boolean {
    const { event, error } = isDict(data) ? data : {};
    if (event === "completed") this.#finish();
    else if (event === "failed") this.#fail(error);
    return false;
  }

  /** The parent asks what its sub-agent asks. */
  #ask(child: Folding, segments: readonly string[], run: Run): void {
    for (const one of child.run.interrupts)
      if (one.id !== undefined) run.interrupt({ ...one, namespace: [...segments, ...one.namespace] });
  }

  /** Returns the folding of a tool's graph; begins its run with the first part in each run of this thread. */
  #child(segments: readonly string[], hints: CallHints): Folding {
    const key = segments.join("|");
    let child = this.#children.get(key);
    if (!child) {
      const id = this.id === "" ? key : `${this.id}|${key}`;
      const { subagents } = this;
      const known = subagents.list.find((one) => one.id === id);
      const { thread } = known ?? this.#put(id, hints, segments);
      this.#children.set(key, (child = new Folding(thread as AnyThread, id)));
      child.#certainty = certainty(hints);
      if (known && isOpen(thread) && this.conversation.runs === 0) child.#of = 0;
    } else this.#improve(child, hints);
    if (child.#of !== this.conversation.runs) {
      child.#of = this.conversation.runs;
      child.api.start(this.thread.run.id, child.run);
      this.conversation.inner.add(child.#finish);
    }
    return child;
  }

  #put(id: string, hints: CallHints, segments: readonly string[]) {
    const taken = new Set(this.subagents.list.map(({ toolCallId }) => toolCallId));
    const { name = segments.at(-1)?.split(":")[0] ?? "", toolCallId } = startedBy(this.#messages, hints, taken);
    return this.subagents.put({ id, name, toolCallId, parentId: this.id === "" ? undefined : this.id });
  }

  get #messages(): unknown {
    return (this.thread.getConfirmedState() as { messages?: unknown }).messages;
  }

  /** Guesses the call of a sub-agent anew, if a part says more of it than those before. */
  #improve(child: Folding, hints: CallHints): void {
    const now = certainty(hints);
    if (now <= child.#certainty) return;
    child.#certainty = now;
    const { list } = this.subagents;
    const own = list.find(({ id }) => id === child.id);
    const surer = new Set<string>();
    for (const one of this.#children.values()) if (one !== child && one.#certainty >= now) surer.add(one.id);
    const taken = new Set(list.filter(({ id }) => surer.has(id)).map((one) => one.toolCallId));
    const { name, toolCallId } = startedBy(this.#messages, hints, taken, own?.toolCallId);
    if (toolCallId !== undefined) this.#name(child.id, toolCallId, name);
  }

  /** Names the call of a sub-agent. The other one that was taken for its gets what it had. */
  #name(id: string, toolCallId: string, name?: string): void {
    const { subagents } = this;
    const own = subagents.list.find((one) => one.id === id);
    if (!own || (own.toolCallId === toolCallId && own.name === (name ?? own.name))) return;
    const other = subagents.list.find((one) => one !== own && one.toolCallId === toolCallId);
    if (other) subagents.put({ ...other, name: own.name, toolCallId: own.toolCallId });
    subagents.put({ ...own, name: name ?? other?.name ?? own.name, toolCallId });
  }

  /** The namespace of the graph that a part is of. Without one in the event, a message's metadata names its task. */
  #graphOf({ event = "", data }: LangGraphPart): readonly string[] {
    if (event !== "messages" || !Array.isArray(data)) return event.split("|").slice(1);
    return graphOf(this.api.taskOf(data[1]));
  }

  /** Ends the sub-agents whose calls have their results. The task of a result's message names the sub-agent. */
  #results({ event = "", data }: LangGraphPart): void {
    const [kind] = event.split("|");
    if (kind === "messages") {
      const [message, metadata] = Array.isArray(data) ? (data as unknown[]) : [];
      const child = isResult(message) ? this.#children.get(this.api.taskOf(metadata)) : undefined;
      if (child) this.#improve(child, { toolCallId: String((message as Dict)["tool_call_id"]) });
      this.#ended(message);
    } else if (kind === "updates" && isDict(data)) {
      for (const update of Object.values(data).flat()) {
        const { messages } = isDict(update) ? update : {};
        if (Array.isArray(messages)) for (const message of messages) this.#ended(message);
      }
    }
  }

  #ended(message: unknown): void {
    if (!isResult(message)) return;
    const own = this.subagents.list.find(({ toolCallId }) => toolCallId === message["tool_call_id"]);
    const child = [...this.#children.values()].find(({ id }) => id === own?.id);
    if (!child || child.run.ended) return;
    if (message["status"] === "error") child.#fail({ message: String(message["content"]) });
    else child.#finish();
  }

  readonly #finish = (): void => {
    if (this.run.ended) return;
    this.api.steps.finish(this.run.interrupts.length > 0);
    this.run.finish(this.api.steps.hasFoldedInput);
  };

  #fail(error: unknown): void {
    if (!this.run.ended) this.run.fail(error);
  }
}

const isResult = (message: unknown): message is Dict => isDict(message) && message["type"] === "tool";

/** Reads the hints of a part about the call of its sub-agent. */
function hintsIn({ event = "", data }: LangGraphPart): CallHints {
  if (!event.startsWith("messages")) return event.startsWith("values") ? { input: inputIn(data) } : {};
  const [message, metadata] = Array.isArray(data) ? (data as unknown[]) : [];
  const { lc_agent_name: agent } = isDict(metadata) ? metadata : {};
  const { type, name, content } = isDict(message) ? message : {};
  return {
    name: nonEmptyText(agent) ?? (type === "human" || type === "tool" ? undefined : nonEmptyText(name)),
    input: type === "human" ? nonEmptyText(content) : undefined,
  };
}

/** Does the same for an event. A sub-agent's start names its cause; where a tool started, the server named the call. */
function hintsInEvent({ method, params: { data } }: ProtocolEvent, started: string | undefined): CallHints {
  const { cause, tool_call_id: own, graph_name: name } = isDict(data) && method === "lifecycle" ? data : {};
  const { tool_call_id: callId } = isDict(cause) ? cause : {};
  return {
    toolCallId: nonEmptyText(callId) ?? nonEmptyText(own) ?? started,
    name: nonEmptyText(name),
    input: method === "values" ? inputIn(data) : undefined,
  };
}

/** The text of a state's first message, if a sub-agent was given it. */
function inputIn(values: unknown): string | undefined {
  const { messages } = isDict(values) ? values : {};
  const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
  return isDict(first) ? nonEmptyText(first["content"]) : undefined;
}
