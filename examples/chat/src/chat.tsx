import { type ComponentProps } from "react";
import { textOf, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { loadThread, persist } from "threadfold/persist";
import { useMessage, useMessageIds, usePending, useRunner } from "threadfold/react";

const saved = { name: "chat", storage: sessionStorage, onError: console.warn };
const thread = loadThread<AgUiState>(saved) ?? new Thread<AgUiState>();
const agent = new AgUiRunner(thread, { url: "/agent" });
persist(thread, saved);
void agent.load(); // a run that was under way when the page was reloaded

export function Chat() {
  const { status, error, interrupts } = useRunner(agent);
  const messages = useMessageIds(thread).map((id) => <Message key={id} id={id} error={error} />);
  const answer = (approved: boolean) => agent.resume(interrupts.map(({ id }) => ({ id, value: { approved } })));
  return (
    <form action={(form) => void agent.sendMessage(String(form.get("text")))}>
      <ol>{messages}</ol>
      {error && <Button onClick={() => agent.retry()}>Try again: {error.message}</Button>}
      {interrupts.map(({ message, value }) => message ?? JSON.stringify(value))}
      {interrupts.length > 0 && <Button onClick={() => answer(true)}>Yes</Button>}
      {interrupts.length > 0 && <Button onClick={() => answer(false)}>No</Button>}
      <input name="text" aria-label="Message" required />
      <button>Send</button>
      {status === "streaming" && <Button onClick={() => agent.stop()}>Stop</Button>}
    </form>
  );
}

function Message({ id, error }: { id: string; error: unknown }) {
  const message = useMessage(thread, id); // a token renders the one message that grew
  const [failed] = usePending(thread, id).filter(({ status }) => status === "failed");
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
