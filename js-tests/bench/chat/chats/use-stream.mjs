// useStream with a stub client: the thread's state is there at once, and a run yields the feed.
import { useStream } from "@langchain/langgraph-sdk/react";
import { dicts } from "../../data.mjs";
import { Feed, textParts } from "../../langgraph-parts.mjs";
import { listOf } from "../lists.mjs";

export async function open(n) {
  const feed = new Feed();
  const checkpoint = { thread_id: "t", checkpoint_id: "c", checkpoint_ns: "" };
  const messages = dicts(0, n);
  const client = {
    threads: { getState: async () => ({ values: { messages }, checkpoint, next: [], tasks: [], metadata: {} }) },
    runs: { stream: () => feed },
  };
  let stream;
  const List = listOf(() => {
    stream = useStream({ assistantId: "agent", threadId: "t", client });
    return stream.messages;
  });
  let isSubmitted = false;
  const say = async () => {
    if (!isSubmitted) {
      isSubmitted = true;
      void stream.submit({});
      await feed.say([{ event: "metadata", data: { run_id: "r" } }]);
    }
    await feed.say(textParts(1));
  };
  return { List, say };
}
