import { textOf } from "threadfold";
import { openLangGraph } from "threadfold/langgraph";
import { useChat, useMessage } from "threadfold/react";

const agent = openLangGraph({ apiUrl: "/langgraph", assistantId: "agent" });

export default function Chat() {
  const { messageIds, sendMessage } = useChat(agent);
  const list = messageIds.map((id) => <Message key={id} id={id} />);
  return (
    <form action={(form) => void sendMessage(String(form.get("text")))}>
      {list}
      <input name="text" aria-label="Message" />
    </form>
  );
}

const Message = ({ id = "" }) => <p>{textOf(useMessage(agent, id))}</p>;
