import { For, Show } from "solid-js";
import { textOf } from "threadfold";
import { agent } from "./agent.js";
import { useStore } from "./use-store.js";

const { thread } = agent;

export function Chat() {
  const ids = useStore(thread.subscribe, () => thread.messageIds);
  const status = useStore(agent.subscribe, agent.getStatus);
  const error = useStore(agent.subscribe, () => agent.error);
  const interrupts = useStore(agent.subscribe, () => agent.interrupts);

  const send = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    void agent.sendMessage(String(new FormData(event.currentTarget).get("text")));
    event.currentTarget.reset();
  };
  return (
    <main>
      <For each={ids()}>{(id) => <Message id={id} />}</For>
      {error() && <button onClick={() => agent.retry()}>Try again: {error()?.message}</button>}
      <For each={interrupts()}>
        {({ id, message }) => (
          <p>
            {message} <button onClick={() => agent.resume({ id, value: { approved: true } })}>Yes</button>
            <button onClick={() => agent.resume({ id, value: { approved: false } })}>No</button>
          </p>
        )}
      </For>
      {status() === "streaming" && <button onClick={() => agent.stop()}>Stop</button>}
      <form onSubmit={send}>
        <input name="text" aria-label="Message" required />
        <button>Send</button>
      </form>
    </main>
  );
}

function Message(props: { id: string }) {
  const message = useStore(
    (listener) => thread.subscribeMessage(props.id, listener), // a token renders the one message that grew
    () => thread.getMessage(props.id),
  );
  return <Show when={textOf(message())}>{(text) => <p>{`${message()?.role}: ${text()}`}</p>}</Show>;
}
