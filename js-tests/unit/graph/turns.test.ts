// Turns of a long thread: the messages that each of them reads.
import { defineSchema, field } from "threadfold";
import { MemorySaver, START, StateGraph } from "threadfold/graph";
import { expect, test } from "vitest";

const TURNS = 10;

type Message = { type: "human"; content: string; id: string } | { role: "user"; content: string };

/** How often the ids of a thread's `n` messages are read in the last of some turns. */
async function reads(n: number, more: (id: string) => Message): Promise<number> {
  let count = 0;
  const first = Array.from({ length: n }, (_, at) => ({
    type: "human" as const,
    content: "x",
    get id() {
      count++;
      return `${at}`;
    },
  }));
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", ({ messages }) => ({ messages: [more(`answer-${messages.length}`)] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: new MemorySaver() });
  const turn = (messages: Message[]) => graph.invoke({ messages }, { threadId: "1" });
  await turn(first);
  for (let at = 0; at < TURNS; at++) {
    count = 0;
    const { messages } = await turn([more(`question-${at}`)]);
    expect(messages).toHaveLength(n + 2 * at + 3);
  }
  return count;
}

const FORMS: Record<string, (id: string) => Message> = {
  "whole messages": (id) => ({ type: "human", content: "x", id }),
  "messages with roles": () => ({ role: "user", content: "x" }),
};

for (const [form, message] of Object.entries(FORMS))
  test(`a turn that adds ${form} looks at none of a thread's other messages`, async () => {
    expect(await reads(1000, message)).toBe(0);
  });

test("a message that a thread has is replaced by a later run, and removed by one", async () => {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", () => ({}))
    .addEdge(START, "answer")
    .compile({ checkpointer: new MemorySaver() });
  const turn = (...messages: object[]) => graph.invoke({ messages: messages as never }, { threadId: "1" });
  const message = (id: string, content = "x") => ({ type: "human", content, id });
  await turn(...Array.from({ length: 100 }, (_, at) => message(`${at}`)));
  for (let at = 100; at < 110; at++) await turn(message(`${at}`));
  await turn(message("5", "new"), { role: "user", content: "said" });
  const { messages } = await turn({ type: "remove", id: "6" }, message("110"));
  expect(messages.map(({ id, content }) => (content === "x" ? id : content))).toEqual(
    Array.from({ length: 111 }, (_, at) => (at === 5 ? "new" : `${at}`))
      .filter((id) => id !== "6")
      .toSpliced(109, 0, "said"),
  );
});

test("two runs that continue from one list both know its messages", async () => {
  const graph = new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", () => ({}))
    .addEdge(START, "answer")
    .compile({ checkpointer: new MemorySaver() });
  const config = { threadId: "1" };
  const message = (id: string, content = "x") => ({ type: "human" as const, content, id });
  await graph.invoke({ messages: Array.from({ length: 100 }, (_, at) => message(`${at}`)) }, config);
  for (let at = 100; at < 110; at++) await graph.invoke({ messages: [message(`${at}`)] }, config);
  const { config: past } = await graph.getState(config);
  await graph.invoke({ messages: [message("110")] }, config);
  const fork = await graph.invoke({ messages: [message("110", "other"), message("109", "other")] }, past);
  expect(fork.messages.slice(-3).map(({ id, content }) => [id, content])).toEqual([
    ["108", "x"],
    ["109", "other"],
    ["110", "other"],
  ]);
});
