// Who folds a LangGraph run, part by part: what is timed is the parts alone.
import { MessageTupleManager, StreamManager } from "@langchain/langgraph-sdk/ui";
import { Thread } from "threadfold";
import { foldRun } from "threadfold/langgraph";
import { Feed } from "./langgraph-parts.mjs";

/** A thread that folds the run, with a look after every part. */
export async function folding(messages) {
  const thread = new Thread({ values: { messages } });
  thread.on("error", (error) => {
    throw error;
  });
  let seen;
  const feed = new Feed(() => {
    seen = thread.getState();
  });
  void foldRun(thread, feed);
  await feed.say([{ event: "metadata", data: { run_id: "r" } }]);
  return { say: (parts) => feed.say(parts), messages: () => seen.messages, free: () => thread.dispose() };
}

/** What the SDK's `useStream` is built on. */
export async function managing(messages) {
  const manager = new StreamManager(new MessageTupleManager(), { throttle: false });
  let seen;
  const feed = new Feed(() => {
    seen = manager.values;
  });
  void manager.start(async () => feed, {
    getMessages: (values) => values.messages ?? [],
    setMessages: (values, messages) => ({ ...values, messages }),
    initialValues: { messages },
    callbacks: {},
    onSuccess: () => {},
    onError: () => {},
    onFinish: () => {},
  });
  await feed.say([{ event: "metadata", data: { run_id: "r" } }]);
  return { say: (parts) => feed.say(parts), messages: () => seen.messages, free: () => {} };
}
