// useAgUiRuntime, with FoldHttpAgent where its documentation has HttpAgent, or with an agent that runs in the page.
import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { FoldHttpAgent, GraphAgent } from "threadfold/ag-ui/client";
import { url } from "./agent.js";
import { Conversation } from "./conversation.js";
import { graph } from "./graph.js";

const isHere = new URLSearchParams(location.search).get("runtime") === "graph";
const agent = isHere ? new GraphAgent({ graph }) : new FoldHttpAgent({ url });

export function AgentChat() {
  const runtime = useAgUiRuntime({ agent });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Conversation />
    </AssistantRuntimeProvider>
  );
}
