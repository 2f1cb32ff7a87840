// One list in two ways: as it is usually written, and by one component a message. Both make the same elements.
import { memo, useMemo, type ReactNode } from "react";
import type { Thread } from "threadfold";
import { useMessage, useMessageIds, useThread } from "threadfold/react";
import { Bubble } from "../chat/bubble";

/** Messages in one element, which the browser skips while it is out of sight. */
const BLOCK = 50;

const blocks = <T,>(list: readonly T[]): (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / BLOCK) }, (_, at) => list.slice(at * BLOCK, (at + 1) * BLOCK));

const Block = ({ children }: { children: ReactNode }) => <ol className="block">{children}</ol>;

/** Renders all messages whenever one has changed. */
export function WholeList({ thread }: { thread: Thread }) {
  const messages = useThread(thread, (state) => state.messages);
  return blocks(messages).map((block) => (
    <Block key={block[0]?.id}>
      {block.map((message) => (
        <Bubble key={message.id} message={message} />
      ))}
    </Block>
  ));
}

/** Renders the message that has changed. */
export function ListByMessage({ thread }: { thread: Thread }) {
  const ids = useMessageIds(thread);
  return useMemo(
    () =>
      blocks(ids).map((block) => (
        <Block key={block[0]}>
          {block.map((id) => (
            <One key={id} thread={thread} id={id} />
          ))}
        </Block>
      )),
    [thread, ids],
  );
}

const One = memo(({ thread, id }: { thread: Thread; id: string }) => {
  const message = useMessage(thread, id);
  return message && <Bubble message={message} />;
});
