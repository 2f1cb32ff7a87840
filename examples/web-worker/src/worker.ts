// The conversation: its request, its stream and its folding take none of the page's time.
import { textOf, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui/events";

/** What the page is told after a change: the order, and the messages that changed. */
export interface Change {
  ids: string[];
  changed: { id: string; text: string }[];
}

const url: string = import.meta.env.VITE_AGENT_URL ?? "http://localhost:8000";
const thread = new Thread<AgUiState>({ threadId: crypto.randomUUID() });
const agent = new AgUiRunner(thread, { url });

// What did not change is the same object, so only what did is copied to the page.
thread.subscribe(({ messages }, before) => {
  const changed = messages
    .filter((message, at) => message !== before.messages[at])
    .map((message) => ({ id: message.id, text: `${message.role}: ${textOf(message)}` }));
  postMessage({ ids: messages.map(({ id }) => id), changed } satisfies Change);
});

addEventListener("message", ({ data }: MessageEvent<string>) => void agent.sendMessage(data));
