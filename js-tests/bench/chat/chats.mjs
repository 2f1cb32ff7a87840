// Chats in React, for a page: each shows a thread of some messages and hears an answer token by token.
import { HttpAgent } from "@ag-ui/client";
import { useStream } from "@langchain/langgraph-sdk/react";
import { createElement as h, memo, useEffect, useState, useSyncExternalStore } from "react";
import { textOf, Thread } from "threadfold";
import { foldRun } from "threadfold/langgraph/events";
import { useMessage, useMessageIds, useThread } from "threadfold/react";
import { agUiMessages, dicts } from "../data.mjs";
import { ANSWER, Feed, textParts } from "../langgraph-feeds.mjs";
import { Server } from "../server.mjs";

/** What each chat opens on so many messages: what to render, and what says the next token. */
export const CHATS = {
  threadfold: folded(inBlocks),
  "threadfold, in one list": folded(inOneList),
  "threadfold, naive list": folded(naive),
  "React alone": inReact,
  handwritten: byHand,
  "langgraph-sdk useStream": streamed,
  "@ag-ui/client HttpAgent": asked,
};

const Message = ({ message }) =>
  h("li", null, h("b", null, message.type ?? message.role), h("p", null, textOf(message)));

/** Each message hears of itself; the list is in blocks of blocks, as the docs of useMessageIds have it. */
function inBlocks(thread) {
  const Blocks = blocksOf(({ id }) => h(Message, { message: useMessage(thread, id) }));
  return () => h(Blocks, { ids: useMessageIds(thread), size: 500 });
}

function blocksOf(OneMessage) {
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

function inOneList(thread) {
  const One = memo(({ id }) => h(Message, { message: useMessage(thread, id) }));
  return () =>
    h(
      "ul",
      null,
      useMessageIds(thread).map((id) => h(One, { key: id, id })),
    );
}

/** All messages render for each token. */
const listOf = (useMessages) => () =>
  h(
    "ul",
    null,
    useMessages().map((message) => h(Message, { key: message.id, message })),
  );

function naive(thread) {
  return listOf(() => useThread(thread).messages);
}

function folded(listOf) {
  return async (n) => {
    const thread = new Thread({ values: { messages: dicts(0, n) } });
    const feed = new Feed();
    void foldRun(thread, feed);
    await feed.say([{ event: "metadata", data: { run_id: "r" } }]);
    return { List: listOf(thread), say: () => feed.say(textParts(1)) };
  };
}

/** The limit of a page in React: one component, in the same blocks, is told of a message that somebody else made. */
async function inReact(n) {
  const messages = new Map([...dicts(0, n), { id: ANSWER, type: "ai", content: "" }].map((one) => [one.id, one]));
  const ids = [...messages.keys()];
  let tell = () => {};
  const subscribe = (listener) => {
    tell = listener;
    return () => {};
  };
  const Answer = () => h(Message, { message: useSyncExternalStore(subscribe, () => messages.get(ANSWER)) });
  const Blocks = blocksOf(({ id }) => (id === ANSWER ? h(Answer) : h(Message, { message: messages.get(id) })));
  return {
    List: () => h(Blocks, { ids, size: 500 }),
    say() {
      const answer = messages.get(ANSWER);
      messages.set(ANSWER, { ...answer, content: `${answer.content} token` });
      tell();
    },
  };
}

/** The limit: the text of one element grows, and nobody keeps a state. */
async function byHand(n) {
  const { List, say } = await CHATS.threadfold(n);
  let text;
  return {
    List,
    async say() {
      if (text) text.data += " token";
      else {
        await say();
        await new Promise((resolve) => setTimeout(resolve, 100));
        text = [...document.querySelectorAll("p")].at(-1).firstChild;
      }
    },
  };
}

/** Its client is a made one: the thread's state is there at once, and a run says what the feed says. */
async function streamed(n) {
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

async function asked(n) {
  const server = new Server();
  const agent = new HttpAgent({
    url: "http://bench",
    threadId: "t",
    initialMessages: agUiMessages(0, n),
    fetch: server.fetch,
  });
  const List = listOf(() => {
    const [messages, setMessages] = useState(agent.messages);
    useEffect(() => {
      const { unsubscribe } = agent.subscribe({ onMessagesChanged: ({ messages }) => setMessages([...messages]) });
      return unsubscribe;
    }, []);
    return messages;
  });
  let isAsked = false;
  const say = async () => {
    if (!isAsked) {
      isAsked = true;
      void agent.runAgent({ runId: "r" });
      await server.asked;
      server.say({ type: "RUN_STARTED", threadId: "t", runId: "r" });
      server.say({ type: "TEXT_MESSAGE_START", messageId: ANSWER, role: "assistant" });
    }
    server.say({ type: "TEXT_MESSAGE_CONTENT", messageId: ANSWER, delta: " token" });
  };
  return { List, say };
}
