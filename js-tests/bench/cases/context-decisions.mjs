// Whether a context is due for a summary: at each token that is streamed, at each turn, at each look at the whole list.
import { Context, countTokens, scanTokens } from "threadfold/context";
import { begun } from "../harness.mjs";

const SIZES = [100, 1_000, 10_000];
const LIMIT = 1e9;
const TIMES = 1000;

export function cases() {
  return SIZES.flatMap((n) => [tokenCase(n), turnCase(n), lookCase(n), streamCase(n), dueCase(n)]);
}

const context = new Context({ trigger: { tokens: LIMIT } });
const TEXT = "The answer to that depends on what you ask, and of whom. ".repeat(11).slice(0, 600);

function conversation(n) {
  return Array.from({ length: n }, (_, at) => ({
    id: `m${at}`,
    type: at % 2 ? "ai" : "human",
    content: `${at}: ${TEXT.slice(0, 120)}`,
  }));
}

/** The fixed cost of a message in hundredths of a token, as in the estimate. */
const OVERHEAD = 400;

/** A counter as one would write it by hand: a running sum, and the length of the streaming text at the last count. */
function handCounted(messages) {
  const count = (text) => Math.ceil((OVERHEAD + scanTokens(text).sum) / 100);
  let before = messages.slice(0, -1).reduce((sum, { content }) => sum + count(content), 0);
  let { sum, state } = scanTokens(messages.at(-1).content);
  sum += OVERHEAD;
  return {
    text(delta) {
      const scan = scanTokens(delta, state);
      sum += scan.sum;
      state = scan.state;
      return before + Math.ceil(sum / 100) >= LIMIT;
    },
    push(content) {
      before += Math.ceil(sum / 100);
      ({ sum, state } = scanTokens(content));
      sum += OVERHEAD;
      return before + Math.ceil(sum / 100) >= LIMIT;
    },
  };
}

function tokenCase(n) {
  const messages = conversation(n);
  return {
    name: "context, a streamed token and the decision",
    n,
    contenders: {
      threadfold: begun(() => {
        const meter = context.meter(messages);
        return (times) => {
          let due = false;
          for (let token = 0; token < times; token++) {
            meter.text(" token");
            due = meter.isDue;
          }
          return due;
        };
      }),
      handwritten: begun(() => {
        const hand = handCounted(messages);
        return (times) => {
          let due = false;
          for (let token = 0; token < times; token++) due = hand.text(" token");
          return due;
        };
      }),
    },
    times: { threadfold: TIMES, handwritten: TIMES },
  };
}

function turnCase(n) {
  const messages = conversation(n);
  const turn = (at) => ({ type: "human", id: `turn${at}`, content: TEXT });
  return {
    name: "context, a message of 600 characters and the decision",
    n,
    contenders: {
      threadfold: begun(() => {
        const meter = context.meter(messages);
        return (times) => {
          let due = false;
          for (let at = 0; at < times; at++) {
            meter.push(turn(at));
            due = meter.isDue;
          }
          return due;
        };
      }),
      handwritten: begun(() => {
        const hand = handCounted(messages);
        return (times) => {
          let due = false;
          for (let at = 0; at < times; at++) due = hand.push(turn(at).content);
          return due;
        };
      }),
    },
    times: { threadfold: 100, handwritten: 100 },
  };
}

/** A list with another last message, as a framework is given it at each call of a model. */
function lookCase(n) {
  const messages = conversation(n);
  let turn = 0;
  const next = () => [...messages.slice(0, -1), { ...messages.at(-1), id: `turn${turn++}` }];
  return {
    name: "context, due of a list with a new message",
    n,
    contenders: {
      threadfold: () => context.of(next()).due !== null,
      // LangChain's middleware for JavaScript counts all characters of the list at each call and divides by four.
      recounted: () => countTokens(next(), { compat: "js" }) >= LIMIT,
      handwritten: () => next().reduce((sum, { content }) => sum + content.length / 4, 0) >= LIMIT,
    },
  };
}

/** A look at each token of an answer of up to 8,000 characters, without a meter. */
function streamCase(n) {
  const messages = conversation(n - 1);
  const stream = (due) => {
    let content = "";
    return () => {
      content = content.length > 8000 ? "" : `${content} token`;
      return due([...messages, { id: "answer", type: "ai", content }]);
    };
  };
  return {
    name: "context, due at a token of a streamed answer",
    n,
    contenders: {
      threadfold: stream((list) => context.of(list).due !== null),
      recounted: stream((list) => countTokens(list, { compat: "js" }) >= LIMIT),
    },
  };
}

/** A summary is due at every look, and put off: each look is at one message more. */
function dueCase(n) {
  const context = new Context({ trigger: { messages: 50 }, keep: { messages: 20 } });
  let messages = conversation(n);
  let turn = 0;
  return {
    name: "context, due where something is due, one message more",
    n,
    contenders: {
      threadfold: () => {
        messages = messages.length < 1.1 * n + 100 ? [...messages] : messages.slice(0, n);
        messages.push({ type: "human", id: `turn${turn++}`, content: "Go on." });
        return context.of(messages).due.cutoff;
      },
    },
  };
}
