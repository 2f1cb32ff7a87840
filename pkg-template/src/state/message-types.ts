// The forms that a message has: LangChain's and AG-UI's, each a union discriminated by `type` or `role`.

/** A block of a message's content: `{ type: "text", text }`, `{ type: "image_url", image_url }`, … */
export interface ContentBlock {
  readonly type: string;
  readonly text?: string | undefined;
  readonly [field: string]: unknown;
}

/** The text of a message, or its content blocks. {@link textOf} gives the text of either. */
export type MessageContent = string | readonly ContentBlock[];

/** A tool call as LangChain writes it. */
export interface ToolCall {
  name: string;
  args: Record<string, unknown>;
  id?: string | undefined;
  type?: "tool_call" | undefined;
}

type LangChainFields = {
  id?: string | undefined;
  content: MessageContent;
  name?: string | undefined;
  additional_kwargs?: Record<string, unknown> | undefined;
  response_metadata?: Record<string, unknown> | undefined;
};

type HumanMessage = LangChainFields & {
  type: "human";
};

type AiMessage = LangChainFields & {
  type: "ai";
  tool_calls?: readonly ToolCall[] | undefined;
  invalid_tool_calls?: readonly object[] | undefined;
  usage_metadata?: object | undefined;
};

type SystemMessage = LangChainFields & {
  type: "system";
};

type ToolMessage = LangChainFields & {
  type: "tool";
  tool_call_id: string;
  status?: "success" | "error" | undefined;
  artifact?: unknown;
};

type FunctionMessage = LangChainFields & {
  type: "function";
};

/**
 * A message as a LangChain dict; `message.type` is its kind. Instances of `@langchain/core`'s classes have the same
 * fields. One of them: `Extract<LangChainMessage, { type: "ai" }>`.
 */
export type LangChainMessage = HumanMessage | AiMessage | SystemMessage | ToolMessage | FunctionMessage;

/** A tool call as AG-UI writes it: its arguments are JSON, which may still be arriving. */
export type AgUiToolCall = {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  encryptedValue?: string;
  metadata?: Record<string, unknown>;
};

type AgUiSource =
  | { type: "data"; value: string; mimeType: string }
  | { type: "url"; value: string; mimeType?: string }
  | { type: "file"; value: string; provider?: string; mimeType?: string };

/** A part of a user's message or of a tool's result: text, or media. */
export type AgUiContentPart =
  | { type: "text"; id?: string; text: string; metadata?: unknown }
  | { type: "image" | "audio" | "video" | "document"; id?: string; source: AgUiSource; metadata?: unknown };

type AgUiFields = {
  id: string;
  metadata?: Record<string, unknown>;
  subagentRunId?: string;
};

type AgUiSpeaker = AgUiFields & {
  name?: string;
  encryptedValue?: string;
};

type AgUiUser = AgUiSpeaker & {
  role: "user";
  content: string | AgUiContentPart[];
};

type AgUiAssistant = AgUiSpeaker & {
  role: "assistant";
  content?: string;
  toolCalls?: AgUiToolCall[];
};

type AgUiInstruction = AgUiSpeaker & {
  role: "system" | "developer";
  content: string;
};

type AgUiToolResult = AgUiFields & {
  role: "tool";
  toolCallId: string;
  content: string | AgUiContentPart[];
  error?: string;
  encryptedValue?: string;
};

type AgUiReasoning = AgUiFields & {
  role: "reasoning";
  content: string;
  encryptedValue?: string;
};

type AgUiActivity = AgUiFields & {
  role: "activity";
  activityType: string;
  content: Record<string, unknown>;
};

/**
 * A message as AG-UI writes it, always with an id; `message.role` is its kind. The same type as `@ag-ui/core`'s
 * `Message`. One of them: `Extract<AgUiMessage, { role: "assistant" }>`.
 */
export type AgUiMessage = AgUiUser | AgUiAssistant | AgUiInstruction | AgUiToolResult | AgUiReasoning | AgUiActivity;

/** The removal of the message with this id, or of all ({@link REMOVE_ALL_MESSAGES}). */
export type MessageRemoval = {
  type: "remove";
  id: string;
};

/** A message of a role without an id, as OpenAI writes it: it becomes a LangChain dict. */
export type RoleDict = {
  role: Name<"user" | "human" | "assistant" | "ai" | "system" | "developer" | "tool">;
  content: MessageContent;
  id?: undefined;
  name?: string | undefined;
  tool_calls?: readonly object[] | undefined;
  tool_call_id?: string | undefined;
};

/** Any name; in front of it those that an editor should offer, and that a literal should keep. */
type Name<Known extends string> = Known | (string & {});

/**
 * A message that is an object, in any of the forms that {@link addMessages} takes. `type` or `role` may have other
 * names, such as those of chunks; whether there is such a kind of message is asked when it comes.
 */
export type MessageObject =
  | MessageRemoval
  | { readonly type: Name<LangChainMessage["type"]>; readonly content: unknown }
  | { readonly type: Name<LangChainMessage["type"]>; readonly content: unknown; readonly [field: string]: unknown }
  | { readonly role: Name<AgUiMessage["role"]> }
  | { readonly role: Name<AgUiMessage["role"]>; readonly [field: string]: unknown }
  | { readonly type: "constructor"; readonly lc: number; readonly id: readonly string[]; readonly kwargs: object };

/**
 * Every accepted form of a message. It may be a string (a human message), a `[role, content]` pair, a role dict, a
 * LangChain dict, a removal, or an AG-UI message. An instance of a `@langchain/core` message class works, too.
 */
export type MessageLike = string | readonly [role: string, content: MessageContent] | MessageObject;

/** The form of a {@link MessageLike} once it is in a list: an incomplete message becomes a LangChain dict. */
export type MessageOf<T> = T extends string | readonly unknown[] | { type: "constructor" }
  ? LangChainMessage
  : T extends { type: "remove" }
    ? never
    : T extends { role: string }
      ? T extends { id: string }
        ? T
        : LangChainMessage
      : T;

/**
 * An update of a list of `M`: messages of that type, and removals. The other forms become LangChain dicts,
 * so they fit where the list may hold those.
 */
export type MessagesUpdate<M> = MessageFor<M> | readonly MessageFor<M>[];

type MessageFor<M> = M | MessageRemoval | (LangChainMessage & { id: string } extends M ? MessageLike : never);

/** A state whose messages are not LangChain's: those have a `type`. The text is what the compiler says of them. */
export type WithAgUiMessages = object & {
  readonly messages?: readonly (object & {
    readonly type?: "These are LangChain's messages: AG-UI's are those of a Thread<AgUiState>." | undefined;
  })[];
};

/** A state whose messages are not AG-UI's: those have a `role`. */
export type WithLangChainMessages = object & {
  readonly messages?: readonly (object & {
    readonly role?:
      "These are AG-UI's messages: LangChain's are those of a Thread without a type argument." | undefined;
  })[];
};

/** The messages of a state; objects, where it does not say which. */
export type MessageIn<S> = S extends { readonly messages?: readonly (infer M extends object)[] | undefined }
  ? M
  : object;
