// useAgUiRuntime, with FoldHttpAgent where its documentation has HttpAgent.
import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { FoldHttpAgent } from "threadfold/ag-ui";
import { url } from "./agent.js";
import { Conversation } from "./conversation.js";

const agent = new FoldHttpAgent({ url });

export function AgentChat() {
  const runtime = useAgUiRuntime({ agent });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Conversation />
    </AssistantRuntimeProvider>
  );
}
