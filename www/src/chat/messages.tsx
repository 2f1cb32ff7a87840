import type { Thread } from "threadfold";
import { useMessage, useMessageIds, usePending } from "threadfold/react";
import { Bubble } from "./bubble";

export function Messages({ thread }: { thread: Thread }) {
  const ids = useMessageIds(thread);
  return ids.map((id) => <Message key={id} thread={thread} id={id} />);
}

function Message({ thread, id }: { thread: Thread; id: string }) {
  const message = useMessage(thread, id); // a token renders this one message
  const [unconfirmed] = usePending(thread, id);
  return message && <Bubble message={message} unconfirmed={unconfirmed} />;
}
