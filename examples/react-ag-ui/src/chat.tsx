import { useState, type FormEvent } from "react";
import { textOf } from "threadfold";
import { useMessage, useMessageIds, usePending, useRunner, type RunnerView } from "threadfold/react";
import { agent, thread } from "./agent.js";

export function Chat() {
  const ids = useMessageIds(thread);
  const { status, error, interrupts } = useRunner(agent);
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
        {ids.map((id) => (
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
function Message({ id, error }: { id: string; error: RunnerView["error"] }) {
  const message = useMessage(thread, id);
  const [update] = usePending(thread, id);
  if (!message) return null;
  return (
    <li>
      <b>{message.role}</b> {textOf(message)}
      {message.role === "assistant" &&
        message.toolCalls?.map((call) => (
          <code key={call.id}>
            {call.function.name}({call.function.arguments})
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

/** The agent's questions, each with two answers. The runner sends them once all are answered. */
function Approval({ interrupts }: Pick<RunnerView, "interrupts">) {
  const answer = (id: string | undefined, approved: boolean) => void agent.resume({ id, value: { approved } });
  return interrupts.map(({ id, message }) => (
    <p key={id}>
      {message} <button onClick={() => answer(id, true)}>Yes</button>
      <button onClick={() => answer(id, false)}>No</button>
    </p>
  ));
}
