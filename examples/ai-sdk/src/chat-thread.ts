// AI SDK messages in a thread: `readUIMessageStream` makes a whole message of each chunk, the thread folds it in.
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { Thread, type ThreadState } from "threadfold";

const api: string = import.meta.env.VITE_AGENT_URL ?? "http://localhost:8001";
const chatId = crypto.randomUUID();
const transport = new DefaultChatTransport<UIMessage>({ api });

export const thread = new Thread<ThreadState<UIMessage>>({ threadId: chatId });

export async function send(text: string): Promise<void> {
  const question: UIMessage = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] };
  thread.optimistic({ messages: [question] });
  const messages = [...thread.getState().messages];
  const request = {
    chatId,
    messages,
    trigger: "submit-message",
    messageId: undefined,
    abortSignal: undefined,
  } as const;
  await foldUIMessages(transport.sendMessages(request));
}

/** Folds one answer. `thread.run` says how it ended. */
async function foldUIMessages(answer: Promise<ReadableStream<UIMessageChunk>>): Promise<void> {
  thread.receive({ type: "run-started" });
  try {
    const stream = await answer;
    for await (const message of readUIMessageStream<UIMessage>({ stream, terminateOnError: true }))
      thread.receive({ type: "message", message, streaming: true });
    thread.receive({ type: "run-finished" });
  } catch (error) {
    thread.receive({ type: "run-error", error });
  }
}
