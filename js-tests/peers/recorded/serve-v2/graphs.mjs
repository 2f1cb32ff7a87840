// Graphs that LangGraph's JavaScript server and `serveLangGraph` both serve over protocol v2. None needs a network.
import { AIMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph, interrupt } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";

const says = (text) => async (state, config) => ({
  messages: [await new FakeListChatModel({ responses: [text] }).invoke(state.messages, config)],
});

const last = ({ messages }) => messages.at(-1);

/** Builds the graphs; the checkpointer is the server's own where it brings one. */
export function makeGraphs(options = {}) {
  const straight = (...nodes) => {
    const graph = new StateGraph(MessagesAnnotation);
    graph.addSequence(nodes);
    return graph.addEdge(START, nodes[0][0]);
  };
  const look = tool(({ city }) => `sunny in ${city}`, {
    name: "weather",
    description: "The weather of a city.",
    schema: z.object({ city: z.string() }),
  });
  const call = { id: "call-1", name: "weather", args: { city: "Rome" } };
  const weather = new StateGraph(MessagesAnnotation)
    .addNode("model", async (state, config) =>
      last(state).type === "tool"
        ? says("It is sunny.")(state, config)
        : { messages: [new AIMessage({ id: "calling", content: "Let me look.", tool_calls: [call] })] },
    )
    .addNode("tools", new ToolNode([look]))
    .addEdge(START, "model")
    .addConditionalEdges("model", (state) => (last(state).tool_calls?.length ? "tools" : END), ["tools", END])
    .addEdge("tools", "model")
    .compile(options);
  const research = straight(["read", says("It says: 42.")]).compile();
  return {
    chat: straight(["model", says("Hello.")]).compile(options),
    weather,
    approval: straight(
      [
        "ask",
        () => ({ messages: [new AIMessage({ id: "asked", content: `Said: ${interrupt({ question: "Send?" })}` })] }),
      ],
      ["close", () => ({ messages: [new AIMessage({ id: "closed", content: "Done." })] })],
    ).compile(options),
    subgraph: straight(["research", research], ["answer", says("It is 42.")]).compile(options),
    fail: straight([
      "fails",
      () => {
        throw new RangeError("The model hung up.");
      },
    ]).compile(options),
  };
}
