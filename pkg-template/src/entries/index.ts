// "threadfold": the reducers, schemas and lists, ready when the import is.
export { langGraphDefaultMergeState, type MergedState, type MergeStateOptions, type RunInput } from "../merge-state.js";
export { ThreadfoldError, type ThreadfoldErrorCode } from "../errors.js";
export { field, overwrite, type Field, type Guard, type Overwrite, type Visibility } from "../fields.js";
export { mergeFiles, type FileData } from "../files.js";
export { textOf } from "../message-content.js";
export { toAgUi, toLangChain } from "../message-forms.js";
export { MessageList } from "../message-list.js";
export {
  addMessages,
  messagesStateReducer,
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
  type MessageObject,
  type MessageOf,
  type MessageOptions,
  type MessageRemoval,
  type MessagesUpdate,
  type ToolCall,
} from "../messages.js";
export { applyPatch, type PatchOperation } from "../patch.js";
export {
  combineSchemas,
  defineSchema,
  Schema,
  type Fields,
  type Filtered,
  type InferState,
  type InferUpdate,
  type StateOf,
  type UpdatesOf,
} from "../schema.js";
export { Thread } from "../thread.js";
export type { Compaction, ContextRecord } from "../thread/full-track.js";
export type {
  AgUiState,
  Drift,
  OptimisticOptions,
  OptimisticUpdate,
  PendingStatus,
  PendingUpdate,
  ThreadListeners,
  ThreadOptions,
  ThreadRecord,
  ThreadRun,
  ThreadState,
  ThreadUpdate,
} from "../thread-types.js";
export type { ThreadEvent } from "../thread-events.js";
export { checkTodoCalls, replaceTodos, type Todo } from "../todos.js";
export { mergeTools, type MergeToolsOptions, type Tool } from "../tools.js";
