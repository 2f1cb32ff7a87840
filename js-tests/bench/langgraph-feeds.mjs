// Clients that fold a LangGraph run part by part: only the parts are timed.
import { MessageTupleManager, StreamManager } from "@langchain/langgraph-sdk/ui";
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
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
  void foldLangGraph(thread, feed);
  await feed.say([{ event: "metadata", data: { run_id: "r" } }]);
  return { say: (parts) => feed.say(parts), messages: () => seen.messages, free: () => thread.dispose() };
}

/** The base of the SDK's `useStream`. */
export async function managing(messages) {
  const tuples = new MessageTupleManager();
  const manager = new StreamManager(tuples, { throttle: false });
  const feed = new Feed(() => void manager.values);
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
  // Since 1.15 it parses a call's arguments on a timer, not with each token.
  const parsed = () => {
    tuples.flush();
    return manager.values.messages;
  };
  return { say: (parts) => feed.say(parts), messages: parsed, free: () => {} };
}
