import { createRoot } from "react-dom/client";
import { CopilotChat, CopilotKit } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { useThread } from "threadfold/react";
import { FoldHttpAgent, GraphAgent } from "threadfold/ag-ui/client";
import { graph } from "./graph.js";

const runtimeUrl: string = import.meta.env.VITE_RUNTIME_URL ?? "http://localhost:4000/api/copilotkit";
const url: string = import.meta.env.VITE_AGENT_URL ?? "http://localhost:8000";
const kind = new URLSearchParams(location.search).get("agent");
const agent = kind === "graph" ? new GraphAgent({ graph }) : new FoldHttpAgent({ url });

/** The agent's thread is there for all else on the page. */
function Count() {
  const count = useThread(agent.thread, (state) => state.messages.length);
  return <p>{count} messages</p>;
}

/**
 * ?agent=page: the page calls the agent's server itself. ?agent=graph: there is no server, the agent is in the page. Else
 * CopilotKit's runtime calls it, in runtime.mjs.
 */
function App() {
  if (kind) {
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
