import { useState, type FormEvent } from "react";
import { useMessage, useMessageIds, useRun } from "threadfold/react";
import { send, thread } from "./chat-thread.js";

export function Chat() {
  const ids = useMessageIds(thread);
  const status = useRun(thread, (run) => run.status);
  const [text, setText] = useState("");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(text);
    setText("");
  };

  return (
    <main>
      <ol>
        {ids.map((id) => (
          <Message key={id} id={id} />
        ))}
      </ol>
      {status === "error" && <p role="alert">The answer failed.</p>}
      <form onSubmit={submit}>
        <input value={text} onChange={({ target }) => setText(target.value)} aria-label="Message" required />
        <button disabled={status === "submitted" || status === "streaming"}>Send</button>
      </form>
    </main>
  );
}

function Message({ id }: { id: string }) {
  const message = useMessage(thread, id);
  return (
    <li>
      <b>{message?.role}</b>
      {message?.parts.map((part, at) => {
        if (part.type === "text") return <span key={at}> {part.text}</span>;
        if (part.type === "dynamic-tool" || part.type.startsWith("tool-")) return <code key={at}>{part.type}</code>;
        return null;
      })}
    </li>
  );
}
