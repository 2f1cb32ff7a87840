import { createSignal, For, Show } from "solid-js";
import { textOf } from "threadfold";
import { agent, thread } from "./agent.js";
import { useStore } from "./use-store.js";

export function Chat() {
  const ids = useStore(thread.subscribe, () => thread.messageIds);
  const status = useStore(agent.subscribe, agent.getStatus);
  const [text, setText] = createSignal("");

  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void agent.sendMessage(text());
    setText("");
  };

  return (
    <>
      <ol>
        <For each={ids()}>{(id) => <Message id={id} />}</For>
      </ol>
      <form onSubmit={send}>
        <input value={text()} onInput={({ target }) => setText(target.value)} aria-label="Message" required />
        <button disabled={status() === "submitted" || status() === "streaming"}>Send</button>
      </form>
    </>
  );
}

/** One message: a token wakes the one that grew, and no other. */
function Message(props: { id: string }) {
  const message = useStore(
    (listener) => thread.subscribeMessage(props.id, listener),
    () => thread.getMessage(props.id),
  );
  return (
    <Show when={message()}>
      {(shown) => (
        <li>
          <b>{shown().role}</b> {textOf(shown())}
        </li>
      )}
    </Show>
  );
}
