// The events of protocol v2: `POST /threads/{id}/stream/events`.
import { ThreadfoldError } from "../shared/errors.js";
import type { Conversation, Speaker } from "./conversation.js";
import { isDict, type Dict } from "../shared/dict.js";
import { isToolsOwn, toolsGraph } from "./namespace.js";
import { isBefore } from "./part-keys.js";
import type { Run } from "./run.js";
import { V2Message } from "./v2-message.js";
import { INSIDE } from "../thread/inside.js";

/** An event as the server sends it. */
export interface ProtocolEvent {
  readonly type: "event";
  readonly event_id?: string | undefined;
  readonly seq?: number | undefined;
  readonly method: string;
  readonly params: {
    readonly namespace?: readonly string[] | undefined;
    readonly node?: string | undefined;
    readonly data?: unknown;
  };
}

export class ProtocolV2 {
  readonly #conversation: Conversation;
  /** The message that each node is saying. */
  readonly #speaking = new Map<string, V2Message>();
  /** Runs that are over: a new connection brings the whole thread again. */
  readonly #over = new Set<string>();
  #runId: string | undefined;
  #skipping = false;
  /**
   * The step of the state that comes next, the highest that a state of this run had, and the one that the thread had.
   */
  #step: number | undefined;
  #lastStep: number | undefined;
  #floor: number | undefined;
  /** The calls that tools were started for, by their namespaces. */
  readonly #toolCalls = new Map<string, string>();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** Sets the step of the thread's own state: earlier states are skipped. */
  standsAt(step: number): void {
    this.#floor = step;
  }

  /** Whether the events are those of an earlier run that the thread has had. */
  get isSkipping(): boolean {
    return this.#skipping;
  }

  /** Whether an event in the namespace of a tool is this graph's: the tool's start, and its result. */
  owns(event: ProtocolEvent): boolean {
    const { namespace = [], data } = event.params;
    if (toolsGraph(namespace) < namespace.length) return false;
    if (event.method !== "messages") return event.method === "tools";
    return isDict(data) && (this.#isResult(data, namespace) || this.#speaking.has(speakerOf(event)));
  }

  /** Returns the call of the tool that works in a namespace, if the server has named it. */
  callIn(namespace: readonly string[]): string | undefined {
    return this.#toolCalls.get(namespace.join("|"));
  }

  take(event: ProtocolEvent, run: Run): void {
    const { method, params } = event;
    const { data } = params;
    const namespace = namespaceOf(event);
    const isRoot = namespace.length === 0;
    if (method === "lifecycle") {
      if (isRoot && isDict(data)) this.#lifecycle(event, data, run);
      return;
    }
    if (this.#skipping) return;
    switch (method) {
      case "values": {
        const values = run.stateOf(data, namespace);
        // Events after a run's end may be repeated in the middle of the next run.
        if (isRoot && values && !isBefore(event.event_id, this.#conversation.thread.run?.lastEventId))
          this.#values(values);
        break;
      }
      case "updates":
        this.#updates(data, namespace, run);
        break;
      case "messages":
        if (isDict(data)) this.#messages(event, data, namespace);
        break;
      case "input.requested":
        this.#requested(data, namespace, run);
        break;
      case "tools":
        if (isDict(data) && data["event"] === "tool-started" && typeof data["tool_call_id"] === "string") {
          this.#toolCalls.set(namespace.join("|"), data["tool_call_id"]);
        }
        break;
      case "checkpoints":
        if (isRoot && isDict(data) && typeof data["step"] === "number") this.#step = data["step"];
        break;
      default:
      // Channels without state: custom, tasks, and those of later versions.
    }
  }

  /** Passes over an event that the thread has had. */
  skip(event: ProtocolEvent, run: Run): void {
    const { method, params } = event;
    const namespace = namespaceOf(event);
    if (method === "lifecycle" && namespace.length === 0 && isDict(params.data) && isBegin(params.data)) {
      // The repeated run is the thread's own: its new parts are folded.
      this.#skipping = false;
    } else if (method === "input.requested" && !this.#skipping) this.#requested(params.data, namespace, run);
  }

  #requested(data: unknown, namespace: readonly string[], run: Run): void {
    if (isDict(data)) run.interrupt({ id: data["interrupt_id"] as string, value: data["payload"], namespace });
  }

  #lifecycle(event: ProtocolEvent, data: Dict, run: Run): void {
    const runId = runOf(event);
    if (isBegin(data)) {
      this.#skipping = runId !== undefined && this.#over.has(runId);
      if (this.#skipping) return;
      this.#runId = runId;
      this.#speaking.clear();
      this.#toolCalls.clear();
      this.#step = this.#lastStep = undefined;
      run.start(runId);
      return;
    }
    if (this.#skipping || !ENDS.has(data["event"])) return;
    const over = runId ?? this.#runId;
    if (over !== undefined) this.#over.add(over);
    run.runId ??= over;
    this.#speaking.clear();
    if (data["event"] === "failed") run.fail(data["error"]);
    else {
      // Its question came by a channel that was not subscribed to.
      if (data["event"] === "interrupted" && run.interrupts.length === 0) run.interrupt({ namespace: [] });
      run.finish();
    }
  }

  #values(values: Dict): void {
    const step = this.#step;
    this.#step = undefined;
    if (step !== undefined) {
      if (step < Math.max(this.#lastStep ?? step, this.#floor ?? step)) return;
      this.#lastStep = step;
    }
    this.#conversation.values(values);
  }

  #updates(data: unknown, namespace: readonly string[], run: Run): void {
    if (!isDict(data)) return;
    const { node, values } = data;
    if (node === "__interrupt__") run.interruptsOf(isDict(values) ? values["value"] : values, namespace);
    // Without a node it is what several wrote at once; the state that follows has it.
    else if (namespace.length === 0 && typeof node === "string" && isDict(values)) this.#conversation.update(values);
  }

  #messages(event: ProtocolEvent, data: Dict, namespace: readonly string[]): void {
    if (isToolsOwn(namespace) && !this.#isResult(data, namespace) && !this.#speaking.has(speakerOf(event))) return;
    const speaker = speakerOf(event);
    const isGuest = namespace.length > 0;
    if (data["event"] === "message-start") {
      this.#start(speaker, data, namespace);
      return;
    }
    const spoken = this.#speaking.get(speaker) ?? this.#takeUp(speaker);
    if (!spoken) return;
    const text = spoken.token(data);
    if (text !== undefined) {
      if (!this.#conversation.say(spoken.id, text, { task: speaker, isGuest }))
        this.#show(spoken.message, true, { task: speaker, isGuest });
      return;
    }
    spoken.adopt(() => this.#conversation.thread.getConfirmedMessage(spoken.id));
    if (data["event"] === "message-finish") {
      this.#speaking.delete(speaker);
      this.#show(spoken.finish(data), false, { task: speaker, isGuest });
    } else if (data["event"] === "error") this.#speaking.delete(speaker);
    else if (spoken.block(data)) this.#show(spoken.message, true, { task: speaker, isGuest });
  }

  #start(speaker: string, data: Dict, namespace: readonly string[]): void {
    const { id, role } = data;
    if (typeof id !== "string" || id === "") {
      this.#conversation.thread[INSIDE].report(
        new ThreadfoldError("INVALID_MESSAGE", "A message of the stream has no id."),
        data,
      );
      return;
    }
    this.#speaking.delete(speaker);
    if (this.#conversation.isWhole(id)) return;
    const spoken = V2Message.start(id, typeof role === "string" ? role : "ai", data, this.#callOf(data, namespace));
    this.#speaking.set(speaker, spoken);
    this.#show(spoken.message, true, { task: speaker, isGuest: namespace.length > 0 });
  }

  /** Whether this begins a tool's result, which the server sends in the call's namespace. */
  #isResult(data: Dict, namespace: readonly string[]): boolean {
    if (data["event"] !== "message-start" || data["role"] !== "tool" || isToolsOwn(namespace.slice(0, -1)))
      return false;
    return namespace.at(-1) === `tools:${this.#callOf(data, namespace)}` || this.#toolCalls.has(namespace.join("|"));
  }

  /**
   * Returns the call that a tool's message answers. Older servers name it only in the message's id, or where the tool
   * started.
   */
  #callOf({ id, tool_call_id: callId }: Dict, namespace: readonly string[]): string | undefined {
    if (typeof callId === "string") return callId;
    return /-tool-(.+)$/.exec(String(id))?.[1] ?? this.#toolCalls.get(namespace.join("|"));
  }

  /** Goes on with a message that was under way when the thread was saved. */
  #takeUp(speaker: string): V2Message | undefined {
    const orphan = this.#conversation.orphan();
    if (!orphan) return undefined;
    const spoken = V2Message.goingOn(orphan);
    this.#speaking.set(speaker, spoken);
    return spoken;
  }

  #show(message: Dict, open: boolean, speaker: Speaker): void {
    this.#conversation.show(message, { open, speaker });
  }
}

const ENDS = new Set<unknown>(["completed", "failed", "interrupted"]);

const isBegin = ({ event }: Dict): boolean => event === "running" || event === "started";

/** Returns the run of an event. Events that the server itself makes up name it. */
const runOf = ({ event_id: id }: ProtocolEvent): string | undefined => /^synth:([^:]+):/.exec(id ?? "")?.[1];

const speakerOf = ({ params: { namespace = [], node = "" } }: ProtocolEvent): string =>
  `${namespace.join("/")}::${node}`;

function namespaceOf({ params: { namespace = [] } }: ProtocolEvent): readonly string[] {
  if (Array.isArray(namespace)) return namespace;
  throw new ThreadfoldError("INVALID_ARGUMENT", "The namespace of an event should be a list.");
}
