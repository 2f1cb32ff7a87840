// One list in two ways: as it is usually written, and by one component a message.
import type { Thread } from "threadfold";
import { useMessage, useMessageIds, useThread } from "threadfold/react";
import { Bubble } from "../chat/bubble";

/** Renders all messages whenever one has changed. */
export function WholeList({ thread }: { thread: Thread }) {
  const messages = useThread(thread, (state) => state.messages);
  return (
    <ol className="messages">
      {messages.map((message) => (
        <Bubble key={message.id} message={message} />
      ))}
    </ol>
  );
}

/** Renders the message that has changed. */
export function ListByMessage({ thread }: { thread: Thread }) {
  return (
    <ol className="messages">
      {useMessageIds(thread).map((id) => (
        <One key={id} thread={thread} id={id} />
      ))}
    </ol>
  );
}

function One({ thread, id }: { thread: Thread; id: string }) {
  const message = useMessage(thread, id);
  return message && <Bubble message={message} />;
}
