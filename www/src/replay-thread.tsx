// A recorded thread, drawn as the chat draws its own.
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { Bubble } from "./chat/bubble";
import { read } from "./chat/message";
import { Plan } from "./chat/plan";
import type { ThreadState } from "./state";

/** Returns a function that shows a state in `host`, with its end in sight. */
export function createReplayThread(host: HTMLElement): (state: ThreadState) => void {
  const root = createRoot(host);
  return (state) => {
    flushSync(() => root.render(<ReplayThread state={state} />));
    const log = host.querySelector(".log");
    if (log) log.scrollTop = log.scrollHeight;
  };
}

function ReplayThread({ state: { messages, todos } }: { state: ThreadState }) {
  return (
    <>
      <Plan todos={todos} />
      <div className="log" tabIndex={0} role="region" aria-label="Messages of the recorded run">
        <ol className="messages">
          {messages.map((message) => (
            <Bubble key={read(message).key} message={message} />
          ))}
        </ol>
        {messages.length === 0 && <p className="hint">No messages yet. Press play.</p>}
      </div>
    </>
  );
}
