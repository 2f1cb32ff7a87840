// The agents that a thread's tool calls run, each with a thread of its own.
import type { MessageIn } from "../state/messages.js";
import { isOpen } from "./run-status.js";
import type { ThreadEvent } from "./thread-events.js";
import type { PendingUpdate, ThreadRun } from "./thread-types.js";

/** The part of a thread that can be shown: hooks and stores need no more. */
// oxlint-disable-next-line typescript/no-explicit-any -- a sub-agent's state is its own
export interface ThreadView<S extends object = any> {
  readonly getState: () => S;
  readonly getInitialState: () => S;
  readonly subscribe: (listener: (state: S, previous: S) => void) => () => void;
  readonly messageIds: readonly string[];
  getMessage(id: string): MessageIn<S> | undefined;
  subscribeMessage(
    id: string,
    listener: (message: MessageIn<S> | undefined, previous: MessageIn<S> | undefined) => void,
  ): () => void;
  readonly run: ThreadRun;
  readonly pending: readonly PendingUpdate[];
  /** The ids of incomplete messages. Show them, but don't send them. */
  readonly incompleteIds: readonly string[];
  readonly subagents: readonly Subagent[];
}

/**
 * An agent that a tool call started, such as deepagents' `task`. Its thread has the rest: `run.status` and
 * `run.interrupts`, the messages (the first is its input, the last its result), their usage, and its own `subagents`.
 *
 * The object is replaced when a field changes; `thread` stays the same object.
 */
export interface Subagent {
  /** LangGraph's namespace of it, or AG-UI's `subagentRunId`. */
  readonly id: string;
  readonly name: string;
  /** The call that started it; undefined while that is unknown. */
  readonly toolCallId: string | undefined;
  /** The sub-agent whose call started it; undefined for one of the thread's own calls. */
  readonly parentId: string | undefined;
  readonly thread: ThreadView;
}

/** A thread, to the one that holds it. */
interface Held extends ThreadView {
  receive(event: ThreadEvent): boolean;
  toJSON(): object;
  dispose(): void;
}

type Fields = Omit<Subagent, "thread">;

/** An event of the thread, as far as it may end a run. */
interface Ending {
  readonly type: string;
  readonly error?: unknown;
  readonly stopped?: boolean | undefined;
  readonly interrupts?: readonly unknown[] | undefined;
}

const NONE: readonly Subagent[] = [];

/** The questions of a sub-agent that are among those of the thread; all, if one has no id. */
function stillOpen(own: readonly unknown[], interrupts: readonly unknown[]): readonly unknown[] {
  const idOf = (asked: unknown) => (asked as { readonly id?: unknown } | null)?.id;
  const ids = new Set(interrupts.map(idOf));
  return [...own, ...interrupts].some((asked) => idOf(asked) === undefined)
    ? own
    : own.filter((asked) => ids.has(idOf(asked)));
}

/** The sub-agents of one thread. Adapters add them. */
export class Subagents {
  /** The same array until it changes. */
  list = NONE;
  /** The id of the stream's last part, if it belongs to a sub-agent: the thread's own run is not touched by it. */
  lastEventId: string | undefined;
  readonly #make: (record?: object) => Held;
  readonly #changed: () => void;
  readonly #asked: (thread: ThreadView) => readonly unknown[];

  /** @param asked - Returns the questions of a thread's run under way. */
  constructor(make: (record?: object) => Held, changed: () => void, asked: (thread: ThreadView) => readonly unknown[]) {
    this.#make = make;
    this.#changed = changed;
    this.#asked = asked;
  }

  get #threads(): Held[] {
    return this.list.map(({ thread }) => thread as Held);
  }

  /** Adds a sub-agent, or changes one. */
  put(fields: Fields): Subagent {
    const known = this.list.find(({ id }) => id === fields.id);
    const one = { ...fields, thread: known?.thread ?? this.#make() };
    this.list = known ? this.list.map((other) => (other === known ? one : other)) : [...this.list, one];
    this.#changed();
    return one;
  }

  /**
   * Ends the runs that are under way as the thread's own ended. One that asks ends with a run that asks nothing of what it
   * asks.
   */
  end({ type, error, stopped, interrupts }: Ending): void {
    if (this.list.length === 0 || !["run-finished", "run-error", "disconnected"].includes(type)) return;
    const hasEnded = type === "run-finished" && !stopped;
    for (const thread of this.#threads)
      if (isOpen(thread)) {
        const asked = type === "run-finished" && interrupts?.length ? this.#asked(thread) : [];
        thread.receive({ type, error, stopped, ...(asked.length > 0 && { interrupts: asked }) } as ThreadEvent);
      } else if (hasEnded && thread.run.status === "interrupted") {
        const own = thread.run.interrupts ?? [];
        const left = interrupts?.length ? stillOpen(own, interrupts) : [];
        if (left.length < own.length || left.length === 0)
          thread.receive({ type, ...(left.length > 0 && { interrupts: left }) } as ThreadEvent);
      }
  }

  dispose(): void {
    for (const thread of this.#threads) thread.dispose();
  }

  /** The part of a thread's record; undefined for one without sub-agents. */
  toJSON(): object | undefined {
    return this.list.length > 0
      ? this.list.map((one) => ({ ...one, thread: (one.thread as Held).toJSON() }))
      : undefined;
  }

  /** Takes over the part of a thread's record. */
  restore(records: unknown): void {
    if (Array.isArray(records))
      this.list = records.map((one: Subagent) => ({
        ...one,
        toolCallId: one.toolCallId ?? undefined,
        parentId: one.parentId ?? undefined,
        thread: this.#make(one.thread ?? {}),
      }));
  }
}
