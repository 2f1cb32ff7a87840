// "threadfold/ag-ui/client": the agents of `@ag-ui/client`, folded into threads. All else of AG-UI is in "threadfold/ag-ui".
export { FoldHttpAgent } from "../../ag-ui/agent/fold-http-agent.js";
export { withFold, type FoldedAgent } from "../../ag-ui/agent/with-fold.js";
export { GraphAgent } from "../../ag-ui/agent/graph-agent.js";
