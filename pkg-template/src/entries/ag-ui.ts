// "threadfold/ag-ui": threads for AG-UI, with or without the agents of `@ag-ui/client`.
export * from "./ag-ui/events.js";
export type { AgentThread } from "../ag-ui/agent/agent-thread.js";
export { FoldHttpAgent } from "../ag-ui/agent/fold-http-agent.js";
export { withFold, type FoldedAgent } from "../ag-ui/agent/with-fold.js";
export { GraphAgent, type GraphAgentConfig } from "../ag-ui/agent/graph-agent.js";
