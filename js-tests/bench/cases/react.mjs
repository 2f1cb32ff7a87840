// Tokens of a LangGraph run on a page of 1,000 messages, each shown by React before the next one comes: `useThread`
// compared with the SDK's `useStream`.
import { useStream } from "@langchain/langgraph-sdk/react";
import { useSyncExternalStore } from "react";
import { Thread } from "threadfold";
import { foldLangGraph } from "threadfold/langgraph";
import { useThread } from "threadfold/react";
import { dicts } from "../data.mjs";
import * as handwritten from "../handwritten.mjs";
import { begun } from "../harness.mjs";
import { ANSWER, Feed, argumentsInOnePart, argumentsParts, textParts } from "../langgraph-parts.mjs";
import { Page } from "../page.mjs";

const MESSAGES = 1_000;
const TOKENS = 8_000;
const USE_STREAM = "langgraph-sdk useStream";

export function cases() {
  const messages = dicts(0, MESSAGES);
  return [
    {
      name: "token of text in React",
      n: MESSAGES,
      contenders: {
        threadfold: showing(withUseThread, messages, () => textParts(1), textParts),
        handwritten: showing(byHand, messages, () => textParts(1), textParts),
        [USE_STREAM]: showing(withUseStream, messages, () => textParts(1), textParts),
      },
      times: { threadfold: 20, handwritten: 20, [USE_STREAM]: 2 },
      comparable: (page) => page.shown,
    },
    {
      name: `token of tool arguments in React, ${MESSAGES.toLocaleString("en")} messages`,
      n: TOKENS,
      contenders: {
        threadfold: showing(withUseThread, messages, longArguments, moreArguments),
        [USE_STREAM]: showing(withUseStream, messages, longArguments, moreArguments),
      },
      times: { threadfold: 20, [USE_STREAM]: 2 },
      // Since 1.15 useStream shows arguments up to 50 ms later.
      comparable: async (page) => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        return page.shown;
      },
    },
  ];
}

const longArguments = () => argumentsInOnePart(TOKENS);
const moreArguments = (count) => argumentsParts(TOKENS, TOKENS + count);

/** The page after so many tokens more. */
function showing(open, messages, start, tokens) {
  return begun(async () => {
    const { feed, page } = await open(messages);
    const show = async (parts) => {
      for (const part of parts) {
        const committed = page.committed();
        await feed.say([part]);
        await committed;
      }
    };
    await show(start());
    return async (times) => {
      await show(tokens(times));
      return page;
    };
  });
}

async function withUseThread(messages) {
  const thread = new Thread({ values: { messages } });
  const page = new Page(() => useThread(thread, (state) => state.messages));
  await page.committed();
  const feed = new Feed();
  void foldLangGraph(thread, feed);
  await feed.say([{ event: "metadata", data: { run_id: "r" } }]);
  return { feed, page };
}

/** Its client is a stub: the thread's state is there at once, and a run yields the feed. */
async function withUseStream(messages) {
  const feed = new Feed();
  const checkpoint = { thread_id: "t", checkpoint_id: "c", checkpoint_ns: "" };
  const client = {
    threads: { getState: async () => ({ values: { messages }, checkpoint, next: [], tasks: [], metadata: {} }) },
    runs: { stream: () => feed },
  };
  let stream;
  const page = new Page(() => {
    stream = useStream({ assistantId: "agent", threadId: "t", client });
    return stream.messages;
  });
  while (page.shown.count < messages.length) await page.committed();
  void stream.submit({});
  await feed.say([{ event: "metadata", data: { run_id: "r" } }]);
  return { feed, page };
}

async function byHand(messages) {
  const list = new handwritten.MessageList([...messages, { type: "ai", id: ANSWER, content: "" }]);
  let tell = () => {};
  const subscribe = (listener) => {
    tell = listener;
    return () => {};
  };
  const page = new Page(() => useSyncExternalStore(subscribe, () => list.snapshot()));
  await page.committed();
  const feed = {
    async say(parts) {
      for (const {
        data: [{ id, content }],
      } of parts) {
        list.append(id, content);
        tell();
      }
    },
  };
  return { feed, page };
}
