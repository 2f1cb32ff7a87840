// Each message subscribes to itself; the list is in blocks.
import { createElement as h } from "react";
import { useMessage, useMessageIds } from "threadfold/react";
import { folded } from "../folded.mjs";
import { blocksOf, Message } from "../lists.mjs";

export const open = (n) =>
  folded(n, (thread) => {
    const Blocks = blocksOf(({ id }) => h(Message, { message: useMessage(thread, id) }));
    return () => h(Blocks, { ids: useMessageIds(thread), size: 500 });
  });
