import type { Chunk, FoldedEvent, HeldMessage, ReasoningChunk, TextChunk, ToolCallChunk } from "./event-types.js";
import type { FoldingThread } from "./folding-thread.js";
import { maybeText, type Shape } from "./shapes.js";

export const CHUNK_SHAPES: Readonly<Record<Chunk["type"], Shape>> = {
  TEXT_MESSAGE_CHUNK: { messageId: maybeText, delta: maybeText, role: maybeText, name: maybeText },
  TOOL_CALL_CHUNK: {
    toolCallId: maybeText,
    toolCallName: maybeText,
    parentMessageId: maybeText,
    delta: maybeText,
  },
  REASONING_MESSAGE_CHUNK: { messageId: maybeText, delta: maybeText },
};

type Kind = "text" | "tool" | "reasoning";

/** A message or tool call that chunks have opened. */
interface Opened {
  readonly kind: Kind;
  readonly id: string;
  /** The fields that later chunks may not contradict. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The agent's own lane, or that of one of its subagents. */
type Lane = string | undefined;

/** Events that leave open what chunks have opened. */
const LEAVING = new Set([
  "RAW",
  "ACTIVITY_SNAPSHOT",
  "ACTIVITY_DELTA",
  "REASONING_ENCRYPTED_VALUE",
  "SUBAGENT_STARTED",
]);
/** Events that end what chunks have opened, in every lane. */
const ENDING = new Set(["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"]);

/**
 * Expands the chunk forms. A first chunk starts a message or call, and later ones continue it. The next event of
 * another kind in the same lane ends it. Each subagent has a lane of its own.
 */
export class Chunks {
  /** The messages and calls that chunks have opened, by lane. */
  readonly opened = new Map<Lane, Opened>();
  /** The ids of all that chunks have begun. */
  readonly #begun = new Set<string>();
  readonly #thread: FoldingThread;

  constructor(thread: FoldingThread) {
    this.#thread = thread;
  }

  /**
   * Returns the events that a chunk expands to, or undefined if the event needs no expanding. Returns a sentence if a
   * chunk is invalid.
   */
  expand(event: FoldedEvent | Chunk): readonly FoldedEvent[] | string | undefined {
    switch (event.type) {
      case "TEXT_MESSAGE_CHUNK":
        return this.#chunk(event, "text", event.messageId, given({ role: event.role, name: event.name }));
      case "TOOL_CALL_CHUNK":
        return this.#chunk(
          event,
          "tool",
          event.toolCallId,
          given({ toolCallName: event.toolCallName, parentMessageId: event.parentMessageId }),
        );
      case "REASONING_MESSAGE_CHUNK":
        return this.#chunk(event, "reasoning", event.messageId, {});
      default:
    }
    if (LEAVING.has(event.type)) return undefined;
    if (ENDING.has(event.type)) return [...[...this.opened.keys()].flatMap((lane) => this.#close(lane)), event];
    return [...this.#close(event.subagentRunId ?? undefined), event];
  }

  #chunk(
    chunk: Chunk,
    kind: Kind,
    told: string | null | undefined,
    fields: Record<string, unknown>,
  ): readonly FoldedEvent[] | string {
    const id = told ?? undefined;
    const lane = this.#laneOf(chunk, kind, id);
    if (typeof lane === "string") return lane;
    const opened = this.opened.get(lane.key) ?? (id === undefined ? this.#cutOff(kind, lane.key) : undefined);
    if (opened) this.opened.set(lane.key, opened);
    const parts: FoldedEvent[] = [];
    let open: Opened;
    if (opened?.kind === kind && (id === undefined || id === opened.id)) {
      const other = Object.keys(fields).find((key) => fields[key] !== opened.fields[key]);
      if (other) return `${chunk.type}: its ${other} is not the one that '${opened.id}' was opened with.`;
      open = opened;
    } else {
      if (id === undefined) return `${chunk.type}: the first one of its kind has no id.`;
      if (kind === "tool" && fields["toolCallName"] === undefined)
        return `${chunk.type}: the first one of '${id}' has no toolCallName.`;
      parts.push(...this.#close(lane.key));
      open = { kind, id, fields: { ...(kind === "text" && { role: "assistant" }), ...fields } };
      this.opened.set(lane.key, open);
      this.#begun.add(id);
      parts.push(startOf(open, chunk));
    }
    if (typeof chunk.delta === "string" || (parts.length === 0 && chunk.metadata)) parts.push(contentOf(open, chunk));
    return parts;
  }

  /** Returns the lane that a chunk continues: that of its id, else the one it names, else the only one of its kind. */
  #laneOf(chunk: Chunk, kind: Kind, id: string | undefined): { key: Lane } | string {
    const named = chunk.subagentRunId ?? undefined;
    const lanes = [...this.opened].filter(([, opened]) => opened.kind === kind);
    if (id !== undefined) {
      const known = lanes.find(([, opened]) => opened.id === id);
      if (known && named !== undefined && named !== known[0]) {
        return `${chunk.type}: '${id}' belongs to ${known[0] === undefined ? "the agent itself" : `the subagent '${known[0]}'`}.`;
      }
      return { key: known ? known[0] : named };
    }
    if (named !== undefined || this.opened.get(undefined)?.kind === kind || lanes.length === 0) return { key: named };
    return lanes.length === 1 ? { key: lanes[0]?.[0] } : `${chunk.type}: it has no id, and ${lanes.length} are open.`;
  }

  /**
   * The message or call that chunks had opened in a lane when the stream was cut. It must not have begun on this
   * stream, and must still be open.
   */
  #cutOff(kind: Kind, lane: Lane): Opened | undefined {
    const found = cutOff(this.#thread, kind, lane);
    return found && this.#begun.has(found.id) ? undefined : found;
  }

  #close(lane: Lane): FoldedEvent[] {
    const opened = this.opened.get(lane);
    if (!opened) return [];
    this.opened.delete(lane);
    return [endOf(opened)];
  }
}

/** Finds what chunks had opened when the stream was cut: the last message of that kind and lane that is not whole. */
export function cutOff(thread: FoldingThread, kind: Kind, lane: Lane): Opened | undefined {
  const { incompleteIds: streaming } = thread;
  for (let at = streaming.length - 1; at >= 0; at--) {
    const id = streaming[at] as string;
    const message = thread.getConfirmedMessage(id) as HeldMessage | undefined;
    if (!message || (message.subagentRunId ?? undefined) !== lane) continue;
    const call = message.toolCalls?.at(-1);
    if (kind === "tool") {
      if (call) return { kind, id: call.id, fields: { toolCallName: call.function.name, parentMessageId: message.id } };
    } else if (!call && (message.role === "reasoning") === (kind === "reasoning")) {
      return { kind, id, fields: kind === "text" ? { role: message.role } : {} };
    }
  }
  return undefined;
}

function startOf({ kind, id, fields }: Opened, { metadata, subagentRunId }: Chunk): FoldedEvent {
  const common = given({ metadata, subagentRunId });
  switch (kind) {
    case "text":
      return { type: "TEXT_MESSAGE_START", messageId: id, ...fields, ...common };
    case "tool":
      return {
        type: "TOOL_CALL_START",
        toolCallId: id,
        toolCallName: fields["toolCallName"] as string,
        ...fields,
        ...common,
      };
    case "reasoning":
      return { type: "REASONING_MESSAGE_START", messageId: id, ...common };
  }
}

function contentOf(
  { kind, id }: Opened,
  { delta: told, metadata }: TextChunk | ToolCallChunk | ReasoningChunk,
): FoldedEvent {
  const delta = told ?? "";
  const common = given({ metadata });
  switch (kind) {
    case "text":
      return { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta, ...common };
    case "tool":
      return { type: "TOOL_CALL_ARGS", toolCallId: id, delta, ...common };
    case "reasoning":
      return { type: "REASONING_MESSAGE_CONTENT", messageId: id, delta, ...common };
  }
}

function endOf({ kind, id }: Opened): FoldedEvent {
  switch (kind) {
    case "text":
      return { type: "TEXT_MESSAGE_END", messageId: id };
    case "tool":
      return { type: "TOOL_CALL_END", toolCallId: id };
    case "reasoning":
      return { type: "REASONING_MESSAGE_END", messageId: id };
  }
}

/** Returns the fields that have a value: null counts as absent. */
function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as T;
}
