// Threads that one runtime leaves in the middle and another continues. Both are given the same graphs.
import * as langgraph from "@langchain/langgraph";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { defineSchema, field } from "threadfold";
import * as threadfold from "threadfold/graph";

// oxlint-disable-next-line typescript/no-explicit-any -- two libraries under one form, which is what is tested
type Any = any;

/** A runtime: its graphs, and how a node asks. */
export interface Runtime {
  readonly name: string;
  readonly StateGraph: Any;
  readonly Command: Any;
  readonly Send: Any;
  ask(ctx: Any, question: unknown): Any;
}

export const ours: Runtime = {
  name: "threadfold",
  StateGraph: threadfold.StateGraph,
  Command: threadfold.Command,
  Send: threadfold.Send,
  ask: (ctx, question) => ctx.interrupt(question),
};
export const theirs: Runtime = {
  name: "langgraph.js",
  StateGraph: langgraph.StateGraph,
  Command: langgraph.Command,
  Send: langgraph.Send,
  ask: (_, question) => langgraph.interrupt(question),
};

const { Annotation, DeltaChannel, START, messagesStateReducer } = langgraph;
const State = Annotation.Root({
  log: Annotation<string[], string | string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  last: Annotation<string>,
  messages: Annotation({ reducer: messagesStateReducer, default: () => [] }),
});

/** The same with threadfold's own fields: langgraph.js's reducer makes instances. */
const dicts = defineSchema({ log: field.append<string>(), last: field.replace(), messages: field.messages() });

/** A list whose value is saved after three updates. */
const Deltas = Annotation.Root({
  log: () =>
    new DeltaChannel((list: string[], more: (string | string[])[]) => list.concat(...more), { snapshotFrequency: 3 }),
} as Any);

/** The world outside a thread. */
export interface World {
  /** The nodes that ran, each time. */
  readonly ran: string[];
  /** Whether the fallible nodes fail. */
  fails: boolean;
  /** Which way a branch goes. */
  way: string;
  /** The ids of the messages that were made as dicts. */
  readonly dicts: Set<string>;
}

type Turn = (graph: Any, runtime: Runtime, world: World) => Promise<unknown>;

export interface Scenario {
  readonly name: string;
  graph(runtime: Runtime, checkpointer: unknown, world: World): Any;
  readonly turns: readonly Turn[];
  /** Names langgraph.js's bug, if that changes the result where it begins. */
  readonly fault?: string;
}

const config = { configurable: { thread_id: "1" } };
const later = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

const start: Turn = (graph) => graph.invoke({ log: "in" }, config);
const startAndFail: Turn = async (graph, _, world) => {
  world.fails = true;
  const failed = await graph.invoke({ log: "in" }, config).catch((error: Error) => error);
  if (!(failed instanceof Error) || failed.message !== "not yet")
    throw new Error("It should have failed.", { cause: failed });
  world.fails = false;
};
const goOn: Turn = (graph) => graph.invoke(null, config);
const answer =
  (resume: unknown): Turn =>
  (graph, { Command }) =>
    graph.invoke(new Command({ resume }), config);

/** A node that writes its name. */
const says = (name: string, world: World) => () => {
  world.ran.push(name);
  return { log: name };
};
const fails = (name: string, world: World, ms: number) => async () => {
  world.ran.push(name);
  if (ms > 0) await later(ms);
  if (world.fails) throw new Error("not yet");
  return { log: name };
};

const asks = (runtime: Runtime, world: World) => (_: unknown, ctx: Any) => {
  world.ran.push("ask");
  return { log: runtime.ask(ctx, "sure?") };
};

/** a and bad into c; bad fails after so long. */
const joinWithAFailure =
  (ms: number): Scenario["graph"] =>
  ({ StateGraph }, checkpointer, world) =>
    new StateGraph(State)
      .addNode("a", says("a", world))
      .addNode("bad", fails("bad", world, ms))
      .addNode("c", says("c", world))
      .addEdge(START, "a")
      .addEdge(START, "bad")
      .addEdge(["a", "bad"], "c")
      .compile({ checkpointer });

/** a, b, c. */
const chain =
  (state: Any, breakpoints: object): Scenario["graph"] =>
  ({ StateGraph }, checkpointer, world) =>
    new StateGraph(state)
      .addNode("a", says("a", world))
      .addNode("b", says("b", world))
      .addNode("c", says("c", world))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c")
      .compile({ checkpointer, ...breakpoints });

export const scenarios: readonly Scenario[] = [
  {
    name: "left at an error, in a join",
    graph: joinWithAFailure(20),
    turns: [startAndFail, goOn],
  },
  {
    name: "left at an error that comes at once, in a join",
    fault: "the edges of the node that had finished are lost",
    graph: joinWithAFailure(0),
    turns: [startAndFail, goOn],
  },
  {
    name: "left at an interrupt, with a sibling that is done",
    graph: (runtime, checkpointer, world) =>
      new runtime.StateGraph(State)
        .addNode("a", says("a", world))
        .addNode("ask", (_: unknown, ctx: Any) => {
          world.ran.push("ask");
          const first = runtime.ask(ctx, { question: "first?" });
          world.ran.push("ask again");
          const second = runtime.ask(ctx, "second?");
          return { log: [first.said, second] };
        })
        .addNode("c", says("c", world))
        .addEdge(START, "a")
        .addEdge(START, "ask")
        .addEdge(["a", "ask"], "c")
        .compile({ checkpointer }),
    turns: [start, answer({ said: "yes" }), answer("no")],
  },
  {
    name: "left with half of a join, over two runs",
    graph: ({ StateGraph }, checkpointer, world) =>
      new StateGraph(State)
        .addNode("a", says("a", world))
        .addNode("b", says("b", world))
        .addNode("c", says("c", world))
        .addConditionalEdges(START, () => world.way, ["a", "b"])
        .addEdge(["a", "b"], "c")
        .compile({ checkpointer }),
    turns: [
      (graph, _, world) => {
        world.way = "a";
        return graph.invoke({ log: "first" }, config);
      },
      (graph, _, world) => {
        world.way = "b";
        return graph.invoke({ log: "second" }, config);
      },
      (graph, _, world) => {
        world.way = "a";
        return graph.invoke({ log: "third" }, config);
      },
    ],
  },
  {
    name: "left in a fan-out of which one failed",
    graph: ({ StateGraph, Send }, checkpointer, world) =>
      new StateGraph(State)
        .addNode("plan", says("plan", world))
        .addNode("work", async ({ item }: { item: number }) => {
          world.ran.push(`work ${item}`);
          if (item === 2 && world.fails) {
            await later(20);
            throw new Error("not yet");
          }
          return { log: `work ${item}` };
        })
        .addNode("sum", says("sum", world))
        .addEdge(START, "plan")
        .addConditionalEdges("plan", () => [1, 2, 3].map((item) => new Send("work", { item })), ["work"])
        .addEdge("work", "sum")
        .compile({ checkpointer }),
    turns: [startAndFail, goOn],
  },
  {
    name: "left at breakpoints before and after a node",
    graph: chain(State, { interruptBefore: ["a"], interruptAfter: ["b"] }),
    turns: [start, goOn, goOn],
  },
  {
    name: "left with deferred nodes that wait, one behind a join",
    graph: (runtime, checkpointer, world) =>
      new runtime.StateGraph(State)
        .addNode("a", says("a", world))
        .addNode("b", says("b", world))
        .addNode("ask", asks(runtime, world))
        .addNode("end", says("end", world), { defer: true })
        .addNode("both", says("both", world), { defer: true })
        .addEdge(START, "a")
        .addEdge(START, "b")
        .addEdge("a", "end")
        .addEdge("a", "ask")
        .addEdge(["a", "b"], "both")
        .compile({ checkpointer }),
    turns: [start, answer("yes")],
  },
  {
    name: "left at an interrupt in a subgraph",
    graph: (runtime, checkpointer, world) => {
      const inner = new runtime.StateGraph(State)
        .addNode("before", says("before", world))
        .addNode("ask", asks(runtime, world))
        .addEdge(START, "before")
        .addEdge("before", "ask")
        .compile();
      return new runtime.StateGraph(State)
        .addNode("inner", inner)
        .addNode("after", says("after", world))
        .addEdge(START, "inner")
        .addEdge("inner", "after")
        .compile({ checkpointer });
    },
    turns: [start, answer("yes")],
  },
  {
    name: "a conversation, of dicts here and of instances there, with a break in each turn",
    graph: (runtime, checkpointer, world) => {
      const isOurs = runtime === ours;
      const check = (messages: Any[]) => {
        // Our savers keep what they get. Through theirs, their nodes get instances, and ours get dicts in place of
        // instances.
        for (const message of (checkpointer as Any).keepsDicts ? [] : messages) {
          const isInstance = typeof message.getType === "function";
          if (isInstance ? isOurs && world.dicts.has(message.id) : !isOurs)
            throw new Error(`${message.id} is ${isInstance ? "an instance" : "a dict"} in ${runtime.name}.`);
        }
      };
      return new runtime.StateGraph(isOurs ? dicts : State)
        .addNode("model", ({ messages }: { messages: Any[] }) => {
          world.ran.push("model");
          check(messages);
          const call = { name: "search", args: { q: "x" }, id: `c${messages.length}`, type: "tool_call" as const };
          const fields = { id: `a${messages.length}`, content: `answer ${messages.length}`, tool_calls: [call] };
          if (isOurs) world.dicts.add(fields.id);
          return { messages: [isOurs ? { type: "ai", ...fields } : new AIMessage(fields)] };
        })
        .addNode("tool", ({ messages }: { messages: Any[] }) => {
          world.ran.push("tool");
          check(messages);
          const [call] = messages.at(-1).tool_calls;
          const fields = { id: `t${messages.length}`, content: "42", tool_call_id: call.id };
          if (isOurs) world.dicts.add(fields.id);
          return { messages: [isOurs ? { type: "tool", ...fields } : new ToolMessage(fields)] };
        })
        .addEdge(START, "model")
        .addEdge("model", "tool")
        .compile({ checkpointer, interruptBefore: ["tool"] });
    },
    turns: ["one", "two"].flatMap((content): Turn[] => [
      (graph, runtime, world) => {
        const isOurs = runtime === ours;
        if (isOurs) world.dicts.add(content);
        const message = { id: content, content };
        return graph.invoke({ messages: [isOurs ? { type: "human", ...message } : new HumanMessage(message)] }, config);
      },
      goOn,
    ]),
  },
  {
    name: "a long list that is kept as deltas",
    graph: chain(Deltas, { interruptBefore: ["b"] }),
    turns: [start, goOn, start, start, goOn],
  },
  {
    name: "changed from outside, as a node of it, and by a Command",
    graph: ({ StateGraph, Command }, checkpointer, world) =>
      new StateGraph(State)
        .addNode(
          "a",
          () => {
            world.ran.push("a");
            return new Command({ update: { log: "a" }, goto: world.way });
          },
          { ends: ["b", "c"] },
        )
        .addNode("b", says("b", world))
        .addNode("c", says("c", world))
        .addEdge(START, "a")
        .addEdge("b", "c")
        .compile({ checkpointer, interruptBefore: ["c"] }),
    turns: [
      (graph, _, world) => {
        world.way = "b";
        return graph.invoke({ log: "in" }, config);
      },
      (graph) => graph.updateState(config, { log: "outside", last: "x" }, "a"),
      (graph) => graph.updateState(config, { log: "outside" }, "b"),
      goOn,
    ],
  },
];

/** All ways to give a scenario's turns to the two runtimes: by a letter each, `o` for ours and `t` for theirs. */
export function waysOf({ turns }: Scenario): string[] {
  return turns.reduce<string[]>((ways) => ways.flatMap((way) => [`${way}t`, `${way}o`]), [""]);
}

/** The final state of a thread and the nodes that ran, without random ids. */
export interface Ending {
  readonly ran: readonly string[];
  readonly state: unknown;
  readonly next: readonly string[];
}

export async function play(scenario: Scenario, way: string, saver: unknown): Promise<Ending> {
  const world: World = { ran: [], fails: false, way: "", dicts: new Set() };
  for (const [at, turn] of scenario.turns.entries()) {
    const runtime = way[at] === "o" ? ours : theirs;
    await turn(scenario.graph(runtime, saver, world), runtime, world);
    // langgraph.js's ids do not sort after another program's of the same millisecond.
    await later(2);
  }
  const states = await Promise.all(
    [ours, theirs].map(async (runtime) => {
      const { values, next } = await scenario.graph(runtime, saver, world).getState(config);
      return { state: plain(values), next: [...next] };
    }),
  );
  // Nobody ran anything to look, and both see one state.
  const [mine, other] = states as unknown as [Omit<Ending, "ran">, Omit<Ending, "ran">];
  if (JSON.stringify(mine) !== JSON.stringify(other))
    throw new Error(`The runtimes see two states: ${JSON.stringify(mine)} and ${JSON.stringify(other)}`);
  return { ran: world.ran.toSorted(), ...mine };
}

/** Messages as their text, whether dicts or instances. */
function plain({ log = [], last, messages = [] }: Any): unknown {
  const said = messages.map(({ id, content, tool_calls = [] }: Any) => ({ id, content, tool_calls }));
  return { log, last, messages: said };
}
