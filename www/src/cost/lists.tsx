// One list in two ways: as it is usually written, and by one component a message. Both make the same elements.
import { memo, useMemo, type ReactNode } from "react";
import type { Thread } from "threadfold";
import { useMessage, useMessageIds, useThread } from "threadfold/react";
import { Bubble } from "../chat/bubble";

/** Messages in one element, which the browser skips while it is out of sight; blocks of 50 in blocks of 500. */
const SIZES = [500, 50];
/** The approximate height of a message. */
const HEIGHT = 80;

/**
 * The blocks around the elements that `render` makes of the items: the docs recommend them for a long list
 * (docs/react.md).
 */
function blocks<T>(
  items: readonly T[],
  keyOf: (item: T | undefined) => string | undefined,
  render: (item: T) => ReactNode,
  [size, ...smaller]: readonly number[] = SIZES,
): ReactNode {
  if (size === undefined) return items.map(render);
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => {
    const own = items.slice(at * size, (at + 1) * size);
    const Block = smaller.length > 0 ? "div" : "ol";
    return (
      <Block key={keyOf(own[0])} className="block" style={{ containIntrinsicSize: `auto ${own.length * HEIGHT}px` }}>
        {blocks(own, keyOf, render, smaller)}
      </Block>
    );
  });
}

/** Renders all messages whenever one has changed. */
export function WholeList({ thread }: { thread: Thread }) {
  const messages = useThread(thread, (state) => state.messages);
  return blocks(
    messages,
    (message) => message?.id,
    (message) => <Bubble key={message.id} message={message} />,
  );
}

/** Renders the message that has changed. */
export function ListByMessage({ thread }: { thread: Thread }) {
  const ids = useMessageIds(thread);
  return useMemo(
    () =>
      blocks(
        ids,
        (id) => id,
        (id) => <One key={id} thread={thread} id={id} />,
      ),
    [thread, ids],
  );
}

const One = memo(({ thread, id }: { thread: Thread; id: string }) => {
  const message = useMessage(thread, id);
  return message && <Bubble message={message} />;
});
