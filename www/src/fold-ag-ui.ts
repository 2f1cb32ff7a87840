// AG-UI events into thread state: the part of the protocol that the recording needs.
import { MessageList, REMOVE_ALL_MESSAGES, removeMessage } from "threadfold";
import type { Recording, RunEvent } from "./recording";
import { initial, merge, reuse, type Fold, type ThreadState } from "./state";

interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

interface Message {
  id: string;
  role: string;
  content?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
}

type AgUiEvent =
  | { type: "TEXT_MESSAGE_START"; messageId: string; role: string }
  | { type: "TEXT_MESSAGE_CONTENT"; messageId: string; delta: string }
  | { type: "TOOL_CALL_START"; toolCallId: string; toolCallName: string; parentMessageId?: string }
  | { type: "TOOL_CALL_ARGS"; toolCallId: string; delta: string }
  | { type: "TOOL_CALL_RESULT"; messageId: string; toolCallId: string; content: string }
  | { type: "STATE_SNAPSHOT"; snapshot: { messages?: unknown } & Record<string, unknown> }
  | { type: "MESSAGES_SNAPSHOT"; messages: Message[] };

export function foldAgUi(input: Recording["input"]): Fold {
  const list = new MessageList<Message>([...(input?.messages ?? [])] as Message[]);
  const messages = (): readonly Message[] => list.snapshot();
  let state: ThreadState = merge(initial(messages()), { tools: [...(input?.tools ?? [])] });

  const find = (id: string | undefined) => messages().find((message) => message.id === id);
  const owner = (callId: string) => messages().find(({ toolCalls }) => toolCalls?.some(({ id }) => id === callId));

  function apply(event: AgUiEvent): void {
    switch (event.type) {
      case "TEXT_MESSAGE_START":
        if (!find(event.messageId)) list.update([{ id: event.messageId, role: event.role, content: "" }]);
        break;
      case "TEXT_MESSAGE_CONTENT":
        list.append(event.messageId, event.delta);
        break;
      case "TOOL_CALL_START": {
        if (owner(event.toolCallId)) break;
        const call: ToolCall = {
          id: event.toolCallId,
          type: "function",
          function: { name: event.toolCallName, arguments: "" },
        };
        const parent = find(event.parentMessageId) ?? { id: event.parentMessageId ?? call.id, role: "assistant" };
        list.update([{ ...parent, toolCalls: [...(parent.toolCalls ?? []), call] }]);
        break;
      }
      case "TOOL_CALL_ARGS": {
        const parent = owner(event.toolCallId);
        if (parent) list.update([withArguments(parent, event.toolCallId, event.delta)]);
        break;
      }
      case "TOOL_CALL_RESULT":
        list.update([{ id: event.messageId, role: "tool", content: event.content, toolCallId: event.toolCallId }]);
        break;
      case "STATE_SNAPSHOT": {
        // Its messages are LangChain's, and in the middle of a run only the last node's: MESSAGES_SNAPSHOT has them all.
        const { messages: _, ...values } = event.snapshot;
        state = merge(state, values);
        break;
      }
      case "MESSAGES_SNAPSHOT":
        list.update([removeMessage(REMOVE_ALL_MESSAGES), ...event.messages.map(known)]);
        break;
    }
  }

  /** The server's copy of a message; a tool result may come back under another id. */
  function known(fresh: Message): Message {
    const before =
      find(fresh.id) ??
      messages().find(({ toolCallId }) => toolCallId !== undefined && toolCallId === fresh.toolCallId);
    return reuse(before, fresh);
  }

  return {
    get state() {
      return state;
    },
    receive({ data }: RunEvent) {
      apply(data as AgUiEvent);
      const snapshot = messages();
      if (snapshot !== state.messages) state = { ...state, messages: snapshot };
    },
  };
}

const withArguments = (message: Message, callId: string, delta: string): Message => ({
  ...message,
  toolCalls: (message.toolCalls ?? []).map((call) =>
    call.id === callId ? { ...call, function: { ...call.function, arguments: call.function.arguments + delta } } : call,
  ),
});
