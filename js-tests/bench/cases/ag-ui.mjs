// AG-UI events folded into a thread, with a read after each, compared with @ag-ui/client's own fold.
import { applying, folding } from "../ag-ui-feeds.mjs";
import { agUiMessages, bigState } from "../data.mjs";
import * as handwritten from "../handwritten.mjs";

export function cases() {
  return [...[100, 1_000, 10_000].map(text), leaf(), snapshot(10_000)];
}

/** One token of an answer that follows `n` messages. */
function text(n) {
  const id = "the answer";
  const start = [{ type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" }];
  const token = () => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: " token" });
  const messages = agUiMessages(0, n);
  const empty = { id, role: "assistant", content: "" };
  const list = new handwritten.MessageList([...messages, empty]);
  return {
    name: "AG-UI TEXT_MESSAGE_CONTENT",
    n,
    contenders: {
      // From an empty answer each time: it gets through millions of tokens.
      threadfold: folding(messages, start, token, (thread) =>
        thread.receive({ type: "message", message: empty, streaming: true }),
      ),
      handwritten: (times) => {
        list.replace(empty);
        let seen;
        for (let at = 0; at < times; at++) {
          const { type, messageId, delta } = token();
          if (type === "TEXT_MESSAGE_CONTENT") list.append(messageId, delta);
          seen = list.snapshot();
        }
        return { messages: seen };
      },
      "@ag-ui/client": applying(messages, start, token),
    },
    times: { threadfold: 1_000, handwritten: 1_000, "@ag-ui/client": n < 1_000 ? 50 : 5 },
    comparable: ({ messages }) => messages,
  };
}

/** One leaf of 1 MB of state. */
function leaf() {
  const patch = (at) => [{ op: "replace", path: "/sections/40/items/12/done", value: at % 2 === 0 }];
  const event = (at) => ({ type: "STATE_DELTA", delta: patch(at) });
  // Each contender has a state of its own.
  const start = () => [{ type: "STATE_SNAPSHOT", snapshot: bigState() }];
  let own = bigState();
  return {
    name: "AG-UI STATE_DELTA of one leaf of 1 MB",
    n: 1,
    contenders: {
      threadfold: folding([], start(), event),
      handwritten: (times) => {
        for (let at = 0; at < times; at++) own = handwritten.applyReplacements(own, patch(at));
        return { state: own };
      },
      "@ag-ui/client": applying([], start(), event),
    },
    times: { threadfold: 100, handwritten: 100, "@ag-ui/client": 2 },
    comparable: ({ state }) => state,
  };
}

/** All messages once more, as they come when a server's answer is parsed: equal, but for the last. */
function snapshot(n) {
  const said = [" and less", " and more"].map((more) => {
    const messages = agUiMessages(0, n);
    messages.at(-1).content += more;
    return messages;
  });
  const event = (at) => ({ type: "MESSAGES_SNAPSHOT", messages: said[at % 2] });
  const messages = agUiMessages(0, n);
  let own = messages;
  return {
    name: "AG-UI MESSAGES_SNAPSHOT, all but the last equal",
    n,
    contenders: {
      threadfold: folding(messages, [], event),
      handwritten: (times) => {
        for (let at = 0; at < times; at++) own = handwritten.reconcile(own, said[at % 2]);
        return { messages: own };
      },
      "@ag-ui/client": applying(messages, [], event),
    },
    // Both of them: each differs from the one before it.
    times: { threadfold: 2, handwritten: 2, "@ag-ui/client": 2 },
    comparable: ({ messages }) => messages,
  };
}
