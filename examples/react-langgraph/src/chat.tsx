import { useState, type FormEvent } from "react";
import { textOf, type Interrupt } from "threadfold";
import { useChat, useMessage, usePending } from "threadfold/react";
import { agent } from "./agent.js";

export function Chat() {
  const { messageIds, status, error, interrupts } = useChat(agent);
  const [text, setText] = useState("");
  const isBusy = status === "submitted" || status === "streaming";

  const send = (event: FormEvent) => {
    event.preventDefault();
    void agent.sendMessage(text);
    setText("");
  };

  return (
    <main>
      <ol>
        {messageIds.map((id) => (
          <Message key={id} id={id} error={error} />
        ))}
      </ol>
      {error && (
        <p role="alert">
          {error.message}
          <button onClick={() => void agent.retry()}>Try again</button>
        </p>
      )}
      {interrupts.length > 0 && <Approval interrupts={interrupts} />}
      <form onSubmit={send}>
        <input value={text} onChange={({ target }) => setText(target.value)} aria-label="Message" required />
        <button>Send</button>
        {isBusy && (
          <button type="button" onClick={() => void agent.stop()}>
            Stop
          </button>
        )}
      </form>
    </main>
  );
}

/** One message: a token renders the message that grew and no other. */
function Message({ id, error }: { id: string; error: unknown }) {
  const message = useMessage(agent, id);
  const [update] = usePending(agent, id);
  if (!message) return null;
  return (
    <li>
      <b>{message.type}</b> {textOf(message)}
      {message.type === "ai" &&
        message.tool_calls?.map((call) => (
          <code key={call.id}>
            {call.name}({JSON.stringify(call.args)})
          </code>
        ))}
      {/* While there is an error, it is told below. */}
      {update?.status === "failed" && !error && (
        <button type="button" onClick={() => void agent.retry(update)}>
          Failed: retry
        </button>
      )}
    </li>
  );
}

/** The graph's questions by `interrupt(…)`, each with two answers. The runner sends them once all are answered. */
function Approval({ interrupts }: { interrupts: readonly Interrupt[] }) {
  return interrupts.map(({ id, message, value }) => (
    <p key={id}>
      {message ?? JSON.stringify(value)} <button onClick={() => void agent.resume({ id, value: true })}>Yes</button>
      <button onClick={() => void agent.resume({ id, value: false })}>No</button>
    </p>
  ));
}
