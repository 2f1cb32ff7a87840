// useExternalStoreRuntime: the thread is the store, the runner sends.
import {
  AssistantRuntimeProvider,
  useExternalMessageConverter,
  useExternalStoreRuntime,
  type AppendMessage,
} from "@assistant-ui/react";
import { textOf, type AgUiMessage } from "threadfold";
import { useChat, useThread } from "threadfold/react";
import { agent, thread } from "./agent.js";
import { useBranchRepository } from "./branches.js";
import { Conversation } from "./conversation.js";

export function ThreadChat() {
  const messages = useThread(thread, (state) => state.messages);
  const { status } = useChat(agent);
  const isRunning = status === "submitted" || status === "streaming";
  // Converts a message when it is another object than before: a token costs one conversion.
  const shown = useExternalMessageConverter({ callback: convert, messages: messages as AgUiMessage[], isRunning });
  const { messageRepository, idOf, switchTo } = useBranchRepository(shown);
  const runtime = useExternalStoreRuntime({
    messageRepository,
    setMessages: switchTo,
    isRunning,
    onNew: async ({ content }) => void (await agent.sendMessage(said(content))),
    onEdit: async ({ content, sourceId }) =>
      void (await agent.sendMessage(said(content), { messageId: idOf(sourceId) })),
    onReload: async (parentId) => void (await agent.regenerate({ messageId: idOf(parentId) })),
    onCancel: async () => void (await agent.stop()),
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Conversation />
      <Run />
    </AssistantRuntimeProvider>
  );
}

/** The run's questions, and its error. */
function Run() {
  const { error, interrupts } = useChat(agent);
  const answer = (approved: boolean) => agent.resume(interrupts.map(({ id }) => ({ id, value: { approved } })));
  return (
    <p>
      {interrupts.map(({ message, value }) => message ?? JSON.stringify(value))}
      {interrupts.length > 0 && <button onClick={() => void answer(true)}>Yes</button>}
      {interrupts.length > 0 && <button onClick={() => void answer(false)}>No</button>}
      {error && <button onClick={() => void agent.retry()}>Try again: {error.message}</button>}
    </p>
  );
}

const said = (content: AppendMessage["content"]) =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("");

/** assistant-ui puts a tool's result into the call that it belongs to. */
const convert: useExternalMessageConverter.Callback<AgUiMessage> = (message) => {
  const content = textOf(message);
  switch (message.role) {
    case "user":
      return { role: "user", id: message.id, content };
    case "assistant": {
      const calls = (message.toolCalls ?? []).map(({ id, function: { name, arguments: argsText } }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        argsText,
      }));
      return { role: "assistant", id: message.id, content: [...calls, { type: "text", text: content }] };
    }
    case "tool":
      return { role: "tool", toolCallId: message.toolCallId, result: content };
    default:
      return [];
  }
};
