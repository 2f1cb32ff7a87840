// A message that grows by tokens at the end of a thread: times are those of one token.
import { AIMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph/web";
import { MessageList } from "threadfold";
import { dicts, essence, idOf } from "../data.mjs";
import { instances } from "../instances.mjs";
import * as handwritten from "../handwritten.mjs";

const TOKENS = 1_000;
const TOKEN = " token";

export function cases() {
  return [100, 1_000, 10_000].flatMap((n) => {
    const messages = dicts(0, n);
    const id = idOf(n - 1);
    const empty = { ...messages[n - 1], content: "" };
    return [
      {
        name: "token and a new snapshot",
        n,
        contenders: {
          threadfold: looking(new MessageList(messages), id, (list) => list.update(empty)),
          handwritten: looking(new handwritten.MessageList(messages), id, (list) => list.replace(empty)),
          "langgraph.js": wholeMessagePerToken(instances(messages), id),
        },
        times: { threadfold: TOKENS, handwritten: TOKENS, "langgraph.js": 10 },
        comparable: essence,
      },
      {
        name: `token, one snapshot after ${TOKENS}`,
        n,
        contenders: {
          threadfold: notLooking(new MessageList(messages), id, (list) => list.update(empty)),
          handwritten: notLooking(new handwritten.MessageList(messages), id, (list) => list.replace(empty)),
        },
        times: { threadfold: TOKENS, handwritten: TOKENS },
        comparable: essence,
      },
    ];
  });
}

function looking(list, id, restart) {
  return (tokens) => {
    restart(list);
    let seen;
    for (let token = 0; token < tokens; token++) {
      list.append(id, TOKEN);
      seen = list.snapshot();
    }
    return seen;
  };
}

function notLooking(list, id, restart) {
  return (tokens) => {
    restart(list);
    for (let token = 0; token < tokens; token++) list.append(id, TOKEN);
    return list.snapshot();
  };
}

/** The way to stream with langgraph.js: the text so far goes in as a message with the same id. */
function wholeMessagePerToken(messages, id) {
  return (tokens) => {
    let list = messages;
    let content = "";
    for (let token = 0; token < tokens; token++) {
      content += TOKEN;
      list = messagesStateReducer(list, [new AIMessage({ id, content })]);
    }
    return list;
  };
}
