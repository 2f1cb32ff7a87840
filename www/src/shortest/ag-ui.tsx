import { textOf } from "threadfold";
import { openAgUi } from "threadfold/ag-ui";
import { useChat, useMessage } from "threadfold/react";

const agent = openAgUi({ url: "/agent", resumable: true });

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
