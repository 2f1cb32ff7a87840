// A thread that folds a LangGraph run.
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { dicts } from "../data.mjs";
import { Feed, textParts } from "../langgraph-parts.mjs";

/** A chat of `n` messages whose answer comes through foldLangGraph, in the list that is made of the thread. */
export async function folded(n, listOf) {
  const thread = new Thread({ values: { messages: dicts(0, n) } });
  const feed = new Feed();
  void foldLangGraph(thread, feed);
  await feed.say([{ event: "metadata", data: { run_id: "r" } }]);
  return { List: listOf(thread), say: () => feed.say(textParts(1)) };
}
