// Tokens of a LangGraph run, stream mode messages-tuple, with a read after each, compared with the SDK's own fold.
import { dicts, essence } from "../data.mjs";
import * as handwritten from "../handwritten.mjs";
import { folding, managing } from "../langgraph-feeds.mjs";
import { ANSWER, argumentsInOnePart, argumentsParts, textParts } from "../langgraph-parts.mjs";

export function cases() {
  return [...[100, 1_000, 10_000].map(text), ...[100, 8_000].map(toolArguments)];
}

/** One token of an answer that follows `n` messages. */
function text(n) {
  const messages = dicts(0, n);
  const times = { threadfold: 500, handwritten: 500, "langgraph-sdk": n < 10_000 ? 50 : 10 };
  return {
    name: "LangGraph token of text",
    n,
    contenders: {
      threadfold: telling(
        () => folding(messages),
        () => textParts(1),
        () => textParts(times.threadfold),
      ),
      handwritten: telling(
        () => byHand(messages),
        () => textParts(1),
        () => textParts(times.handwritten),
      ),
      "langgraph-sdk": telling(
        () => managing(messages),
        () => textParts(1),
        () => textParts(times["langgraph-sdk"]),
      ),
    },
    times,
    comparable: essence,
  };
}

/** One of the last 100 tokens of a tool call's arguments that have `n` of them. */
function toolArguments(n) {
  const messages = dicts(0, 100);
  const before = n - 100;
  return {
    name: "LangGraph token of tool arguments",
    n,
    contenders: {
      threadfold: telling(
        () => folding(messages),
        () => argumentsParts(0, before),
        () => argumentsParts(before, n),
      ),
      // It would take the SDK minutes to get there token by token.
      "langgraph-sdk": telling(
        () => managing(messages),
        () => argumentsInOnePart(before),
        () => argumentsParts(before, n),
      ),
    },
    times: { threadfold: 100, "langgraph-sdk": 100 },
    comparable: (messages) => messages.map(({ id, content, tool_calls }) => ({ id, content, tool_calls })),
  };
}

/**
 * Makes, for each sample, a client that folds from the start and has received `before`. The sample feeds it `parts`.
 */
function telling(begin, before, parts) {
  let last;
  return {
    async prepare() {
      last?.free?.();
      last = await begin();
      await last.say(before());
      return { folder: last, parts: parts() };
    },
    async run({ folder, parts }, count) {
      await folder.say(parts.length > count ? parts.slice(0, count) : parts);
      return folder.messages();
    },
  };
}

function byHand(messages) {
  const list = new handwritten.MessageList([...messages, { type: "ai", id: ANSWER, content: "" }]);
  return {
    async say(parts) {
      for await (const {
        data: [{ id, content }],
      } of parts) {
        list.append(id, content);
        list.snapshot();
      }
    },
    messages: () => list.snapshot(),
    free: () => {},
  };
}
