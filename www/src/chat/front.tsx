import { useMemo } from "react";
import type { Thread } from "threadfold";
import { Bubble } from "./bubble";
import { subagentsOf } from "./messages";
import { useRecord } from "./summary-mark";

/** Messages that the server has removed from its list: above those it still has. */
export function Front({ thread }: { thread: Thread }) {
  const record = useRecord(thread);
  const front = useMemo(() => {
    const shown = new Set(thread.messageIds);
    return record ? thread.history.filter(({ id }) => !shown.has(id as string)) : [];
  }, [thread, record]);
  return front.map((message) => <Bubble key={message.id} message={message} within={subagentsOf(thread)} />);
}
