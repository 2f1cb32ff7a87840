// The events of protocol v2: `POST /threads/{id}/stream/events`.
import { ThreadfoldError } from "threadfold";
import type { Conversation, Speaker } from "./conversation.js";
import type { RunFold } from "./fold-run.js";
import { isDict, type Dict } from "./merge.js";
import { isToolsOwn } from "./namespace.js";
import { isBefore } from "./part-keys.js";
import { V2Message } from "./v2-message.js";

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
  /** Runs that are over: whoever connects anew is told the whole thread again. */
  readonly #over = new Set<string>();
  #runId: string | undefined;
  #skipping = false;
  /** The step of the state that comes next, and the highest that a state of this run had. */
  #step: number | undefined;
  #lastStep: number | undefined;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  take(event: ProtocolEvent, run: RunFold): void {
    const { method, params } = event;
    const { namespace = [], data } = params;
    const isRoot = namespace.length === 0;
    if (method === "lifecycle") {
      if (isRoot && isDict(data)) this.#lifecycle(event, data, run);
      return;
    }
    if (this.#skipping) return;
    switch (method) {
      case "values": {
        const values = run.stateOf(data, namespace);
        // What comes after a run's end may be told again in the middle of the next.
        if (isRoot && values && !isBefore(event.event_id, this.#conversation.thread.run?.lastEventId)) this.#values(values);
        break;
      }
      case "updates":
        this.#updates(data, namespace, run);
        break;
      case "messages":
        if (isDict(data)) this.#messages(event, data, namespace);
        break;
      case "input.requested":
        if (isDict(data)) run.interrupt({ id: data["interrupt_id"] as string, value: data["payload"], namespace });
        break;
      case "checkpoints":
        if (isRoot && isDict(data) && typeof data["step"] === "number") this.#step = data["step"];
        break;
      case "custom":
        if (isDict(data) && "payload" in data) run.custom(data["payload"], namespace, data["name"] as string | undefined);
        else run.custom(data, namespace);
        break;
      default:
      // What tells nothing of the state: tools, whose results are messages, tasks, and what there may come to be.
    }
  }

  /** An event that the thread has had. */
  skip(event: ProtocolEvent): void {
    const { method, params } = event;
    if (method === "lifecycle" && (params.namespace ?? []).length === 0 && isDict(params.data) && isBegin(params.data)) {
      // The run that is told again is the thread's own: what is new in it is news.
      this.#skipping = false;
    }
  }

  #lifecycle(event: ProtocolEvent, data: Dict, run: RunFold): void {
    const runId = runOf(event);
    if (isBegin(data)) {
      this.#skipping = runId !== undefined && this.#over.has(runId);
      if (this.#skipping) return;
      this.#runId = runId;
      this.#speaking.clear();
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
    else run.finish();
  }

  #values(values: Dict): void {
    const step = this.#step;
    this.#step = undefined;
    if (step !== undefined) {
      if (this.#lastStep !== undefined && step < this.#lastStep) return;
      this.#lastStep = step;
    }
    this.#conversation.values(values);
  }

  #updates(data: unknown, namespace: readonly string[], run: RunFold): void {
    if (!isDict(data)) return;
    const { node, values } = data;
    if (node === "__interrupt__") run.interruptsOf(isDict(values) ? values["value"] : values, namespace);
    // Without a node it is what several wrote at once, which the state that follows tells.
    else if (namespace.length === 0 && typeof node === "string" && isDict(values)) this.#conversation.update(values);
  }

  #messages(event: ProtocolEvent, data: Dict, namespace: readonly string[]): void {
    if (isToolsOwn(namespace) && !isResult(data, namespace) && !this.#speaking.has(speakerOf(event))) return;
    const speaker = speakerOf(event);
    const isGuest = namespace.length > 0;
    if (data["event"] === "message-start") {
      this.#start(speaker, data, isGuest);
      return;
    }
    const spoken = this.#speaking.get(speaker) ?? this.#takeUp(speaker);
    if (!spoken) return;
    if (data["event"] === "message-finish") {
      this.#speaking.delete(speaker);
      this.#show(spoken.finish(data), false, { task: speaker, isGuest });
    } else if (data["event"] === "error") this.#speaking.delete(speaker);
    else if (spoken.block(data)) this.#show(spoken.message, true, { task: speaker, isGuest });
  }

  #start(speaker: string, data: Dict, isGuest: boolean): void {
    const { id, role } = data;
    if (typeof id !== "string" || id === "") {
      this.#conversation.thread.report(new ThreadfoldError("INVALID_MESSAGE", "A message of the stream has no id."), data);
      return;
    }
    this.#speaking.delete(speaker);
    if (this.#conversation.isWhole(id)) return;
    const spoken = V2Message.start(id, typeof role === "string" ? role : "ai", data);
    this.#speaking.set(speaker, spoken);
    this.#show(spoken.message, true, { task: speaker, isGuest });
  }

  /** A message that was under way in the thread's earlier life goes on. */
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

/** Events that the server makes up itself name their run. */
const runOf = ({ event_id: id }: ProtocolEvent): string | undefined => /^synth:([^:]+):/.exec(id ?? "")?.[1];

const speakerOf = ({ params: { namespace = [], node = "" } }: ProtocolEvent): string => `${namespace.join("/")}::${node}`;

/** A tool's result, which the server tells in a namespace named by the call. */
const isResult = (data: Dict, namespace: readonly string[]): boolean =>
  data["event"] === "message-start" &&
  data["role"] === "tool" &&
  namespace.at(-1) === `tools:${String(data["tool_call_id"])}` &&
  !isToolsOwn(namespace.slice(0, -1));
