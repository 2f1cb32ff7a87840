// A thread on its own: with updates pending over it, and opened.
import { HttpAgent } from "@ag-ui/client";
import { AIMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph/web";
import { Thread } from "threadfold";
import { agUiMessages, dicts, essence } from "../data.mjs";
import { instances } from "../instances.mjs";
import * as handwritten from "../handwritten.mjs";

const N = 10_000;
const PENDING = 10;
const UPDATES = 1_000;
const ANSWER = "the answer";

export function cases() {
  return [pending(), manyUpdates(), opening()];
}

/**
 * A token of an answer, and a read, by the number of pending or acknowledged updates. Each shows as many messages, so
 * copying a longer list is not measured.
 */
function manyUpdates() {
  const empty = { type: "ai", id: ANSWER, content: "" };
  const questions = dicts(N - UPDATES, N).map((message) => ({ ...message, type: "human" }));
  const begun = (before, during = []) => {
    const thread = new Thread({ values: { messages: dicts(0, N - before.length) } });
    for (const message of before) thread.optimistic({ messages: [message] });
    thread.receive({ type: "run-started", runId: "r1" });
    for (const message of during) thread.receive({ type: "message", message });
    return thread;
  };
  const token = (thread) => (times) => {
    thread.receive({ type: "message", message: empty, streaming: true });
    let seen;
    for (let token = 0; token < times; token++) {
      thread.receive({ type: "text", messageId: ANSWER, text: " token" });
      seen = thread.getState().messages;
    }
    return seen;
  };
  return {
    name: "token and a look, by updates",
    n: N,
    contenders: {
      threadfold: token(begun([])),
      "threadfold, 1,000 sent": token(begun(questions)),
      "threadfold, 1,000 acknowledged": token(begun(questions, questions)),
    },
    times: { threadfold: 200, "threadfold, 1,000 sent": 200, "threadfold, 1,000 acknowledged": 200 },
    comparable: (seen) => seen.find(({ id }) => id === ANSWER).content,
  };
}

/** A token of an answer, and a look, while ten messages are shown that the server does not know yet. */
function pending() {
  const empty = { type: "ai", id: ANSWER, content: "" };
  const messages = [...dicts(0, N), empty];
  const own = dicts(N, N + PENDING).map((message) => ({ ...message, type: "human" }));
  const thread = new Thread({ values: { messages } });
  for (const message of own) thread.optimistic({ messages: [message] });
  const list = new handwritten.MessageList(messages);
  const [base, pending] = [instances(messages), own.map((message) => instances([message]))];
  return {
    name: `token and a look, ${PENDING} updates pending`,
    n: N,
    contenders: {
      threadfold: (times) => {
        thread.receive({ type: "message", message: empty, streaming: true });
        let seen;
        for (let token = 0; token < times; token++) {
          thread.receive({ type: "text", messageId: ANSWER, text: " token" });
          seen = thread.getState().messages;
        }
        return seen;
      },
      handwritten: (times) => {
        list.replace(empty);
        let seen;
        for (let token = 0; token < times; token++) {
          list.append(ANSWER, " token");
          seen = list.snapshot().concat(own);
        }
        return seen;
      },
      // A page with a reducer and no thread reapplies all updates to the server's state.
      "langgraph.js": (times) => {
        let content = "";
        let seen;
        for (let token = 0; token < times; token++) {
          content += " token";
          seen = pending.reduce(
            messagesStateReducer,
            messagesStateReducer(base, [new AIMessage({ id: ANSWER, content })]),
          );
        }
        return seen;
      },
    },
    times: { threadfold: 200, handwritten: 200, "langgraph.js": 1 },
    comparable: essence,
  };
}

/** All messages of a conversation that is opened, and a look. */
function opening() {
  const messages = agUiMessages(0, N);
  const messageInstances = instances(dicts(0, N));
  return {
    name: "opening a thread",
    n: N,
    contenders: {
      threadfold: () => {
        const thread = new Thread({ values: { messages } });
        const seen = thread.getState().messages;
        thread.dispose();
        return seen;
      },
      handwritten: () => new handwritten.MessageList(messages).snapshot(),
      "@ag-ui/client": () => new HttpAgent({ url: "http://bench", initialMessages: messages }).messages,
      "langgraph.js": () => messagesStateReducer([], messageInstances),
    },
    comparable: (seen) => seen.map(({ id, content }) => ({ id, content })),
  };
}
