import { createSignal, from, Index } from "solid-js";
import { textOf } from "threadfold";
import { agent, thread } from "./agent.js";

export function Chat() {
  const chat = from((set) => thread.subscribe((state) => set(() => state)), thread.getState());
  const status = from((set) => agent.subscribe(() => set(agent.status)), agent.status);
  const [text, setText] = createSignal("");

  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void agent.sendMessage(text());
    setText("");
  };

  // <Index>, not <For>: a message that grows is a new object in the same place, and its element stays.
  return (
    <>
      <ol>
        <Index each={chat().messages}>
          {(message) => (
            <li>
              <b>{message().role}</b> {textOf(message())}
            </li>
          )}
        </Index>
      </ol>
      <form onSubmit={send}>
        <input value={text()} onInput={({ target }) => setText(target.value)} aria-label="Message" required />
        <button disabled={status() === "submitted" || status() === "streaming"}>Send</button>
      </form>
    </>
  );
}
