// `node graph-cold-run.mjs LIBRARY MESSAGES STEPS`: prints the µs a super-step of a graph's first steps in this process.
// With 0 messages a step replaces a number, else it adds a message to so many.
import { setMaxListeners } from "node:events";

process.env.NODE_ENV = "production";
const [library, messages, steps] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];

async function threadfold() {
  const { defineSchema, field } = await import("threadfold");
  const graph = await import("threadfold/graph");
  return {
    ...graph,
    state: defineSchema({ n: field.replace(), messages: field.messages(), log: field.append() }),
    human: (id) => ({ type: "human", id, content: "What is the weather?" }),
    ai: (id) => ({ type: "ai", id, content: "It is sunny." }),
  };
}

async function langgraph() {
  // langgraph.js adds a listener to one signal for each task, and Node would warn.
  setMaxListeners(0);
  const { AIMessage, HumanMessage } = await import("@langchain/core/messages");
  const graph = await import("@langchain/langgraph");
  const { Annotation, messagesStateReducer } = graph;
  return {
    ...graph,
    state: Annotation.Root({
      n: Annotation(),
      messages: Annotation({ reducer: messagesStateReducer, default: () => [] }),
      log: Annotation({ reducer: (list, more) => list.concat(more), default: () => [] }),
    }),
    human: (id) => new HumanMessage({ id, content: "What is the weather?" }),
    ai: (id) => new AIMessage({ id, content: "It is sunny." }),
  };
}

const { START, END, StateGraph, state, human, ai } = await (library === "threadfold" ? threadfold() : langgraph());
let [calls, began, ended] = [0, 0, 0];
const graph = new StateGraph(state)
  .addNode("a", () => {
    calls++;
    if (calls === 2) began = performance.now();
    if (calls === steps + 2) ended = performance.now();
    return messages > 0 ? { messages: [ai(`x${calls}`)] } : { n: calls };
  })
  .addEdge(START, "a")
  .addConditionalEdges("a", () => (calls < steps + 2 ? "a" : END), ["a", END])
  .compile();
const list = Array.from({ length: messages }, (_, at) => (at % 2 ? ai(`m${at}`) : human(`m${at}`)));
await graph.invoke(messages > 0 ? { messages: list } : { n: 0 }, { recursionLimit: 1e6 });
console.log(((ended - began) * 1000) / steps);
