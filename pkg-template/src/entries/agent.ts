// "threadfold/agent": agents, their middlewares, and deep agents.
export { contextMessages, fullMessages } from "threadfold/context";
export type {
  AgentModel,
  AgentState,
  AgentTool,
  AiSdkModel,
  FunctionModel,
  HookUpdate,
  JumpTarget,
  LangChainModel,
  LangChainTool,
  Middleware,
  ModelOptions,
  ModelRequest,
  ModelResponse,
  NodeHook,
  PlainTool,
  ProviderTool,
  ResponseFormat,
  Runtime,
  StateForm,
  StructuredOf,
  SystemMessage,
  Tool,
  ToolCallRequest,
  ToolChoice,
  ToolRuntime,
  ToolStrategy,
} from "../agent/types.js";
export type { AgentCallbacks, AgentEvent } from "../agent/model/callbacks.js";
export { type Agent, type AgentOptions, createAgent } from "../agent/create-agent.js";
export { createDeepAgent, type DeepAgentOptions } from "../agent/deep-agent.js";
export { createMiddleware } from "../agent/middleware/middleware.js";
export {
  ClearToolUsesEdit,
  type ClearToolUsesEditOptions,
  type ContextEdit,
  contextEditingMiddleware,
  type ContextEditParams,
} from "../agent/middleware/context-editing.js";
export { createFilesystemMiddleware, type FilesystemOptions } from "../agent/middleware/filesystem.js";
export {
  type ApprovalDecision,
  type ApprovalRequest,
  humanInTheLoopMiddleware,
  type HumanInTheLoopOptions,
  type InterruptOnConfig,
  type ToolApprovalRequest,
} from "../agent/middleware/human-in-the-loop.js";
export {
  type CallCounts,
  CallLimitExceededError,
  type CallLimits,
  modelCallLimitMiddleware,
  type ModelCallLimitOptions,
} from "../agent/middleware/model-call-limit.js";
export { modelFallbackMiddleware } from "../agent/middleware/model-fallback.js";
export { createPatchToolCallsMiddleware } from "../agent/middleware/patch-tool-calls.js";
export {
  modelRetryMiddleware,
  type RetryOptions,
  toolRetryMiddleware,
  type ToolRetryOptions,
} from "../agent/middleware/retry.js";
export { type ScratchpadEntry, scratchpadMiddleware, type ScratchpadOptions } from "../agent/middleware/scratchpad.js";
export {
  type CompiledSubAgent,
  createSubAgentMiddleware,
  type SubAgent,
  type SubAgentOptions,
} from "../agent/middleware/sub-agents.js";
export { summarizationMiddleware, type SummarizationOptions } from "../agent/middleware/summarization.js";
export { todoListMiddleware, type TodoListOptions } from "../agent/middleware/todo-list.js";
export { toolErrorMiddleware, type ToolErrorOptions } from "../agent/middleware/tool-error.js";
export { toolCallLimitMiddleware, type ToolCallLimitOptions } from "../agent/middleware/tool-call-limit.js";
export type { SystemPrompt } from "../agent/model/system-message.js";
export { StructuredOutputError, toolStrategy } from "../agent/model/structured.js";
export { type McpClient, mcpTools, tool } from "../agent/tools/tools.js";
export { ThreadfoldError, type ThreadfoldErrorCode } from "../shared/errors.js";
