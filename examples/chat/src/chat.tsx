import { type ComponentProps } from "react";
import { textOf } from "threadfold";
import { openAgUi } from "threadfold/ag-ui";
import { useChat, useMessage, usePending } from "threadfold/react";

const agent = openAgUi({ url: "/agent" }); // opened once: saved, and loaded after a reload

export function Chat() {
  const { messageIds, status, error, interrupts, sendMessage, resume, retry, stop } = useChat(agent);
  const messages = messageIds.map((id) => <Message key={id} id={id} error={error} />);
  const answer = (approved: boolean) => resume(interrupts.map(({ id }) => ({ id, value: { approved } })));
  return (
    <form action={(form) => void sendMessage(String(form.get("text")))}>
      <ol>{messages}</ol>
      {error && <Button onClick={() => retry()}>Try again: {error.message}</Button>}
      {interrupts.map(({ message, value }) => message ?? JSON.stringify(value))}
      {interrupts.length > 0 && <Button onClick={() => answer(true)}>Yes</Button>}
      {interrupts.length > 0 && <Button onClick={() => answer(false)}>No</Button>}
      <input name="text" aria-label="Message" required />
      <button>Send</button>
      {status === "streaming" && <Button onClick={() => stop()}>Stop</Button>}
    </form>
  );
}

function Message({ id, error }: { id: string; error: unknown }) {
  const message = useMessage(agent, id); // a token renders the one message that grew
  const [failed] = usePending(agent, id).filter(({ status }) => status === "failed");
  if (!message) return null;
  const calls = message.role === "assistant" ? message.toolCalls?.map(({ function: { name } }) => `${name}()`) : [];
  return (
    <li>
      <b>{message.role}</b> {textOf(message)} {calls?.join(" ")}
      {failed && !error && <Button onClick={() => agent.retry(failed)}>Failed: retry</Button>}
    </li>
  );
}

const Button = (props: ComponentProps<"button">) => <button type="button" {...props} />;
