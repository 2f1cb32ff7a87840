// useExternalStoreRuntime: the thread is the store, the runner sends.
import { AssistantRuntimeProvider, useExternalStoreRuntime, type ThreadMessageLike } from "@assistant-ui/react";
import { useSyncExternalStore } from "react";
import { textOf, type AgUiMessage } from "threadfold";
import { useThread } from "threadfold/react";
import { agent, thread } from "./agent.js";
import { Conversation } from "./conversation.js";

export function ThreadChat() {
  const messages = useThread(thread, (state) => state.messages);
  const status = useSyncExternalStore(agent.subscribe, agent.getStatus);
  const runtime = useExternalStoreRuntime<AgUiMessage>({
    messages: messages.filter(({ role }) => role === "user" || role === "assistant"),
    convertMessage,
    isRunning: status === "submitted" || status === "streaming",
    onNew: async ({ content }) => {
      await agent.sendMessage(content.map((part) => (part.type === "text" ? part.text : "")).join(""));
    },
    onCancel: async () => agent.stop(),
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Conversation />
    </AssistantRuntimeProvider>
  );
}

/** assistant-ui keeps what this returned for as long as the message is the same object: one conversion a token. */
function convertMessage(message: AgUiMessage): ThreadMessageLike {
  if (message.role !== "assistant") return { id: message.id, role: "user", content: textOf(message) };
  const calls = (message.toolCalls ?? []).map(({ id, function: { name, arguments: argsText } }) => ({
    type: "tool-call" as const,
    toolCallId: id,
    toolName: name,
    argsText,
  }));
  return { id: message.id, role: "assistant", content: [{ type: "text", text: textOf(message) }, ...calls] };
}
