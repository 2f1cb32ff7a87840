// AG-UI 1.0's events and messages, as far as folding reads them. Written out here, so that you need no types of
// `@ag-ui/client` to fold a stream without it; its own types fit these.

export type Metadata = Record<string, unknown>;

/** A message in AG-UI's form, as a thread holds it: never changed, only replaced. */
export interface HeldMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCalls?: readonly HeldToolCall[] | undefined;
  readonly toolCallId?: string | undefined;
  readonly activityType?: string | undefined;
  readonly subagentRunId?: string | null | undefined;
  readonly metadata?: Metadata | undefined;
}

export interface HeldToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly metadata?: Metadata | undefined;
}

interface Base<Type extends string> {
  readonly type: Type;
  readonly metadata?: Metadata | undefined;
  readonly subagentRunId?: string | null | undefined;
}

interface OfMessage<Type extends string> extends Base<Type> {
  readonly messageId: string;
}

interface OfToolCall<Type extends string> extends Base<Type> {
  readonly toolCallId: string;
}

export interface TextStart extends OfMessage<"TEXT_MESSAGE_START"> {
  readonly role?: string | undefined;
  readonly name?: string | undefined;
}
export type ReasoningStart = OfMessage<"REASONING_MESSAGE_START">;
export interface TextContent extends OfMessage<"TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT"> {
  readonly delta: string;
}
export type TextEnd = OfMessage<"TEXT_MESSAGE_END" | "REASONING_MESSAGE_END">;
export interface EncryptedValue extends Base<"REASONING_ENCRYPTED_VALUE"> {
  readonly subtype: "tool-call" | "message";
  readonly entityId: string;
  readonly encryptedValue: string;
}

export interface ToolCallStart extends OfToolCall<"TOOL_CALL_START"> {
  readonly toolCallName: string;
  readonly parentMessageId?: string | null | undefined;
}
export interface ToolCallArgs extends OfToolCall<"TOOL_CALL_ARGS"> {
  readonly delta: string;
}
export type ToolCallEnd = OfToolCall<"TOOL_CALL_END">;
export interface ToolCallResult extends OfToolCall<"TOOL_CALL_RESULT"> {
  readonly messageId: string;
  readonly content: unknown;
  readonly role?: string | undefined;
}

export interface StateSnapshot extends Base<"STATE_SNAPSHOT"> {
  readonly snapshot: unknown;
}
export interface StateDelta extends Base<"STATE_DELTA"> {
  readonly delta: readonly unknown[];
}
export interface MessagesSnapshot extends Base<"MESSAGES_SNAPSHOT"> {
  readonly messages: readonly HeldMessage[];
}

export interface ActivitySnapshot extends OfMessage<"ACTIVITY_SNAPSHOT"> {
  readonly activityType: string;
  readonly content: unknown;
  readonly replace?: boolean | undefined;
}
export interface ActivityDelta extends OfMessage<"ACTIVITY_DELTA"> {
  readonly activityType: string;
  readonly patch: readonly unknown[];
}

export interface RunStarted extends Base<"RUN_STARTED"> {
  readonly runId: string;
  readonly input?: { readonly messages?: readonly HeldMessage[] | undefined } | undefined;
}
export interface RunFinished extends Base<"RUN_FINISHED"> {
  readonly result?: unknown;
  readonly usage?: unknown;
  readonly outcome?:
    | { readonly type: "success"; readonly pendingToolCallIds?: readonly string[] | undefined }
    | { readonly type: "interrupt"; readonly interrupts: readonly AgUiInterrupt[] }
    | { readonly type: "cancelled" }
    | undefined;
}
export interface RunError extends Base<"RUN_ERROR"> {
  readonly message: string;
  readonly code?: string | undefined;
}

/** A question that a run stopped for. */
export interface AgUiInterrupt {
  readonly id: string;
  readonly reason: string;
  readonly message?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly responseSchema?: unknown;
  readonly expiresAt?: string | undefined;
  readonly subagentRunId?: string | null | undefined;
}

/** Events that only listeners receive. */
export type Heard = Base<
  | "RAW"
  | "CUSTOM"
  | "STEP_STARTED"
  | "STEP_FINISHED"
  | "REASONING_START"
  | "REASONING_END"
  | "SUBAGENT_STARTED"
  | "SUBAGENT_FINISHED"
  | "SUBAGENT_ERROR"
>;

export interface TextChunk extends Base<"TEXT_MESSAGE_CHUNK"> {
  readonly messageId?: string | undefined;
  readonly role?: string | undefined;
  readonly name?: string | undefined;
  readonly delta?: string | undefined;
}
export interface ToolCallChunk extends Base<"TOOL_CALL_CHUNK"> {
  readonly toolCallId?: string | undefined;
  readonly toolCallName?: string | undefined;
  readonly parentMessageId?: string | undefined;
  readonly delta?: string | undefined;
}
export interface ReasoningChunk extends Base<"REASONING_MESSAGE_CHUNK"> {
  readonly messageId?: string | undefined;
  readonly delta?: string | undefined;
}

/** The events that stand for a start, a content and an end. */
export type Chunk = TextChunk | ToolCallChunk | ReasoningChunk;

/** The events of servers from before AG-UI 1.0 that stand for REASONING_ events. */
export type ThinkingEvent =
  | Base<"THINKING_START" | "THINKING_END" | "THINKING_TEXT_MESSAGE_START" | "THINKING_TEXT_MESSAGE_END">
  | (Base<"THINKING_TEXT_MESSAGE_CONTENT"> & { readonly delta: string });

/** The events that are folded: all but those that stand for others. */
export type FoldedEvent =
  | TextStart
  | ReasoningStart
  | TextContent
  | TextEnd
  | EncryptedValue
  | ToolCallStart
  | ToolCallArgs
  | ToolCallEnd
  | ToolCallResult
  | StateSnapshot
  | StateDelta
  | MessagesSnapshot
  | ActivitySnapshot
  | ActivityDelta
  | RunStarted
  | RunFinished
  | RunError
  | Heard;

export type AgUiEvent = FoldedEvent | Chunk | ThinkingEvent;

/** How a run ended, in the server's words. */
export type RunEnd =
  | {
      readonly status: "finished";
      readonly value?: unknown;
      readonly usage?: unknown;
      readonly pendingToolCallIds: readonly string[];
    }
  | { readonly status: "interrupted"; readonly usage?: unknown; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly status: "stopped" }
  | { readonly status: "error"; readonly error: object };
