// The sub-agents of a graph's run as AG-UI's events: each event of one names it.
import { isDict, type Dict } from "../../shared/dict.js";
import { subagentEnd, subagentOf, toolsGraph } from "../../langgraph/namespace.js";
import type { GraphPart } from "../../stream/graph-parts.js";
import { text } from "../../stream/interrupt-text.js";
import { ClientMessages } from "./client-messages.js";
import type { GraphEvent } from "./graph-event.js";
import { agUiMessage } from "./message-told.js";
import { MessagesTold } from "./messages-told.js";
import { sameJson } from "../../shared/same-json.js";

/** A message as the events give it to a client. */
interface Shown {
  readonly id: string;
  readonly content?: unknown;
  readonly toolCalls?: readonly unknown[];
}

const shownAlike = (one: Shown, other: Shown): boolean =>
  sameJson([one.content ?? "", one.toolCalls ?? []], [other.content ?? "", other.toolCalls ?? []]);

/** Reports the sub-agents of one run. */
export class SubagentsTold {
  /** The calls that tasks were started for, by the tasks' ids. */
  readonly #calls = new Map<unknown, Dict>();
  /** The messages of each sub-agent, by its id. */
  readonly #open = new Map<string, MessagesTold>();
  /** The messages that a client has of each. */
  readonly #had = new Map<string, ClientMessages>();
  /** The messages in the state of each: a middleware may change those that were streamed. */
  readonly #lists = new Map<string, readonly unknown[]>();
  readonly #isKept: boolean;

  /** @param isKept - Whether the client keeps the messages of sub-agents that a snapshot lacks. */
  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  /** Adds the run's messages of sub-agents to a snapshot, as ag-ui-langgraph does. */
  withOwn<E extends { readonly type: string }>(event: E): E {
    if (event.type !== "MESSAGES_SNAPSHOT" || this.#isKept) return event;
    const own = [...this.#had].flatMap(([subagentRunId, { told }]) => {
      const changed = new Map(this.#changed(subagentRunId).map((message) => [message.id, message]));
      return (told as Shown[]).map((message) => ({ ...(changed.get(message.id) ?? message), subagentRunId }));
    });
    const { messages } = event as E & { messages: readonly object[] };
    return own.length > 0 ? { ...event, messages: [...messages, ...own] } : event;
  }

  /** The messages of a sub-agent's state that differ from those that its events gave the client. */
  #changed(id: string): Shown[] {
    const now = new Map((this.#lists.get(id) ?? []).map((given) => [(given as { id?: unknown } | null)?.id, given]));
    return ((this.#had.get(id)?.told ?? []) as Shown[]).flatMap((had) => {
      const message = now.has(had.id) ? (agUiMessage(now.get(had.id)) as Shown | undefined) : undefined;
      return message && !shownAlike(had, message) ? [message] : [];
    });
  }

  #of(id: string, event: GraphEvent): GraphEvent {
    const had = this.#had.get(id) ?? new ClientMessages(undefined, []);
    this.#had.set(id, had);
    had.observe(event);
    return { ...event, subagentRunId: id };
  }

  /** Whether a part is a sub-agent's. Records the calls of tasks. */
  sees({ mode, ns, payload }: GraphPart): boolean {
    if (mode === "tasks" && isDict(payload) && payload["triggers"] !== undefined) {
      const call = callIn(payload["input"]);
      if (call) this.#calls.set(payload["id"], call);
    }
    return subagentEnd(ns) > 0;
  }

  /** Emits a part of a sub-agent. */
  *part({ mode, ns, payload }: GraphPart): Generator<GraphEvent> {
    const end = subagentEnd(ns);
    const id = ns.slice(0, end).join("|");
    const known = this.#open.get(id);
    const told = known ?? new MessagesTold([]);
    this.#open.set(id, told);
    if (!known) yield this.#started(id, ns.slice(0, end));
    if (mode === "values" && ns.length === end && isDict(payload) && Array.isArray(payload["messages"]))
      this.#lists.set(id, payload["messages"]);
    for (const event of partOf(told, { mode, ns: ns.slice(end), payload }, id))
      // A snapshot would be one of the conversation.
      if (event.type !== "MESSAGES_SNAPSHOT") yield this.#of(id, event);
    if (mode === "tasks") yield* this.ended(payload);
  }

  /** Ends the sub-agents of a task that is done. */
  *ended(payload: unknown): Generator<GraphEvent> {
    const { id: task, triggers, error, interrupts, result } = isDict(payload) ? payload : {};
    if (triggers !== undefined || typeof task !== "string") return;
    for (const [subagentRunId, told] of this.#open) {
      if (taskOf(subagentRunId) !== task) continue;
      for (const event of told.end()) yield this.#of(subagentRunId, event);
      this.#open.delete(subagentRunId);
      const messages = this.#changed(subagentRunId);
      const metadata = messages.length > 0 ? { metadata: { threadfold: { messages } } } : {};
      if (error != null) yield { type: "SUBAGENT_ERROR", subagentRunId, message: messageOf(error) };
      else if (Array.isArray(interrupts) && interrupts.length > 0) {
        const interruptIds = interrupts.flatMap((one) => (isDict(one) ? (text(one["id"]) ?? []) : []));
        yield { type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "suspended", interruptIds }, ...metadata };
      } else yield { type: "SUBAGENT_FINISHED", subagentRunId, ...resultIn(result), ...metadata };
    }
  }

  #started(subagentRunId: string, segments: readonly string[]): GraphEvent {
    const call = this.#calls.get(taskOf(subagentRunId));
    const outer = segments.slice(0, lastTool(segments));
    const parent = subagentOf(outer);
    const { args } = call ?? {};
    const [node] = (segments.at(-1) ?? "").split(":");
    return {
      type: "SUBAGENT_STARTED",
      subagentRunId,
      name: text(isDict(args) ? args["subagent_type"] : undefined) ?? text(call?.["name"]) ?? node,
      ...(parent !== undefined && { parentSubagentRunId: parent }),
      ...(typeof call?.["id"] === "string" && { parentToolCallId: call["id"] }),
    };
  }
}

function* partOf(told: MessagesTold, { mode, ns, payload }: GraphPart, id: string): Generator<GraphEvent> {
  if (mode === "messages" && Array.isArray(payload)) {
    const [message, metadata] = payload as unknown[];
    const { langgraph_checkpoint_ns: task } = isDict(metadata) ? metadata : {};
    const own = typeof task === "string" && task.startsWith(`${id}|`) ? task.slice(id.length + 1) : "";
    yield* told.part([message, { ...(metadata as object), langgraph_checkpoint_ns: own, checkpoint_ns: own }], ns);
  } else if (mode === "tasks" && isDict(payload) && payload["triggers"] === undefined && payload["error"] == null)
    yield* told.end(String(payload["id"]), payload["result"]);
}

/** Reads the call that a task of tools runs: the input of a task is the call in a list, or with the state. */
function callIn(input: unknown): Dict | undefined {
  const call: unknown = Array.isArray(input) ? input[0] : isDict(input) ? input["tool_call"] : undefined;
  return isDict(call) && typeof call["id"] === "string" ? call : undefined;
}

/** Returns the place of the last segment of a task of tools. */
const lastTool = (segments: readonly string[]): number =>
  segments.map((segment) => toolsGraph([segment]) > 0).lastIndexOf(true);

/** Returns the task whose tool runs a sub-agent. */
function taskOf(id: string): string | undefined {
  const segments = id.split("|");
  return segments[lastTool(segments)]?.split(":")[1];
}

const messageOf = (error: unknown): string =>
  isDict(error) || error instanceof Error ? String((error as { message?: unknown }).message) : String(error);

/** The text of the tool's message, in what its task returned. */
function resultIn(result: unknown): { result?: unknown } {
  const { messages } = isDict(result) ? result : {};
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isDict(last) ? { result: last["content"] } : {};
}
