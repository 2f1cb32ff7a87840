process.env.NODE_ENV = "production";
const [lib, kind, steps = "300"] = process.argv.slice(2);
const N = Number(steps);
let L;
if (lib === "ours") {
  const { defineSchema, field } = await import("threadfold");
  L = {
    ...(await import("threadfold/graph")),
    state: defineSchema({ n: field.replace(), messages: field.messages(), log: field.append() }),
    human: (id) => ({ type: "human", id, content: "What is the weather?" }),
    ai: (id) => ({ type: "ai", id, content: "It is sunny." }),
  };
} else {
  const { AIMessage, HumanMessage } = await import("@langchain/core/messages");
  const lg = await import("@langchain/langgraph");
  const { Annotation, messagesStateReducer } = lg;
  (await import("node:events")).setMaxListeners(0);
  L = {
    ...lg,
    state: Annotation.Root({
      n: Annotation(),
      messages: Annotation({ reducer: messagesStateReducer, default: () => [] }),
      log: Annotation({ reducer: (list, more) => list.concat(more), default: () => [] }),
    }),
    human: (id) => new HumanMessage({ id, content: "What is the weather?" }),
    ai: (id) => new AIMessage({ id, content: "It is sunny." }),
  };
}
const { START, END, StateGraph } = L;
let calls = 0,
  began,
  ended,
  cpu0,
  cpu1;
const messages = Array.from({ length: 1000 }, (_, at) => (at % 2 ? L.ai(`m${at}`) : L.human(`m${at}`)));
const update = kind === "n" ? (n) => ({ n }) : (call) => ({ messages: [L.ai(`x-${call}`)] });
const graph = new StateGraph(L.state)
  .addNode("a", () => {
    calls++;
    if (calls === 2) {
      cpu0 = process.cpuUsage();
      began = performance.now();
    }
    if (calls === N + 2) {
      ended = performance.now();
      cpu1 = process.cpuUsage(cpu0);
    }
    return update(calls);
  })
  .addEdge(START, "a")
  .addConditionalEdges("a", () => (calls < N + 2 ? "a" : END), ["a", END])
  .compile();
await graph.invoke(kind === "n" ? { n: 0 } : { messages }, { recursionLimit: 1e6, configurable: { thread_id: "1" } });
console.log(JSON.stringify({ wall: ((ended - began) * 1000) / N, cpu: (cpu1.user + cpu1.system) / N }));
