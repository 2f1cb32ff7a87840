// Graphs of langgraph.js on our savers answer as they do on langgraph.js's own.
import "fake-indexeddb/auto";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  Command,
  DeltaChannel,
  END,
  interrupt,
  MemorySaver as TheirMemorySaver,
  messagesDeltaReducer,
  messagesStateReducer,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { type BaseCheckpointSaver as TheirSaver, uuid6 } from "@langchain/langgraph-checkpoint";
import { IndexedDBSaver, MemorySaver } from "threadfold/graph";
import { beforeEach, describe, expect, test } from "vitest";

let databases = 0;
const savers: [string, () => TheirSaver][] = [
  ["MemorySaver", () => new MemorySaver()],
  ["IndexedDBSaver", () => new IndexedDBSaver({ name: `under-${databases++}` })],
];
const config = { configurable: { thread_id: "1" } };

const State = Annotation.Root({
  log: Annotation<string[], string | string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  messages: Annotation({ reducer: messagesStateReducer, default: () => [] }),
});

let fails = true;
/** Fails once, asks, joins and fans out. */
const graph = (checkpointer: TheirSaver) =>
  new StateGraph(State)
    .addNode("model", () => ({ log: "model", messages: [new AIMessage({ id: "a1", content: "hi" })] }))
    .addNode("flaky", () => {
      if (fails) throw new Error("not yet");
      return { log: "flaky" };
    })
    .addNode("work", (given: { item?: number }) => ({ log: `work ${given.item}` }))
    .addNode("ask", () => ({ log: `asked: ${interrupt("sure?")}` }))
    .addNode("last", () => ({ log: "last" }), { defer: true })
    .addEdge(START, "model")
    .addEdge(START, "flaky")
    .addEdge(["model", "flaky"], "ask")
    .addConditionalEdges("flaky", () => [new Send("work", { item: 1 }), new Send("work", { item: 2 })], ["work"])
    .addEdge("ask", "last")
    .addEdge("last", END)
    .compile({ checkpointer });

/** Runs it and reads its history, without ids and times. */
async function run(saver: TheirSaver) {
  fails = true;
  const input = { messages: [new HumanMessage({ id: "h1", content: "hello" })] };
  const app = graph(saver);
  await expect(app.invoke(input, config)).rejects.toThrow("not yet");
  fails = false;
  const asked = await graph(saver).invoke(null, config);
  const answered = await graph(saver).invoke(new Command({ resume: "yes" }), config);
  const history = [];
  for await (const { values, next, metadata, tasks } of graph(saver).getStateHistory(config))
    history.push({ values: plain(values), next, metadata, tasks: tasks.map(({ name }) => name) });
  return { asked: plain(asked), answered: plain(answered), history };
}

/** Without ids; messages are reduced to their text. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, one) => {
    if (key === "id" && typeof one === "string") return undefined;
    return one?.lc === 1 ? one.kwargs.content : ((one?.type && one.content) ?? one);
  });

describe.each(savers)("%s", (_name, create) => {
  beforeEach(() => {
    fails = true;
  });

  test("an error, an interrupt, a join, Sends and a deferred node", async () => {
    expect(await run(create())).toEqual(await run(new TheirMemorySaver()));
  });

  test("time travel and forks", async () => {
    const travel = async (saver: TheirSaver) => {
      fails = false;
      const app = graph(saver);
      await app.invoke({ log: "first" }, config);
      await app.invoke(new Command({ resume: "yes" }), config);
      const past = [];
      for await (const state of app.getStateHistory(config)) past.push(state);
      const asked = past.find(({ next }) => next.includes("ask"));
      const forked = await app.updateState(asked?.config ?? {}, { log: "forked" }, "work");
      const again = await app.invoke(null, forked);
      const ended = await app.invoke(new Command({ resume: "no" }), config);
      return plain([again, ended, (await app.getState(config)).values]);
    };
    expect(await travel(create())).toEqual(await travel(new TheirMemorySaver()));
  });

  test("channels that are kept as deltas", async () => {
    const Deltas = Annotation.Root({
      messages: () => new DeltaChannel(messagesDeltaReducer, { snapshotFrequency: 3 }) as never,
    } as never);
    const deltas = async (saver: TheirSaver) => {
      const app = new StateGraph(Deltas as unknown as typeof State)
        .addNode("say", () => ({ messages: [new AIMessage({ id: uuid6(0), content: "hi" })] }) as never)
        .addEdge(START, "say")
        .compile({ checkpointer: saver });
      for (let turn = 0; turn < 8; turn++)
        await app.invoke({ messages: [new HumanMessage({ id: `h${turn}`, content: String(turn) })] } as never, config);
      const { values } = await app.getState(config);
      return (values as { messages: { content: unknown }[] }).messages.map(({ content }) => content);
    };
    const expected = await deltas(new TheirMemorySaver());
    expect(expected).toHaveLength(16);
    expect(await deltas(create())).toEqual(expected);
  });
});
