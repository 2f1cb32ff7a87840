// "threadfold/agent": agents, their middlewares, and deep agents.
export type {
  AgentModel,
  AgentState,
  AgentTool,
  FunctionModel,
  Middleware,
  ModelRequest,
  ModelResponse,
  PlainTool,
  ResponseFormat,
  Runtime,
  ToolCallPiece,
  ToolCallRequest,
  ToolRuntime,
  ToolStrategy,
} from "../agent/types.js";
export type { AgentCallbacks, AgentEvent } from "../agent/callbacks.js";
export { type Agent, type AgentOptions, createAgent } from "../agent/create-agent.js";
export { createDeepAgent, type DeepAgentOptions } from "../agent/deep-agent.js";
export { createMiddleware } from "../agent/middleware/middleware.js";
export { ClearToolUsesEdit, contextEditingMiddleware } from "../agent/middleware/context-editing.js";
export { createFilesystemMiddleware } from "../agent/middleware/filesystem.js";
export type { ApprovalDecision } from "../agent/middleware/approval-decisions.js";
export type { ApprovalRequest, ToolApprovalRequest } from "../agent/middleware/approval-gates.js";
export { humanInTheLoopMiddleware } from "../agent/middleware/human-in-the-loop.js";
export { modelCallLimitMiddleware } from "../agent/middleware/model-call-limit.js";
export { modelFallbackMiddleware } from "../agent/middleware/model-fallback.js";
export { createPatchToolCallsMiddleware } from "../agent/middleware/patch-tool-calls.js";
export { modelRetryMiddleware, toolRetryMiddleware } from "../agent/middleware/retry.js";
export { scratchpadMiddleware } from "../agent/middleware/scratchpad.js";
export { type CompiledSubAgent, createSubAgentMiddleware, type SubAgent } from "../agent/sub-agents.js";
export { steeringMiddleware } from "../agent/middleware/steering.js";
export { summarizationMiddleware } from "../agent/middleware/summarization.js";
export { todoListMiddleware } from "../agent/middleware/todo-list.js";
export { toolErrorMiddleware } from "../agent/middleware/tool-error.js";
export { toolCallLimitMiddleware } from "../agent/middleware/tool-call-limit.js";
export { toolStrategy } from "../agent/model/structured.js";
export { mcpTools, tool } from "../agent/tools/tools.js";
