// The cost of graphs, compared with langgraph.js and a handwritten loop: super-steps, runs, Sends, checkpoints. Each
// run is timed between two calls of its node, so a step does not include the run's start and end.
import { setMaxListeners } from "node:events";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import * as langgraph from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import * as threadfold from "threadfold/graph";
import { median, warmUp } from "../harness.mjs";

// langgraph.js adds a listener to one signal for each task, and Node would warn.
setMaxListeners(0);

const { Annotation, messagesStateReducer } = langgraph;

/** The two, each with its best form: dicts, or instances. */
const LIBRARIES = {
  threadfold: {
    ...threadfold,
    state: defineSchema({ n: field.replace(), messages: field.messages(), log: field.append() }),
    human: (id) => ({ type: "human", id, content: "What is the weather?" }),
    ai: (id) => ({ type: "ai", id, content: "It is sunny." }),
  },
  "langgraph.js": {
    ...langgraph,
    state: Annotation.Root({
      n: Annotation(),
      messages: Annotation({ reducer: messagesStateReducer, default: () => [] }),
      log: Annotation({ reducer: (list, more) => list.concat(more), default: () => [] }),
    }),
    human: (id) => new HumanMessage({ id, content: "What is the weather?" }),
    ai: (id) => new AIMessage({ id, content: "It is sunny." }),
  },
};

const { START, END } = threadfold;
const LIMIT = { recursionLimit: 1e6 };
const now = () => performance.now() * 1000;

/** µs a super-step of a node that calls itself. `update` makes its writes, `input` the run's input. */
async function loop({ StateGraph }, { state, input, update, steps, checkpointer, thread }) {
  let [calls, began, ended] = [0, 0, 0];
  const graph = new StateGraph(state)
    .addNode("a", () => {
      calls++;
      if (calls === 2) began = now();
      if (calls === steps + 2) ended = now();
      return update(calls);
    })
    .addEdge(START, "a")
    .addConditionalEdges("a", () => (calls < steps + 2 ? "a" : END), ["a", END])
    .compile({ checkpointer });
  await graph.invoke(input, { ...LIMIT, configurable: { thread_id: thread ?? "1" } });
  return (ended - began) / steps;
}

const counting = (library, checkpointer, steps) =>
  loop(library, { state: library.state, input: { n: 0 }, update: (n) => ({ n }), steps, checkpointer });

let runs = 0;
const chatting = (library, n, checkpointer, steps) => {
  const run = runs++;
  const messages = Array.from({ length: n }, (_, at) => (at % 2 ? library.ai(`m${at}`) : library.human(`m${at}`)));
  const update = (call) => ({ messages: [library.ai(`${run}-${call}`)] });
  return loop(library, { state: library.state, input: { messages }, update, steps, checkpointer });
};

/** The same handwritten: a loop that awaits its node, and a list that is copied if the message is new. */
async function byHand(n, steps) {
  let messages = Array.from({ length: n }, (_, at) => LIBRARIES.threadfold.ai(`m${at}`));
  const node = (call) => LIBRARIES.threadfold.ai(`x${call}`);
  const began = now();
  for (let call = 0; call < steps; call++) {
    const message = await node(call);
    const at = messages.findIndex(({ id }) => id === message.id);
    messages = at < 0 ? [...messages, message] : messages.with(at, message);
  }
  return (now() - began) / steps;
}

async function countByHand(steps) {
  let state = { n: 0 };
  const node = ({ n }) => ({ n: n + 1 });
  const began = now();
  while (state.n < steps) state = { ...state, ...(await node(state)) };
  return (now() - began) / steps;
}

/** µs a Send of a run with a hundred of them. */
async function fanOut({ StateGraph, Send, state }, times) {
  const graph = new StateGraph(state)
    .addNode("plan", () => ({ n: 1 }))
    .addNode("work", ({ item }) => ({ log: [item] }))
    .addEdge(START, "plan")
    .addConditionalEdges("plan", () => Array.from({ length: 100 }, (_, item) => new Send("work", { item })), ["work"])
    .compile();
  await graph.invoke({ n: 0 });
  const began = now();
  for (let time = 0; time < times; time++) {
    const { log } = await graph.invoke({ n: 0 });
    if (log.length !== 100) throw new Error("Not every Send ran.");
  }
  return (now() - began) / times / 100;
}

/** µs a run of so many nodes in a row. */
async function chain({ StateGraph, state }, nodes, times) {
  const graph = new StateGraph(state);
  for (let at = 0; at < nodes; at++)
    graph.addNode(`n${at}`, () => ({ n: at })).addEdge(at ? `n${at - 1}` : START, `n${at}`);
  const compiled = graph.compile();
  await compiled.invoke({ n: 0 });
  const began = now();
  for (let time = 0; time < times; time++) await compiled.invoke({ n: 0 });
  return (now() - began) / times;
}

/** The measurements of each row: for each contender, a function of the repetitions that returns µs. */
function rows() {
  const { threadfold: ours, "langgraph.js": theirs } = LIBRARIES;
  const both = (measure, often, oftenTheirs) => ({
    threadfold: () => measure(ours, often),
    "langgraph.js": () => measure(theirs, oftenTheirs),
  });
  return [
    {
      name: "graph, a super-step of { n }",
      n: 1,
      contenders: {
        ...both((lib, steps) => counting(lib, undefined, steps), 5_000, 200),
        handwritten: () => countByHand(50_000),
      },
    },
    {
      name: "graph, a super-step of { n }, MemorySaver",
      n: 1,
      contenders: both((lib, steps) => counting(lib, new lib.MemorySaver(), steps), 2_000, 100),
    },
    ...[1_000, 10_000].flatMap((n) => [
      {
        name: "graph, a super-step that adds a message",
        n,
        contenders: {
          ...both((lib, steps) => chatting(lib, n, undefined, steps), 200, n < 10_000 ? 50 : 10),
          handwritten: () => byHand(n, 200),
        },
      },
      {
        name: "graph, a super-step that adds a message, MemorySaver",
        n,
        rounds: 3,
        contenders: both((lib, steps) => chatting(lib, n, new lib.MemorySaver(), steps), 200, n < 10_000 ? 20 : 4),
      },
    ]),
    { name: "graph, a Send in a fan-out of 100", n: 100, contenders: both(fanOut, 50, 4) },
    ...[1, 10].map((nodes) => ({
      name: "graph, a run of so many nodes",
      n: nodes,
      contenders: both((lib, times) => chain(lib, nodes, times), 1_000, 50),
    })),
  ];
}

/** The medians, in µs; the contenders of a row take turns. `wanted` says by name which rows. */
export async function costs(quick, wanted) {
  const results = [];
  for (const { name, n, contenders, rounds = quick ? 3 : 7 } of rows().filter(({ name }) => wanted(name))) {
    const samples = Object.fromEntries(Object.keys(contenders).map((contender) => [contender, []]));
    // Quick or not: code that is not compiled yet takes ten times as long.
    for (const measure of Object.values(contenders)) await warmUp(measure);
    for (let round = 0; round < rounds; round++)
      for (const [contender, measure] of Object.entries(contenders)) {
        // A short sample says little alone: a machine that does something else is in it or not.
        const until = performance.now() + 30;
        do samples[contender].push(await measure());
        while (performance.now() < until);
      }
    const medians = Object.entries(samples).map(([contender, times]) => [contender, median(times)]);
    results.push({ name, n, us: Object.fromEntries(medians) });
  }
  return results;
}
