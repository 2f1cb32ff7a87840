// "threadfold/langgraph": runs of a LangGraph server folded into a thread, without `@langchain/core`, whose messages
// "threadfold/langgraph/core" reduces.
export { concatChunk } from "../langgraph/chunk.js";
export { foldGraph, type FoldGraphOptions } from "../langgraph/fold-graph.js";
export { foldLangGraph, type FoldLangGraphOptions } from "../langgraph/fold-langgraph.js";
export type { RunStream } from "../langgraph/parts.js";
export { openLangGraph } from "../langgraph/open-langgraph.js";
export { LangGraphRunner, type LangGraphRunnerOptions } from "../langgraph/runner.js";
export {
  apiTransport,
  clientTransport,
  type ApiTransportOptions,
  type LangGraphInput,
  type LangGraphTransport,
} from "../langgraph/transport.js";
