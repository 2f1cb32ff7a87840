import { textOf, Thread } from "threadfold";
import { LangGraphRunner } from "threadfold/langgraph";
import { useMessage, useMessageIds } from "threadfold/react";

const thread = new Thread();
const agent = new LangGraphRunner(thread, { apiUrl: "/langgraph", assistantId: "agent" });

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
