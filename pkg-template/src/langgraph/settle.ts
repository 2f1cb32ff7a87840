import { reconcile } from "../runner/load.js";
import type { AnyThread } from "../thread/thread.js";
import type { LangGraphTransport } from "./transport.js";

/** Brings the fields in doubt to what the server has: these alone, or all after a gap or a run that did not end well. */
export async function settle(thread: AnyThread, transport: LangGraphTransport, signal: AbortSignal): Promise<void> {
  const { threadId, doubts } = thread;
  if (doubts.length === 0 || threadId === undefined) return;
  const names = [...new Set(doubts.map(({ field }) => field))];
  const isGap = doubts.some(({ reason }) => reason === "gap" || reason === "bad-end");
  const fields = isGap ? undefined : await transport.fields?.(threadId, names, { signal });
  if (fields) takeFields(thread, fields);
  else {
    const { state, load } = transport;
    const found = await (state ?? load)?.(threadId, { signal });
    if (!found) return;
    const { values, interrupts = [], position } = found;
    reconcile(thread, { values, interrupts, position });
  }
}

function takeFields(thread: AnyThread, { messages, ...others }: Readonly<Record<string, unknown>>): void {
  const { position } = thread;
  if (messages !== undefined) thread.receive({ type: "messages", messages: messages as object[] });
  if (Object.keys(others).length > 0) {
    const { messages: _, ...own } = thread.getConfirmedState() as Record<string, unknown>;
    thread.receive({ type: "state", values: { ...own, ...others } });
  }
  thread.receive({ type: "step", ...position });
}
