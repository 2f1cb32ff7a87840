import { textOf } from "threadfold";
import { useChat, useMessage } from "threadfold/react";
import { agent } from "./agent.js";

export function Chat() {
  const { messageIds, status, error, interrupts, sendMessage, resume, retry, stop } = useChat(agent);
  return (
    <main>
      {messageIds.map((id) => (
        <Message key={id} id={id} />
      ))}
      {error && <button onClick={() => retry()}>Try again: {error.message}</button>}
      {interrupts.map(({ id, message }) => (
        <p key={id}>
          {message} <button onClick={() => resume({ id, value: { approved: true } })}>Yes</button>
          <button onClick={() => resume({ id, value: { approved: false } })}>No</button>
        </p>
      ))}
      {status === "streaming" && <button onClick={() => stop()}>Stop</button>}
      <form action={(form) => void sendMessage(String(form.get("text")))}>
        <input name="text" aria-label="Message" required />
        <button>Send</button>
      </form>
    </main>
  );
}

function Message({ id }: { id: string }) {
  const message = useMessage(agent, id); // a token renders the one message that grew
  const text = textOf(message);
  return message && text && <p>{`${message.role}: ${text}`}</p>;
}
