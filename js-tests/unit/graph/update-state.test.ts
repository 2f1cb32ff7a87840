// `updateState` where conditions decide the next node, with threadfold's own schemas: they read the state after the
// update.
import { defineSchema, field } from "threadfold";
import { createAgent } from "threadfold/agent";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { serveLangGraph } from "threadfold/serve";
import { expect, test } from "vitest";

const human = { type: "human" as const, id: "1", content: "Hi" };

/** Each kind of field, the write to it, and the value afterwards. */
const KINDS = {
  messages: [field.messages(), [human], [human]],
  append: [field.append<number>(), [1], [1]],
  merge: [field.merge(), { a: 1 }, { a: 1 }],
  replace: [field.replace<number>(), 1, 1],
  reducer: [field.reducer((a: number, b: number) => a + b, { default: () => 1 }), 1, 2],
} as const;

const schema = defineSchema(Object.fromEntries(Object.entries(KINDS).map(([name, [kind]]) => [name, kind])));
const config = { configurable: { thread_id: "t" } };

test.each(Object.entries(KINDS))(
  "a condition reads what was written to a field: %s",
  async (name, [, update, after]) => {
    const read: unknown[] = [];
    const decide = (state: object): string => {
      read.push((state as Record<string, unknown>)[name]);
      return "next";
    };
    const builder = new StateGraph(schema)
      .addNode("node", () => ({}))
      .addNode("next", () => ({}))
      .addEdge(START, "node")
      .addConditionalEdges("node", decide, ["next"])
      .addEdge("next", END);
    const graph = builder.compile({ checkpointer: new MemorySaver() });
    await graph.updateState(config, { [name]: update }, "node");
    const { values, next } = await graph.getState(config);
    expect(read).toEqual([after]);
    expect((values as Record<string, unknown>)[name]).toEqual(after);
    expect(next).toEqual(["next"]);
  },
);

test("an agent's state, by itself and over LangGraph's API", async () => {
  const agent = createAgent({
    model: () => ({ type: "ai", content: "Hello" }),
    tools: [{ name: "look", description: "", schema: { type: "object" }, run: () => "" }],
    checkpointer: new MemorySaver(),
  });
  await agent.updateState(config, { messages: [human] }, "model");
  await expect(agent.getState(config)).resolves.toMatchObject({ values: { messages: [human] }, next: [] });

  const handler = serveLangGraph({ agent });
  const post = (path: string, body: object) =>
    handler(new Request(`http://agent.test${path}`, { method: "POST", body: JSON.stringify(body) }));
  const { thread_id: id } = (await (await post("/threads", {})).json()) as { thread_id: string };
  const input = { assistant_id: "agent", input: { messages: [human] } };
  await (await post(`/threads/${id}/runs/wait`, input)).text();
  const written = await post(`/threads/${id}/state`, { values: { messages: [{ ...human, content: "Ho" }] } });
  expect(written.status).toBe(200);
});
