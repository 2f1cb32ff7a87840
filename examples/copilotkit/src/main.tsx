import { createRoot } from "react-dom/client";
import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { useThread } from "threadfold/react";
import { FoldHttpAgent } from "threadfold/ag-ui";

const runtimeUrl: string = import.meta.env.VITE_RUNTIME_URL ?? "http://localhost:4000/api/copilotkit";
const url: string = import.meta.env.VITE_AGENT_URL ?? "http://localhost:8000";
const agent = new FoldHttpAgent({ url });

/** The agent's thread is there for all else on the page. */
function Count() {
  const count = useThread(agent.thread, (state) => state.messages.length);
  return <p>{count} messages</p>;
}

/** ?agent=page: the page runs the agent itself. Else CopilotKit's runtime does, in runtime.mjs. */
function App() {
  if (new URLSearchParams(location.search).get("agent") === "page") {
    return (
      <CopilotKit selfManagedAgents={{ default: agent }}>
        <Count />
        <CopilotChat />
      </CopilotKit>
    );
  }
  return (
    <CopilotKit runtimeUrl={runtimeUrl}>
      <CopilotChat />
    </CopilotKit>
  );
}

createRoot(document.querySelector("#root") as HTMLElement).render(<App />);
