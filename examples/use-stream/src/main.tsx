import { useState } from "react";
import { createRoot } from "react-dom/client";
import type { Message } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";

const apiUrl: string = import.meta.env.VITE_LANGGRAPH_URL ?? "http://localhost:8000/langgraph";

function Chat() {
  const stream = useStream<{ messages: Message[] }>({ apiUrl, assistantId: "agent", messagesKey: "messages" });
  const [text, setText] = useState("");
  const { message } = (stream.interrupt?.value ?? {}) as { message?: string };
  const answer = (resume: boolean) => void stream.submit(null, { command: { resume } });
  return (
    <main>
      <ol>
        {stream.messages.map(({ id, type, content }) => (
          <li key={id}>
            <b>{type}</b> {String(content)}
          </li>
        ))}
      </ol>
      {message && (
        <p>
          {message} <button onClick={() => answer(true)}>Yes</button> <button onClick={() => answer(false)}>No</button>
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void stream.submit({ messages: [{ type: "human", content: text }] });
          setText("");
        }}
      >
        <input value={text} onChange={({ target }) => setText(target.value)} aria-label="Message" required />
        <button>Send</button>
        {stream.isLoading && (
          <button type="button" onClick={() => void stream.stop()}>
            Stop
          </button>
        )}
      </form>
    </main>
  );
}

createRoot(document.querySelector("#root") as HTMLElement).render(<Chat />);
