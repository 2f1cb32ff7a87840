// "threadfold": the reducers, schemas and lists, ready when the import is.
export { ThreadfoldError, type ThreadfoldErrorCode } from "../shared/errors.js";
export { field, overwrite, type Field, type FieldOptions, type Overwrite } from "../state/fields.js";
export { mergeFiles, type FileData } from "../state/files.js";
export { textOf } from "../state/message-content.js";
export { toAgUi, toLangChain } from "../state/message-forms.js";
export { MessageList } from "../state/message-list.js";
export {
  addMessages,
  REMOVE_ALL_MESSAGES,
  removeMessage,
  type AgUiContentPart,
  type AgUiMessage,
  type AgUiToolCall,
  type ContentBlock,
  type LangChainMessage,
  type MessageContent,
  type MessageIn,
  type MessageLike,
  type MessagesUpdate,
  type ToolCall,
} from "../state/messages.js";
export type { PageState } from "../state/page-state.js";
export { applyPatch, type PatchOperation } from "../state/patch.js";
export {
  combineSchemas,
  defineSchema,
  Schema,
  type InferState,
  type InferUpdate,
  type StateOf,
  type UpdatesOf,
} from "../state/schema.js";
export type { Doubt, ThreadPosition } from "../thread/proof.js";
export type { Subagent, ThreadView } from "../thread/subagents.js";
export { Thread } from "../thread/thread.js";
export type { ContextRecord } from "../thread/full-track.js";
export type {
  AgUiState,
  OptimisticUpdate,
  PendingUpdate,
  RunStatus,
  ThreadListeners,
  ThreadOptions,
  ThreadRun,
  ThreadState,
  ThreadUpdate,
} from "../thread/thread-types.js";
export type { ThreadEvent } from "../thread/thread-events.js";
export type { ThreadStorage } from "../persist/types.js";
export type { OpenOptions } from "../open/open-conversation.js";
export type { Runner } from "../runner/runner.js";
export type { InterruptAnswer, RunnerOptions, SendOptions } from "../runner/runner-types.js";
export type {
  CheckpointMessages,
  ListedThread,
  LoadedThread,
  RunRef,
  ThreadQuery,
  Transport,
} from "../runner/transport.js";
export type { FoldOptions } from "../stream/fold-options.js";
export type { HttpOptions } from "../stream/http.js";
export type { Interrupt, RunResult } from "../stream/run-result.js";
export type { Source } from "../stream/source.js";
export { checkTodoCalls, replaceTodos, type Todo } from "../state/todos.js";
export { mergeTools, type Tool } from "../state/tools.js";
