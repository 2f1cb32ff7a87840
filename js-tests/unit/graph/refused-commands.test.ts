// Commands whose update the state refuses: the thread is as it was.
import {
  interrupt,
  MemorySaver as TheirSaver,
  MessagesAnnotation,
  StateGraph as TheirGraph,
} from "@langchain/langgraph";
import { defineSchema, field } from "threadfold";
import { Command, END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

const Chat = defineSchema({ messages: field.messages() });
/** A message without a type, which no reducer takes. */
const update = { messages: [{}] };
const answer = { messages: [{ type: "ai" as const, id: "a", content: "Hello" }] };

const asking = () =>
  new StateGraph(Chat)
    .addNode("ask", (_, context) => {
      context.interrupt("Really?");
      return answer;
    })
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile({ checkpointer: new MemorySaver() });

test.each(["sync", "async", "exit"] as const)(
  "a refused update leaves a thread with its question, state and history: %s",
  async (durability) => {
    const graph = asking();
    const config = { configurable: { thread_id: "t" }, durability };
    await graph.invoke({ messages: [{ type: "human", id: "q", content: "Hi" }] }, config);
    const before = await graph.getState(config);

    for (const command of [new Command({ update }), new Command({ resume: "yes", update })])
      await expect(graph.invoke(command as never, config)).rejects.toThrow("messages[0] should be an object");

    expect(await graph.getState(config)).toEqual(before);
    const history = [];
    for await (const state of graph.getStateHistory(config)) history.push(state);
    expect(history[0]).toEqual(before);
    const { messages } = await graph.invoke(new Command({ resume: "yes" }), config);
    expect(messages.map(({ content }) => content)).toEqual(["Hi", "Hello"]);
  },
);

const theirs = () =>
  new TheirGraph(MessagesAnnotation)
    .addNode("ask", () => {
      interrupt("Really?");
      return answer;
    })
    .addEdge("__start__", "ask")
    .compile({ checkpointer: new TheirSaver() });

// langgraph.js saves the update before it is refused, and refuses it again at each look at the thread.
test.each([
  ["threadfold", asking, 200],
  ["langgraph.js", theirs, 400],
] as const)("a server of %s has no error of its own after it", async (_, graph, expected) => {
  const handler = serveLangGraph(graph() as never);
  const ask = async (path: string, body?: object) => {
    const init = body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return (await handler(new Request(`http://localhost/threads/t${path}`, init))).status;
  };
  const input = { messages: [{ type: "human", content: "Hi" }] };
  await ask("/runs/wait", { assistant_id: "agent", input });
  await ask("/runs/wait", { assistant_id: "agent", command: { update } });
  const statuses = [await ask("/history", {}), await ask("/state"), await ask("")];
  expect(statuses).toEqual([expected, expected, expected]);
});
