// A thread's messages, and under their calls the sub-agents, which are threads like it.
import type { RunStatus, Subagent, Thread } from "threadfold";
import { useMessage, useMessageIds, usePending, useRun, useSubagents } from "threadfold/react";
import { Bubble } from "./bubble";

export function Messages({ thread }: { thread: Thread }) {
  const ids = useMessageIds(thread);
  return ids.map((id) => <Message key={id} thread={thread} id={id} />);
}

function Message({ thread, id }: { thread: Thread; id: string }) {
  const message = useMessage(thread, id); // a token renders this one message
  const [unconfirmed] = usePending(thread, id);
  return message && <Bubble message={message} unconfirmed={unconfirmed} within={subagentsOf(thread)} />;
}

/** Draws the sub-agents of a call. */
export const subagentsOf = (thread: Thread) => (callId: string) => <Subagents thread={thread} callId={callId} />;

const WORDS: Partial<Record<RunStatus, string>> = { ready: "done", error: "failed", interrupted: "waits for you" };

function Subagents({ thread, callId }: { thread: Thread; callId: string }) {
  return useSubagents(thread, callId).map((one) => <Agent key={one.id} subagent={one} />);
}

/** Open while it works; then its result, below the call, says it all. */
function Agent({ subagent: { name, thread } }: { subagent: Subagent }) {
  const status = useRun(thread, (run) => run.status);
  const works = status === "submitted" || status === "streaming" || status === "interrupted";
  return (
    <details className="subagent" open={works} data-status={status}>
      <summary>
        <b>{name}</b> <span role="status">{WORDS[status] ?? "works…"}</span>
      </summary>
      <ol className="messages">
        {/* The page reads messages in either form. */}
        <Messages thread={thread as Thread} />
      </ol>
    </details>
  );
}
