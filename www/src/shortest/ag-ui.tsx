import { textOf, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { useMessage, useMessageIds } from "threadfold/react";

const thread = new Thread<AgUiState>();
const agent = new AgUiRunner(thread, { url: "/agent" });

export function Chat() {
  const list = useMessageIds(thread).map((id) => <Message key={id} id={id} />);
  return (
    <form action={(form) => void agent.sendMessage(String(form.get("text")))}>
      {list}
      <input name="text" aria-label="Message" />
    </form>
  );
}

const Message = ({ id = "" }) => <p>{textOf(useMessage(thread, id))}</p>;
