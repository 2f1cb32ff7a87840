// Each message subscribes to itself, in one list.
import { createElement as h, memo } from "react";
import { useMessage, useMessageIds } from "threadfold/react";
import { folded } from "../folded.mjs";
import { Message } from "../lists.mjs";

export const open = (n) =>
  folded(n, (thread) => {
    const One = memo(({ id }) => h(Message, { message: useMessage(thread, id) }));
    return () =>
      h(
        "ul",
        null,
        useMessageIds(thread).map((id) => h(One, { key: id, id })),
      );
  });
