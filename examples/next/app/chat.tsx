"use client";

import { useState, type FormEvent } from "react";
import { textOf, Thread, type AgUiMessage, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { useChat, useMessage } from "threadfold/react";

export function Chat({ threadId, messages }: { threadId: string; messages: AgUiMessage[] }) {
  // One thread for each mounted chat: on the server, one for each request.
  const [{ thread, agent }] = useState(() => {
    const thread = new Thread<AgUiState>({ threadId, values: { messages } });
    return { thread, agent: new AgUiRunner(thread, { url: "/api/agent" }) };
  });
  const { messageIds, status } = useChat(agent);
  const [text, setText] = useState("");

  const send = (event: FormEvent) => {
    event.preventDefault();
    void agent.sendMessage(text);
    setText("");
  };

  return (
    <main>
      <ol>
        {messageIds.map((id) => (
          <Message key={id} thread={thread} id={id} />
        ))}
      </ol>
      <form onSubmit={send}>
        <input value={text} onChange={({ target }) => setText(target.value)} aria-label="Message" required />
        <button disabled={status === "submitted" || status === "streaming"}>Send</button>
      </form>
    </main>
  );
}

function Message({ thread, id }: { thread: Thread<AgUiState>; id: string }) {
  const message = useMessage(thread, id);
  return (
    message && (
      <li>
        <b>{message.role}</b> {textOf(message)}
      </li>
    )
  );
}
