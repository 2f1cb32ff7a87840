// assistant-ui's own parts: they know nothing of threadfold.
import {
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
  </MessagePrimitive.Root>
);

export function Conversation() {
  return (
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Messages components={{ Message }} />
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
