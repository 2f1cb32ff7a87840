// The conversation: its request, its stream and its folding take none of the page's time.
import { textOf, Thread, type AgUiMessage, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";

/** A change for the page: the ids of all messages in their order, or the text of one. */
export type Change = { ids: readonly string[] } | { id: string; text: string };

const url: string = import.meta.env.VITE_AGENT_URL ?? "http://localhost:8000";
const thread = new Thread<AgUiState>();
const agent = new AgUiRunner(thread, { url });

const tell = (change: Change) => postMessage(change);
const told = new Set<string>();
let ids = thread.messageIds;

thread.subscribe(() => {
  if (thread.messageIds === ids) return;
  ids = thread.messageIds;
  tell({ ids });
  for (const id of ids) {
    if (told.has(id)) continue;
    told.add(id);
    const show = (message: AgUiMessage | undefined) =>
      message && tell({ id, text: `${message.role}: ${textOf(message)}` });
    show(thread.getMessage(id));
    thread.subscribeMessage(id, show);
  }
});

addEventListener("message", ({ data }: MessageEvent<string>) => void agent.sendMessage(data));
