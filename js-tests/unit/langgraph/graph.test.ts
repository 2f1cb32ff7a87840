// Threadfold's reducer in graphs of langgraph.js, compared with langgraph's own.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  BaseMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
  type BaseMessageLike,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  Annotation,
  Command,
  END,
  MemorySaver,
  MessagesValue,
  messagesStateReducer,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { createReactAgent, ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { graphReducer, messagesValue } from "threadfold/langgraph/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { normalMessages } from "../../peers/conformance/normal-form.js";

type Write = () => unknown;

/** The writes of a graph's nodes, in order. Each graph gets fresh ones, because it may change its inputs. */
const WRITES: Write[] = [
  () => [new AIMessage({ id: "a1", content: "", tool_calls: [{ id: "c1", name: "find", args: { q: "x" } }] })],
  () => new ToolMessage({ id: "t1", tool_call_id: "c1", content: "found" }),
  () => [
    { role: "assistant", id: "a2", content: "Here" },
    { type: "human", id: "h2", content: "More" },
  ],
  () => [new AIMessage({ id: "a2", content: "Here it is" }), new RemoveMessage({ id: "h2" })],
  () => [["user", "A pair"], "A text"],
  () => [new RemoveMessage({ id: "h1" })],
];

const INPUT = () => ({ messages: [new HumanMessage({ id: "h1", content: "Find it" })] });

interface Runnable {
  invoke(input: object): Promise<{ messages: BaseMessage[] }>;
  stream(input: object, config: object): Promise<AsyncIterable<Record<string, { messages: BaseMessage[] }>>>;
}

/** A graph over this state whose nodes each do one of these. */
function graphOf(state: unknown, nodes: ((state: { messages: BaseMessage[] }) => unknown)[]): Runnable {
  const graph = new StateGraph(state as never) as unknown as {
    addNode(name: string, node: (state: never) => object): void;
    addEdge(from: string, to: string): void;
    compile(): Runnable;
  };
  for (const [at, node] of nodes.entries()) {
    graph.addNode(`n${at}`, (state: { messages: BaseMessage[] }) => ({ messages: node(state) }));
    graph.addEdge(at === 0 ? START : `n${at - 1}`, `n${at}`);
  }
  graph.addEdge(`n${nodes.length - 1}`, END);
  return graph.compile();
}

// As the README has it: the types are the test.
const Ours = Annotation.Root({
  messages: Annotation<BaseMessage[], BaseMessageLike | BaseMessageLike[]>({
    reducer: graphReducer,
    default: () => [],
  }),
});
const Theirs = Annotation.Root({
  messages: Annotation<BaseMessage[], BaseMessageLike | BaseMessageLike[]>({
    reducer: messagesStateReducer,
    default: () => [],
  }),
});

const STATES: [name: string, ours: unknown, theirs: unknown][] = [
  ["Annotation", Ours, Theirs],
  ["StateSchema", new StateSchema({ messages: messagesValue }), new StateSchema({ messages: MessagesValue })],
];

describe.each(STATES)("a graph over %s", (_name, ours, theirs) => {
  test("has the same result as langgraph's own reducer, in the same classes", async () => {
    for (let length = 1; length <= WRITES.length; length++) {
      const writes = WRITES.slice(0, length);
      const { messages } = await graphOf(ours, writes).invoke(INPUT());
      const expected = await graphOf(theirs, writes).invoke(INPUT());
      expect(normalMessages(messages)).toEqual(normalMessages(expected.messages));
      expect(messages.map(({ constructor }) => constructor)).toEqual(
        expected.messages.map(({ constructor }) => constructor),
      );
    }
  });

  test("refuses to remove what is not there", async () => {
    const writes = [() => [new RemoveMessage({ id: "nobody" })]];
    await expect(graphOf(theirs, writes).invoke(INPUT())).rejects.toThrow("nobody");
    await expect(graphOf(ours, writes).invoke(INPUT())).rejects.toThrow(
      "Attempting to delete a message with an ID that doesn't exist ('nobody')",
    );
  });

  test("holds the very message that a node returned, which has its id from then on", async () => {
    const returned = new AIMessage("Mine");
    const held: boolean[] = [];
    const nodes = [
      () => returned,
      ({ messages }: { messages: BaseMessage[] }) => {
        held.push(
          messages.includes(returned),
          messages.every((message) => message instanceof BaseMessage),
        );
        return [];
      },
    ];
    const { messages } = await graphOf(ours, nodes).invoke({ messages: "Hi" });
    expect(held).toEqual([true, true]);
    expect(returned.id).toBe(messages[1]?.id);
    expect(returned.lc_kwargs["id"]).toBe(returned.id);
  });

  test("streams updates with the ids that the state has", async () => {
    const updated: unknown[] = [];
    let last: BaseMessage[] = [];
    for await (const [mode, part] of (await graphOf(ours, [
      () => new AIMessage("One"),
      () => [new AIMessage("Two")],
    ]).stream(INPUT(), { streamMode: ["updates", "values"] })) as unknown as AsyncIterable<[string, never]>) {
      if (mode === "values") last = (part as { messages: BaseMessage[] }).messages;
      else
        for (const { messages } of Object.values(part as Record<string, { messages: BaseMessage | BaseMessage[] }>))
          updated.push(...[messages].flat().map(({ id }) => id));
    }
    expect(updated).toEqual(last.slice(1).map(({ id }) => id));
    expect(new Set(updated).size).toBe(2);
    expect(updated).not.toContain(undefined);
  });
});

test("a StateSchema knows the field's reducer, default and JSON schema", () => {
  const schema = new StateSchema({ messages: messagesValue });
  expect(schema.getJsonSchema()).toMatchObject({
    properties: { messages: { type: "array", langgraph_type: "messages" } },
  });
  expect(schema.getJsonSchema()).toHaveProperty("required", undefined);
});

/** A model that says these messages, one a call. */
class Scripted extends BaseChatModel {
  readonly #answers: AIMessage[];

  constructor(answers: (string | AIMessage)[]) {
    super({});
    this.#answers = answers.map((answer) => (typeof answer === "string" ? new AIMessage(answer) : answer));
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(): Promise<{ generations: { text: string; message: AIMessage }[] }> {
    const message = this.#answers.shift() ?? new AIMessage("Nothing more");
    return { generations: [{ text: String(message.content), message }] };
  }
}

const calling = (name: string, args: object = {}): AIMessage =>
  new AIMessage({ content: "", tool_calls: [{ id: `call ${name}`, name, args: args as never }] });
const add = tool(({ a, b }) => String(a + b), { name: "add", schema: z.object({ a: z.number(), b: z.number() }) });
const handOff = (to: string) =>
  tool(
    (_input, { toolCall, state }: { toolCall?: { id?: string }; state: { messages: BaseMessage[] } }) => {
      const result = new ToolMessage({ name: `to_${to}`, content: `Over to ${to}`, tool_call_id: toolCall?.id ?? "" });
      return new Command({ goto: to, graph: Command.PARENT, update: { messages: state.messages.concat(result) } });
    },
    { name: `to_${to}`, schema: z.object({}) },
  );

/** Graphs as people build them, over a state with one of the two reducers. */
const SHAPES: Record<
  string,
  (state: typeof Ours) => { invoke(input: object, config?: object): Promise<{ messages: BaseMessage[] }> }
> = {
  "an agent with a ToolNode": (state) =>
    new StateGraph(state)
      .addNode(
        "model",
        (() => {
          const model = new Scripted([calling("add", { a: 1, b: 2 }), "Three"]);
          return async ({ messages }: { messages: BaseMessage[] }) => ({ messages: await model.invoke(messages) });
        })(),
      )
      .addNode("tools", new ToolNode([add]))
      .addEdge(START, "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "model")
      .compile(),
  createReactAgent: (state) =>
    createReactAgent({
      llm: new Scripted([calling("add", { a: 1, b: 2 }), "Three"]),
      tools: [add],
      stateSchema: state as never,
    }) as never,
  "a supervisor, which calls agents that answer to it": (state) => {
    const worker = createReactAgent({
      llm: new Scripted([calling("add", { a: 3, b: 4 }), "Seven"]),
      tools: [add],
      name: "worker",
      stateSchema: state as never,
    });
    const supervisor = createReactAgent({
      llm: new Scripted([calling("to_worker"), "It is seven"]),
      tools: [handOff("worker")],
      name: "supervisor",
      stateSchema: state as never,
    });
    return new StateGraph(state)
      .addNode("supervisor", supervisor as never, { ends: ["worker", END] })
      .addNode("worker", async (given: { messages: BaseMessage[] }) => {
        const { messages } = (await worker.invoke(given as never)) as { messages: BaseMessage[] };
        return { messages: [...messages, new AIMessage({ content: "Back to the supervisor", name: "worker" })] };
      })
      .addEdge(START, "supervisor")
      .addEdge("worker", "supervisor")
      .compile() as never;
  },
  "a swarm, whose agents hand over to each other, over two turns": (state) => {
    const Swarm = Annotation.Root({ ...state.spec, active: Annotation<string>() });
    const agent = (name: string, answers: (string | AIMessage)[], to: string) =>
      createReactAgent({ llm: new Scripted(answers), tools: [handOff(to), add], name, stateSchema: state as never });
    const alice = agent("alice", [calling("to_bob"), "Alice again"], "bob");
    const bob = agent("bob", [calling("add", { a: 1, b: 1 }), "Bob here", calling("to_alice")], "alice");
    const graph = new StateGraph(Swarm)
      .addNode("alice", alice as never, { ends: ["bob"] })
      .addNode("bob", bob as never, { ends: ["alice"] })
      .addConditionalEdges(
        START,
        ({ messages }) => (messages.some(({ content }) => content === "Bob here") ? "bob" : "alice"),
        ["alice", "bob"],
      )
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "1" } };
    return {
      async invoke(input: object) {
        await graph.invoke(input as never, config);
        return (await graph.invoke({ messages: [{ role: "user", content: "And you?" }] } as never, config)) as never;
      },
    };
  },
};

describe.each(Object.entries(SHAPES))("%s", (_name, shape) => {
  test("has the same result as with langgraph's own reducer", async () => {
    const input = { messages: [{ role: "user", content: "Go" }] };
    const expected = await shape(Theirs).invoke(input);
    const { messages } = await shape(Ours).invoke(input);
    expect(normalMessages(messages)).toEqual(normalMessages(expected.messages));
    expect(messages.map(({ constructor }) => constructor)).toEqual(
      expected.messages.map(({ constructor }) => constructor),
    );
    // The conversation is whole: no call without its result, no id twice.
    expect(messages.length).toBeGreaterThan(3);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  });
});
