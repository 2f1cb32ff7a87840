// "threadfold/langgraph": runs of a LangGraph server folded into a thread, without `@langchain/core`, whose messages
// "threadfold/langgraph/core" reduces.
export { concatChunk } from "../langgraph/chunk.js";
export { foldGraph } from "../langgraph/fold-graph.js";
export { foldLangGraph } from "../langgraph/fold-langgraph.js";
export type { LangGraphPart } from "../langgraph/parts.js";
export { openLangGraph } from "../langgraph/open-langgraph.js";
export { LangGraphRunner } from "../langgraph/runner.js";
export type { LangGraphRunnerOptions } from "../langgraph/runner-options.js";
export {
  apiTransport,
  clientTransport,
  type ApiTransportOptions,
  type LangGraphInput,
  type LangGraphTransport,
} from "../langgraph/transport.js";
