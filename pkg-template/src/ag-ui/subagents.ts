// The sub-agents of a run of AG-UI 1.0: each event of one is folded into its own thread.
import { isOpen } from "../thread/run-status.js";
import { hadBySubagent } from "../stream/catch-up.js";
import { INSIDE } from "../thread/inside.js";
import type { Subagent } from "../thread/subagents.js";
import type { AnyThread } from "../thread/thread.js";
import type { AgUiEvent, AgUiInterrupt, HeldMessage, Metadata } from "./event-types.js";
import { foldEvent, kindOf, type Kind } from "./events.js";
import { foldOf, ofServer, type Fold } from "./fold.js";

/** The fields of the events that a sub-agent's run has. */
interface Fields {
  readonly type: string;
  readonly subagentRunId?: string | null;
  readonly messageId?: string;
  readonly toolCallId?: string;
  readonly messages?: readonly HeldMessage[];
  readonly name?: unknown;
  readonly parentSubagentRunId?: unknown;
  readonly parentToolCallId?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly metadata?: Metadata;
  readonly outcome?: { readonly type?: unknown; readonly interruptIds?: readonly string[] };
}

const SNAPSHOT = { type: "MESSAGES_SNAPSHOT" };

/** Reads one thread's stream of events, and finds the sub-agent that each is of. */
export class SubagentFolds {
  readonly #root: AnyThread;
  /** The thread that a sub-agent is in, by its id. */
  readonly #parents = new Map<string, AnyThread>();
  /** The sub-agents that have begun since the run did. */
  readonly #begun = new Set<string>();
  /** The sub-agents of messages and calls, whose later events may not name one. */
  readonly #owners = new Map<string, string>();
  #sawStart = false;

  constructor(root: AnyThread) {
    this.#root = root;
    this.#know(root);
  }

  #know(parent: AnyThread): void {
    for (const { id, thread } of parent.subagents) {
      this.#parents.set(id, parent);
      const { messages = [] } = thread.getState() as { messages?: readonly HeldMessage[] };
      for (const message of messages)
        for (const own of [message, ...(message.toolCalls ?? [])]) this.#owners.set(own.id, id);
      this.#know(thread as AnyThread);
    }
  }

  #find(id: unknown): Subagent | undefined {
    return this.#parents.get(id as string)?.subagents.find((one) => one.id === id);
  }

  /** A sub-agent that has begun. Those of a run that is replayed begin anew with it. */
  #begunOne(id: unknown): Subagent | undefined {
    const one = this.#find(id);
    const isReplayed = this.#sawStart && one?.thread.run.id === this.#root.run.id;
    return one && isReplayed && !this.#begun.has(one.id) ? undefined : one;
  }

  /**
   * Folds an event that is a sub-agent's. Returns the event that is left for the thread itself; undefined if there is
   * none.
   */
  take(kind: Kind, event: AgUiEvent, id: string | undefined, isKnown: boolean): AgUiEvent | undefined {
    const fields = event as unknown as Fields;
    const { type, subagentRunId: named } = fields;
    if (type === "RUN_STARTED") {
      this.#sawStart = true;
      this.#begun.clear();
    } else if (type === "SUBAGENT_STARTED" && typeof named === "string") this.#start(named, fields);
    if (this.#parents.size === 0) return event;
    if (type === "MESSAGES_SNAPSHOT") return this.#snapshot(event, fields, isKnown);
    const end = type === "RUN_FINISHED" ? kind.step?.end?.(foldOf(this.#root), event as never) : undefined;
    if (end?.status === "interrupted") this.#interrupted(end.interrupts);
    const one = this.#begunOne(
      named ?? this.#owners.get(fields.toolCallId ?? "") ?? this.#owners.get(fields.messageId ?? ""),
    );
    if (!one) return event;
    const thread = one.thread as AnyThread;
    if (type === "SUBAGENT_FINISHED") this.#end(thread, fields, isKnown);
    else if (type === "SUBAGENT_ERROR")
      thread.receive({ type: "run-error", error: { message: fields.message, code: fields.code } });
    else if (type !== "SUBAGENT_STARTED") this.#fold(one.id, foldOf(thread), kind, event, id);
    if (id !== undefined) hadBySubagent(this.#root, { id });
    return undefined;
  }

  #fold(owner: string, fold: Fold, kind: Kind, event: AgUiEvent, id: string | undefined): void {
    const { type, messageId, toolCallId } = event as unknown as Fields;
    if (toolCallId !== undefined) this.#owners.set(toolCallId, owner);
    else if (/_(START|CHUNK)$/.test(type) && messageId !== undefined) this.#owners.set(messageId, owner);
    foldEvent(fold, kind, event, id, id !== undefined && fold.delivery.had({ id }));
  }

  #start(id: string, { name, parentSubagentRunId, parentToolCallId }: Fields): void {
    const outer = this.#find(parentSubagentRunId);
    const parent = (outer?.thread ?? this.#root) as AnyThread;
    const one =
      this.#find(id) ??
      parent[INSIDE].subagents().put({
        id,
        name: String(name),
        toolCallId: typeof parentToolCallId === "string" ? parentToolCallId : undefined,
        parentId: outer?.id,
      });
    const thread = one.thread as AnyThread;
    this.#parents.set(id, this.#parents.get(id) ?? parent);
    if (this.#begun.has(id)) return;
    this.#begun.add(id);
    const runId = this.#root.run.id;
    // A stream that is joined in the middle of the run goes on with it.
    if (!this.#sawStart && isOpen(thread) && thread.run.id === runId) return;
    const fold = foldOf(thread);
    fold.join = thread.run.id === runId;
    const event = { type: "RUN_STARTED", runId } as AgUiEvent;
    foldEvent(fold, kindOf(event) as Kind, event, undefined, false);
  }

  /** Ends a sub-agent. The run's end has the interrupts of one that waits. */
  #end(thread: AnyThread, { outcome, metadata }: Fields, isKnown: boolean): void {
    const { messages } = ofServer(metadata);
    if (Array.isArray(messages)) this.#put(thread, messages as readonly HeldMessage[], isKnown);
    const ids = outcome?.type === "suspended" ? (outcome.interruptIds ?? []) : [];
    thread.receive({ type: "run-finished", ...(ids.length > 0 && { interrupts: ids.map((id) => ({ id })) }) });
  }

  /** Marks each sub-agent with an open question as interrupted. */
  #interrupted(interrupts: readonly AgUiInterrupt[]): void {
    const asked = new Map<string, AgUiInterrupt[]>();
    for (const one of interrupts) {
      const id = one.subagentRunId ?? undefined;
      const list = id === undefined ? undefined : asked.get(id);
      if (list) list.push(one);
      else if (id !== undefined) asked.set(id, [one]);
    }
    for (const [id, interrupts] of asked)
      (this.#find(id)?.thread as AnyThread | undefined)?.receive({ type: "run-finished", interrupts });
  }

  /** Gives each sub-agent its own messages of a snapshot. Returns the snapshot without them. */
  #snapshot(event: AgUiEvent, { messages = [] }: Fields, isKnown: boolean): AgUiEvent {
    const own = new Map<string | undefined, HeldMessage[]>([[undefined, []]]);
    for (const message of messages) {
      const one = this.#begunOne(message.subagentRunId)?.id;
      const list = own.get(one);
      if (list) list.push(message);
      else own.set(one, [message]);
    }
    if (own.size === 1) return event;
    for (const [one, list] of own) {
      const thread = this.#find(one)?.thread as AnyThread | undefined;
      if (!thread) continue;
      this.#put(thread, list, isKnown, event);
    }
    return { ...event, messages: own.get(undefined) } as AgUiEvent;
  }

  #put(thread: AnyThread, list: readonly HeldMessage[], isKnown: boolean, snapshot: object = SNAPSHOT): void {
    const part = { ...snapshot, messages: withEarlier(thread, list) } as AgUiEvent;
    foldEvent(foldOf(thread), kindOf(part) as Kind, part, undefined, isKnown);
  }
}

/**
 * Returns a sub-agent's messages with those of a snapshot. A server may send only the messages of this run, so those that
 * the snapshot lacks stay where they are.
 */
function withEarlier(thread: AnyThread, list: readonly HeldMessage[]): readonly HeldMessage[] {
  const { messages = [] } = thread.getState() as { messages?: readonly HeldMessage[] };
  const fresh = new Map(list.map((message) => [keyOf(message), message]));
  const merged = messages.map((message) => {
    const now = fresh.get(keyOf(message));
    fresh.delete(keyOf(message));
    return now ?? message;
  });
  return [...merged, ...fresh.values()];
}

/** A snapshot may have another id for a tool's result. */
const keyOf = ({ id, toolCallId }: HeldMessage): string => (toolCallId === undefined ? id : `result of ${toolCallId}`);
