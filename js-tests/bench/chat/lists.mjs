// The lists of messages that the chats show.
import { createElement as h, memo } from "react";
import { textOf } from "threadfold";

export const Message = ({ message }) =>
  h("li", null, h("b", null, message.type ?? message.role), h("p", null, textOf(message)));

/** All messages render for each token. */
export const listOf = (useMessages) => () =>
  h(
    "ul",
    null,
    useMessages().map((message) => h(Message, { key: message.id, message })),
  );

/** Blocks of blocks of messages, as the docs of useMessageIds have it. */
export function blocksOf(OneMessage) {
  const One = memo(OneMessage);
  const Blocks = memo(
    ({ ids, size }) => {
      if (size < 50) return ids.map((id) => h(One, { key: id, id }));
      return ids
        .filter((_, at) => at % size === 0)
        .map((first, at) => {
          const own = ids.slice(at * size, (at + 1) * size);
          const style = { containIntrinsicSize: `auto ${own.length * 64}px` };
          return h("div", { key: first, className: "block", style }, h(Blocks, { ids: own, size: size / 10 }));
        });
    },
    (before, now) => before.ids.join() === now.ids.join(),
  );
  return Blocks;
}
