// The chat: the messages, the run's questions, and the input.
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type KeyboardEvent } from "react";
import { textOf, type PendingUpdate } from "threadfold";
import { useThread } from "threadfold/react";
import { WaysOut } from "./bubble";
import type { Chat, Server } from "./connection";
import { ContextRing, useContextOf } from "./context";
import { DriftDetails, DriftLight, useDrift } from "./drift-light";
import { FaultControls } from "./fault-controls";
import { useFollow } from "./follow";
import { Front } from "./front";
import { Messages } from "./messages";
import { Plan } from "./plan";
import { Question } from "./question";
import { RunStatus } from "./run-status";
import { ServerChoice } from "./server-choice";
import { Compacted, useRecord } from "./summary-mark";
import { takeBack } from "./take-back";

const SUGGESTIONS = ["Plan my week", "Mail Ada", "A trip to Rome", "A long answer"];

interface Actions {
  choose(server: Server): void;
  startOver(): void;
}

export function ChatCard({ chat, choose, startOver }: { chat: Chat } & Actions) {
  const { thread, agent } = chat;
  const status = useSyncExternalStore(agent.subscribe, agent.getStatus);
  const isEmpty = useThread(thread, ({ messages }) => messages.length === 0);
  const todos = useThread(thread, (state) => state.todos);
  const drift = useDrift(chat);
  const context = useContextOf(thread, status === "ready");
  const record = useRecord(thread);
  const log = useRef<HTMLDivElement>(null);
  const toEnd = useFollow(log);
  const ways = useMemo(
    () => ({
      status,
      retry(update: PendingUpdate) {
        toEnd();
        // A stopped message goes out with the next run.
        void (update.status === "failed" ? agent.retry(update) : agent.sendMessage());
      },
      takeBack: (update: Parameters<typeof takeBack>[1]) => takeBack(thread, update),
    }),
    [thread, agent, status, toEnd],
  );
  const say = (text: string) => {
    toEnd();
    void agent.sendMessage(text);
  };

  return (
    <section id="chat" className="card" aria-labelledby="chat-title">
      <div className="card-head">
        <h2 id="chat-title">A live chat</h2>
        <DriftLight drift={drift} />
        <ContextRing id="context" view={context} />
        <button type="button" className="quiet" onClick={startOver}>
          New thread
        </button>
      </div>
      <ServerChoice server={chat.server} choose={choose} />
      <Plan todos={todos} folds />
      <div id="chat-thread" ref={log} tabIndex={0} role="log" aria-label="Messages" aria-live="off">
        <WaysOut value={ways}>
          <Compacted value={record}>
            <ol className="messages">
              <Front thread={thread} />
              <Messages thread={thread} />
              {status === "interrupted" && (
                <li className="asks">
                  <Question agent={agent} />
                </li>
              )}
            </ol>
          </Compacted>
        </WaysOut>
        {isEmpty && <p className="hint">No messages yet. Yours show here before the server receives them.</p>}
      </div>
      <Announcement chat={chat} status={status} />
      <div id="chat-foot">
        <DriftDetails drift={drift} />
        <RunStatus chat={chat} status={status} />
        <div className="chips" role="group" aria-label="Suggestions">
          {SUGGESTIONS.map((text) => (
            <button key={text} type="button" className="chip" onClick={() => say(text)}>
              {text}
            </button>
          ))}
        </div>
        <Composer say={say} />
        {chat.server.address === undefined && <FaultControls protocol={chat.server.protocol} />}
      </div>
    </section>
  );
}

function Composer({ say }: { say: (text: string) => void }) {
  const [text, setText] = useState("");
  const send = () => {
    if (!text.trim()) return;
    setText("");
    say(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      id="composer"
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label htmlFor="composer-text" className="unseen">
        Message
      </label>
      <textarea
        id="composer-text"
        rows={1}
        placeholder="Write to the agent"
        enterKeyHint="send"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className="primary">
        Send
      </button>
    </form>
  );
}

/** Tells screen readers each answer once it is whole: a log that is read token by token is not to be followed. */
function Announcement({ chat: { thread, agent }, status }: { chat: Chat; status: string }) {
  const [said, setSaid] = useState("");
  const before = useRef(status);
  useEffect(() => {
    const wasRunning = before.current === "streaming" || before.current === "submitted";
    // A broken connection is being rejoined: the run goes on.
    if (status === "disconnected" && agent.error === undefined) return;
    before.current = status;
    if (!wasRunning || status === "streaming" || status === "submitted") return;
    const last = thread.getState().messages.at(-1);
    setSaid(
      status === "error" || status === "disconnected" ? "Failed." : last ? `Agent: ${textOf(last).slice(0, 400)}` : "",
    );
  }, [thread, agent, status]);
  return (
    <p className="unseen" aria-live="polite">
      {said}
    </p>
  );
}
