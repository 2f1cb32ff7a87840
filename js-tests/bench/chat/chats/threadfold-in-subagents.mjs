// 20 sub-agents speak side by side after the conversation: a token of each in every step.
import { createElement as h, memo } from "react";
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { useMessage, useMessageIds, useSubagents } from "threadfold/react";
import { dicts } from "../../data.mjs";
import { Feed } from "../../langgraph-parts.mjs";
import { blocksOf, Message } from "../lists.mjs";

const SUBAGENTS = Array.from({ length: 20 }, (_, at) => at);

export async function open(n) {
  const calls = SUBAGENTS.map((at) => ({ id: `c${at}`, name: "task", args: {}, type: "tool_call" }));
  const asking = { type: "ai", id: "asking", content: "", tool_calls: calls };
  const thread = new Thread({ values: { messages: [...dicts(0, n - 1), asking] } });
  const feed = new Feed();
  void foldLangGraph(thread, feed);
  await feed.say([{ event: "metadata", data: { run_id: "r" } }]);
  const One = memo(({ thread, id }) => h(Message, { message: useMessage(thread, id) }));
  const Blocks = blocksOf(({ id }) => h(Message, { message: useMessage(thread, id) }));
  const Task = memo(({ thread }) => useMessageIds(thread).map((id) => h(One, { key: id, thread, id })));
  const List = () => [
    h(Blocks, { key: "list", ids: useMessageIds(thread), size: 500 }),
    ...useSubagents(thread).map((one) => h(Task, { key: one.id, thread: one.thread })),
  ];
  const token = (at) => ({
    event: `messages|tools:${at}`,
    data: [
      { type: "AIMessageChunk", id: `m${at}`, content: " token" },
      { langgraph_checkpoint_ns: `tools:${at}|model:0` },
    ],
  });
  return { List, say: () => feed.say(SUBAGENTS.map(token)) };
}
