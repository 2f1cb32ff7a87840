// assistant-ui's own parts: they know nothing of threadfold.
import { ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";

function Message() {
  return (
    <MessagePrimitive.Root>
      <MessagePrimitive.Parts components={{ tools: { Fallback: ({ toolName }) => <code>{toolName}</code> } }} />
    </MessagePrimitive.Root>
  );
}

export function Conversation() {
  return (
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Messages components={{ Message }} />
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Input aria-label="Message" />
        <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  );
}
