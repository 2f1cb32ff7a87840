// The graphs that LangGraph's JavaScript server serves. Each does one thing that a client has to follow; none needs a
// network.
import { AIMessage, RemoveMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { Annotation, END, MessagesAnnotation, Send, START, StateGraph, interrupt } from "@langchain/langgraph";

const Logged = Annotation.Root({
  ...MessagesAnnotation.spec,
  log: Annotation({ reducer: (log, more) => [...log, ...more], default: () => [] }),
  count: Annotation({ reducer: (sum, more) => sum + more, default: () => 0 }),
  mood: Annotation(),
});

/** A node whose model streams this answer, word by word. */
const modelNode = (answer) => async (state, config) => {
  const model = new FakeListChatModel({ responses: [answer(state.messages)] });
  return { messages: [await model.invoke(state.messages, config)] };
};

const said = (messages) => String(messages.findLast((message) => message.getType() === "human")?.content);

const echo = modelNode((messages) => `You said ${said(messages)}, and that is message ${messages.length} of ours.`);

const straight = (state, ...nodes) => {
  const graph = new StateGraph(state);
  graph.addSequence(nodes);
  return graph.addEdge(START, nodes[0][0]);
};

// ten_steps: a turn of ten super-steps, each with one message of 400 characters.

const STEPS = 10;

export const tenSteps = new StateGraph(MessagesAnnotation)
  .addNode("step", ({ messages }) => ({
    messages: [new AIMessage({ id: `a${messages.length}`, content: "x".repeat(400) })],
  }))
  .addEdge(START, "step")
  .addConditionalEdges("step", ({ messages }) => (messages.length % (STEPS + 1) === 0 ? END : "step"), ["step", END])
  .compile();

export const chat = straight(MessagesAnnotation, ["model", echo]).compile();

// approval: the human is asked between two messages.

export const approval = straight(
  Logged,
  ["model", echo],
  [
    "ask",
    ({ messages }) => {
      const isApproved = interrupt({ question: "Send the mail?" });
      return {
        messages: [new AIMessage({ id: `approved-${messages.length}`, content: isApproved ? "Sent." : "Then not." })],
        log: [`approved: ${isApproved}`],
      };
    },
  ],
  ["close", ({ messages }) => ({ log: [`${messages.length} messages`], count: 1 })],
).compile();

// parallel: two nodes that end in the order opposite to their names.

const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const speaks = (name, milliseconds) => async (state) => {
  await later(milliseconds);
  const at = state.messages.length;
  return { messages: [new AIMessage({ id: `${name}-${at}`, content: `${name} at ${at}` })], log: [name], count: 1 };
};

export const parallel = new StateGraph(Logged)
  .addNode("a", speaks("a", 40))
  .addNode("b", speaks("b", 0))
  .addNode("close", () => ({ mood: "closed", log: ["closed"] }))
  .addEdge(START, "a")
  .addEdge(START, "b")
  .addEdge(["a", "b"], "close")
  .addEdge("close", END)
  .compile();

// sends: one node runs three times in one super-step, the first as the last.

export const sends = new StateGraph(Logged)
  .addNode("plan", () => ({ mood: "planned" }))
  .addNode("work", async ({ item, at }) => {
    await later(60 - 20 * item);
    return { messages: [new AIMessage({ id: `work-${at}-${item}`, content: `item ${item}` })], count: item };
  })
  .addEdge(START, "plan")
  .addConditionalEdges("plan", ({ messages }) =>
    [0, 1, 2].map((item) => new Send("work", { item, at: messages.length })),
  )
  .addEdge("work", END)
  .compile();

// prune: only the last three messages stay.

export const prune = straight(
  MessagesAnnotation,
  ["model", echo],
  ["keep", ({ messages }) => ({ messages: messages.slice(0, -3).map(({ id }) => new RemoveMessage({ id })) })],
).compile();

// subgraph: one graph inside that shares the messages.

const research = straight(MessagesAnnotation, ["read", modelNode(() => "The library says: 42.")]).compile();

export const subgraph = straight(
  MessagesAnnotation,
  ["research", research],
  ["answer", modelNode(() => "It is 42, and that is checked.")],
).compile();

// fail: of two nodes in one super-step one fails, unless the human says "fine".

export const fail = new StateGraph(Logged)
  .addNode("works", speaks("works", 0))
  .addNode("fails", async ({ messages }) => {
    await later(40);
    if (said(messages) !== "fine") throw new Error("The model hung up.");
    return { log: ["fine"] };
  })
  .addEdge(START, "works")
  .addEdge(START, "fails")
  .compile();
