import { type ComponentProps } from "react";
import { textOf, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui/events";
import { loadThread, persist } from "threadfold/persist";
import { useMessage, useMessageIds, usePending, useRunner } from "threadfold/react";

const saved = { name: "chat", storage: sessionStorage };
const thread = loadThread<AgUiState>(saved) ?? new Thread<AgUiState>();
const agent = new AgUiRunner(thread, { url: "/agent" });
persist(thread, saved);
void agent.rejoin(); // a run that was under way when the page was reloaded

export function Chat() {
  const messages = useMessageIds(thread).map((id) => <Message key={id} id={id} />);
  const { status, interrupts } = useRunner(agent);
  const answer = (approved: boolean) => agent.resume(interrupts.map(({ id }) => ({ id, value: { approved } })));
  return (
    <form action={(form) => void agent.sendMessage(String(form.get("text")))}>
      <ol>{messages}</ol>
      {interrupts.map(({ message }) => message)}
      {status === "interrupted" && <Button onClick={() => answer(true)}>Yes</Button>}
      {status === "interrupted" && <Button onClick={() => answer(false)}>No</Button>}
      <input name="text" aria-label="Message" required />
      <button>Send</button>
      {status === "streaming" && <Button onClick={() => agent.stop()}>Stop</Button>}
    </form>
  );
}

function Message({ id }: { id: string }) {
  const message = useMessage(thread, id); // a token renders the one message that grew
  const [update] = usePending(thread, id);
  if (!message) return null;
  const calls = message.role === "assistant" ? message.toolCalls?.map(({ function: { name } }) => `${name}()`) : [];
  return (
    <li>
      <b>{message.role}</b> {textOf(message)} {calls?.join(" ")}
      {update?.status === "failed" && <Button onClick={() => agent.retry(update)}>Failed: retry</Button>}
    </li>
  );
}

const Button = (props: ComponentProps<"button">) => <button type="button" {...props} />;
