// assistant-ui's own parts: they know nothing of threadfold.
import {
  ActionBarPrimitive,
  BranchPickerPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from "@assistant-ui/react";

const ToolCall = ({ toolName, argsText, result }: ToolCallMessagePartProps) => (
  <code>
    {toolName}({argsText}) {result === undefined ? "…" : `→ ${String(result)}`}
  </code>
);

const Message = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    <BranchPickerPrimitive.Root hideWhenSingleBranch>
      <BranchPickerPrimitive.Previous>Previous</BranchPickerPrimitive.Previous>
      <span>
        <BranchPickerPrimitive.Number /> / <BranchPickerPrimitive.Count />
      </span>
      <BranchPickerPrimitive.Next>Next</BranchPickerPrimitive.Next>
    </BranchPickerPrimitive.Root>
    <ActionBarPrimitive.Root hideWhenRunning>
      <MessagePrimitive.If user>
        <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
      </MessagePrimitive.If>
      <MessagePrimitive.If assistant>
        <ActionBarPrimitive.Reload>Regenerate</ActionBarPrimitive.Reload>
      </MessagePrimitive.If>
    </ActionBarPrimitive.Root>
  </MessagePrimitive.Root>
);

const EditComposer = () => (
  <ComposerPrimitive.Root>
    <ComposerPrimitive.Input aria-label="Edited message" />
    <ComposerPrimitive.Send>Save</ComposerPrimitive.Send>
  </ComposerPrimitive.Root>
);

export function Conversation() {
  return (
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Messages components={{ Message, EditComposer }} />
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Input aria-label="Message" />
        <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        <ThreadPrimitive.If running>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </ThreadPrimitive.If>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  );
}
