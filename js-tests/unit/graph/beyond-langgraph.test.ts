// Behaviour of threadfold's graphs that langgraph.js lacks or does differently: Python's rules, and its own.
import { Annotation, StateSchema } from "@langchain/langgraph";
import { defineSchema, field, ThreadfoldError } from "threadfold";
import {
  Command,
  END,
  GraphInterrupt,
  INTERRUPT,
  isGraphInterrupt,
  isInterrupted,
  MemorySaver,
  type NodeContext,
  Send,
  START,
  StateGraph,
  type TraceEvent,
} from "threadfold/graph";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { State } from "./beside-langgraph.js";

const schema = defineSchema({ log: field.append<string>(), n: field.replace<number>() });
const says = (name: string) => () => ({ log: [name] });
const oneNode = () => new StateGraph(schema).addNode("a", says("a"));
const thread = { threadId: "t" };

test.each([0, -1, NaN, "x"])(
  "maxConcurrency %s is refused, and leaves the thread as it was",
  async (maxConcurrency) => {
    const graph = new StateGraph(schema)
      .addNode("a", (_, ctx) => ({ log: [ctx.interrupt<string>("a?")] }))
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    const refused = { name: "GraphValueError", message: 'Passed "maxConcurrency" must be at least 1.' };
    const wrong = { ...thread, maxConcurrency: maxConcurrency as number };
    await expect(graph.invoke({ log: ["in"] }, wrong)).rejects.toMatchObject(refused);
    await graph.invoke({ log: ["in"] }, thread);
    await expect(graph.invoke(new Command({ resume: "yes" }), wrong)).rejects.toMatchObject(refused);
    expect((await graph.getState(thread)).next).toEqual(["a"]);
    expect((await graph.invoke(new Command({ resume: "yes" }), { ...thread, maxConcurrency: 1 })).log).toEqual([
      "in",
      "yes",
    ]);
  },
);

test.each([0, -1, NaN])("a timeout of %s is refused, of a run or of its steps", async (time) => {
  const graph = new StateGraph(schema).addNode("a", says("a")).addEdge(START, "a");
  const refused = (what: string) => ({
    name: "GraphValueError",
    message: `Timeout must be a positive number: ${what} is ${time}.`,
  });
  await expect(graph.compile().invoke({}, { timeout: time })).rejects.toMatchObject(refused("timeout"));
  await expect(graph.compile().withConfig({ timeout: time }).invoke({})).rejects.toMatchObject(refused("timeout"));
  expect(() => graph.compile({ stepTimeout: time })).toThrow(refused("stepTimeout").message);
});

describe("Python's rules", () => {
  test("a command for a parent that is not there is thrown", async () => {
    const graph = new StateGraph(schema)
      .addNode("a", () => new Command({ graph: Command.PARENT, update: { log: ["up"] } }))
      .addEdge(START, "a")
      .compile();
    await expect(graph.invoke({})).rejects.toMatchObject({ name: "ParentCommand" });
  });

  const asking = () =>
    new StateGraph(schema)
      .addNode("a", (_, ctx) => ({ log: [`a ${ctx.interrupt<string>("a?")}`] }))
      .addNode("b", (_, ctx) => ({ log: [`b ${ctx.interrupt<string>("b?")}`] }))
      .addEdge(START, "a")
      .addEdge(START, "b");

  test("one answer to two questions is refused; by id each gets its own", async () => {
    const graph = asking().compile({ checkpointer: new MemorySaver() });
    const asked = await graph.invoke({}, thread);
    await expect(graph.invoke(new Command({ resume: "x" }), thread)).rejects.toThrow("multiple pending interrupts");
    if (!isInterrupted(asked)) throw new Error("no question");
    const [a, b] = asked[INTERRUPT].map(({ id }) => id as string) as [string, string];
    const half = await graph.invoke(new Command({ resume: { [b]: "second" } }), thread);
    expect(half).toMatchObject({ log: ["b second"], [INTERRUPT]: [{ id: a, value: "a?" }] });
    expect(await graph.invoke(new Command({ resume: { [a]: "first" } }), thread)).toEqual({
      log: ["a first", "b second"],
    });
  });

  test("an interrupt is reported where it cannot be answered", async () => {
    const graph = new StateGraph(schema)
      .addNode("a", (_, ctx) => ({ log: [ctx.interrupt<string>("a?")] }))
      .addEdge(START, "a")
      .compile();
    expect(await graph.invoke({ n: 1 })).toMatchObject({ n: 1, [INTERRUPT]: [{ value: "a?" }] });
  });

  test.each([false, 0, ""])("%j is an answer", async (answer) => {
    const graph = new StateGraph(defineSchema({ answer: field.replace() }))
      .addNode("a", (_, ctx) => ({ answer: ctx.interrupt("a?") as unknown }))
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({}, thread);
    expect(await graph.invoke(new Command({ resume: answer }), thread)).toEqual({ answer });
  });

  test("the same answer twice answers two questions", async () => {
    const graph = new StateGraph(schema)
      .addNode("a", (_, ctx) => ({ log: [ctx.interrupt<string>("1"), ctx.interrupt<string>("2")] }))
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({}, thread);
    await graph.invoke(new Command({ resume: "yes" }), thread);
    expect((await graph.getState(thread)).next).toEqual(["a"]);
    expect(await graph.invoke(new Command({ resume: "yes" }), thread)).toEqual({ log: ["yes", "yes"] });
  });

  test("a finished node's edges outlast a sibling's error", async () => {
    let fails = true;
    const graph = new StateGraph(schema)
      .addNode("a", says("a"))
      .addNode("b", () => {
        if (fails) throw new Error("b fails");
        return { log: ["b"] };
      })
      .addNode("c", says("c"))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(["a", "b"], "c")
      .compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({}, thread)).rejects.toThrow("b fails");
    fails = false;
    expect(await graph.invoke(null, thread)).toEqual({ log: ["a", "b", "c"] });
  });
});

describe("its own", () => {
  test("a waiting join is reported", async () => {
    const graph = new StateGraph(schema)
      .addNode("a", says("a"))
      .addNode("b", says("b"))
      .addNode("c", says("c"))
      .addConditionalEdges(START, ({ n }) => (n === 1 ? "a" : "b"), ["a", "b"])
      .addEdge(["a", "b"], "c")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ n: 1 }, thread);
    expect((await graph.getState(thread)).waiting).toEqual([{ node: "c", arrived: ["a"], missing: ["b"] }]);
    expect((await graph.invoke({ n: 2 }, thread)).log).toEqual(["a", "b", "c"]);
    expect((await graph.getState(thread)).waiting).toEqual([]);
  });

  test("input that the schema does not take never reaches a node, and is reported", async () => {
    const agent = defineSchema({ todos: field.todos({ input: false }), n: field.replace<number>() });
    const seen: unknown[] = [];
    const graph = new StateGraph(agent)
      .addNode("a", (state) => {
        seen.push(state);
      })
      .addEdge(START, "a")
      .compile({ name: "planner" });
    const given = { n: 1, todos: [{ content: "x", status: "pending" }], more: 1 } as never;
    const events: TraceEvent[] = [];
    await graph.invoke(given, { on: (event) => events.push(event) });
    expect(events.find(({ type }) => type === "input-dropped")?.keys).toEqual(["todos", "more"]);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await graph.invoke(given);
    expect(warn).toHaveBeenCalledWith('The graph "planner" does not take: todos, more.');
    warn.mockRestore();
    expect(seen).toEqual([
      { n: 1, todos: [] },
      { n: 1, todos: [] },
    ]);
  });

  test("a private field is the nodes' own", async () => {
    const graph = new StateGraph(
      defineSchema({ secret: field.replace<string>({ private: true }), log: field.append() }),
    )
      .addNode("a", () => ({ secret: "s" }))
      .addNode("b", ({ secret }) => ({ log: [secret] }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();
    expect(await graph.invoke({})).toEqual({ log: ["s"] });
  });

  test("a context says where it is", async () => {
    let told: unknown;
    const graph = new StateGraph(schema)
      .addNode("a", (_, ctx) => {
        const { step, node, attempt, context, configurable, state, taskId, recursionLimit } = ctx;
        told = { step, node, attempt, context, configurable, state, recursionLimit };
        expect(taskId).toMatch(/^[0-9a-f-]{36}$/);
        expect(ctx.taskId).toBe(taskId);
        expect(ctx.signal.aborted).toBe(false);
      })
      .addEdge(START, "a")
      .compile();
    await graph.invoke({ n: 7 }, { context: { user: "u" }, threadId: "t", recursionLimit: 9 });
    expect(told).toEqual({
      step: 1,
      node: "a",
      attempt: 1,
      context: { user: "u" },
      configurable: { thread_id: "t" },
      state: { log: [], n: 7 },
      recursionLimit: 9,
    });
  });

  test("a node that was sent an input can read the whole state", async () => {
    const graph = new StateGraph(schema)
      .addNode("a", (input: unknown, ctx) => ({ log: [`${JSON.stringify(input)} ${ctx.state.n}`] }))
      .addConditionalEdges(START, () => [new Send("a", { i: 1 }), new Send("a", { i: 2 })])
      .compile();
    expect((await graph.invoke({ n: 3 })).log).toEqual(['{"i":1} 3', '{"i":2} 3']);
  });

  test("a node may answer with Sends", async () => {
    const graph = new StateGraph(schema)
      .addNode("a", () => [new Send("b", "x"), new Send("b", "y")], { ends: ["b"] })
      .addNode("b", (input: unknown) => ({ log: [input as string] }))
      .addEdge(START, "a")
      .compile();
    expect((await graph.invoke({})).log).toEqual(["x", "y"]);
  });

  test("graphs run inside a task at once", async () => {
    const child = new StateGraph(schema)
      .addNode("x", async ({ n }, ctx) => ({ log: [`${n} ${ctx.interrupt<string>(`${n}?`)}`] }))
      .addEdge(START, "x")
      .compile();
    const graph = new StateGraph(schema)
      .addNode("both", async (_, ctx) => {
        const all = await Promise.all([1, 2].map((n) => child.invoke({ n }, ctx)));
        return { log: all.flatMap(({ log }) => log) };
      })
      .addEdge(START, "both")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({}, thread);
    await graph.invoke(new Command({ resume: "a" }), thread);
    expect((await graph.invoke(new Command({ resume: "b" }), thread)).log).toEqual(["1 a", "2 b"]);
  });

  test("a tracer is notified of runs and tasks, inside and out", async () => {
    const child = new StateGraph(schema).addNode("x", says("x")).addEdge(START, "x").compile({ name: "child" });
    const events: TraceEvent[] = [];
    const graph = new StateGraph(schema)
      .addNode("in", child)
      .addEdge(START, "in")
      .compile({ on: (event) => events.push(event) });
    await graph.invoke({});
    expect(events.map(({ type, node, graph: of }) => `${of} ${type} ${node ?? ""}`.trim())).toEqual([
      "LangGraph run-start",
      "LangGraph task-start in",
      "child run-start",
      "child task-start x",
      "child task-end x",
      "child run-end",
      "LangGraph task-end in",
      "LangGraph run-end",
    ]);
    const [, task, inner] = events;
    expect(inner?.parentTaskId).toBe(task?.taskId);
  });

  test("a listener's error does not affect the run", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const graph = new StateGraph(schema).addNode("a", says("a")).addEdge(START, "a").compile();
    const on = () => {
      throw new Error("on fails");
    };
    expect(await graph.invoke({}, { on })).toEqual({ log: ["a"] });
    expect(error).toHaveBeenCalled();
    error.mockRestore();
  });

  test("an abort ends the run at once, and signals the node", async () => {
    const stop = new AbortController();
    let told: AbortSignal | undefined;
    const graph = new StateGraph(schema)
      .addNode("a", (_, ctx) => {
        told = ctx.signal;
        return new Promise<undefined>(() => undefined);
      })
      .addEdge(START, "a")
      .compile();
    const run = graph.invoke({}, { signal: stop.signal });
    await Promise.resolve();
    stop.abort();
    await expect(run).rejects.toBe(stop.signal.reason);
    expect(told?.aborted).toBe(true);
    await expect(graph.invoke({}, { signal: stop.signal })).rejects.toMatchObject({ name: "AbortError" });
  });

  test("a sibling's error aborts what still runs", async () => {
    let told: AbortSignal | undefined;
    const graph = new StateGraph(schema)
      .addNode("a", async () => {
        throw new Error("a fails");
      })
      .addNode("b", (_, ctx) => {
        told = ctx.signal;
        return new Promise<undefined>(() => undefined);
      })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .compile();
    await expect(graph.invoke({})).rejects.toThrow("a fails");
    expect(told?.aborted).toBe(true);
  });

  test("the run throws the saver's error", async () => {
    class Broken extends MemorySaver {
      override put(): Promise<never> {
        return Promise.reject(new Error("disk full"));
      }
    }
    const graph = new StateGraph(schema)
      .addNode("a", says("a"))
      .addEdge(START, "a")
      .compile({ checkpointer: new Broken() });
    await expect(graph.invoke({}, thread)).rejects.toThrow("disk full");
  });

  test("an idle timeout waits while there is progress", async () => {
    const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
    const node = async (_: unknown, ctx: NodeContext) => {
      for (let at = 0; at < 30; at++) {
        await wait(15);
        ctx.heartbeat();
      }
      return { log: ["done"] };
    };
    const graph = new StateGraph(schema)
      .addNode("a", node as never, { timeout: { idleTimeout: 400 } })
      .addEdge(START, "a");
    expect(await graph.compile().invoke({})).toEqual({ log: ["done"] });
    const still = new StateGraph(schema).addNode("a", () => wait(500) as never, { timeout: { idleTimeout: 20 } });
    await expect(still.addEdge(START, "a").compile().invoke({})).rejects.toMatchObject({
      name: "NodeTimeoutError",
      kind: "idle",
      timeout: 20,
    });
  });

  test("the first policy that says yes decides", async () => {
    let calls = 0;
    const retryPolicy = [
      { retryOn: (error: Error) => error.message === "other", maxAttempts: 9 },
      { retryOn: (error: Error) => error.message === "flaky", maxAttempts: 2, initialInterval: 1, jitter: false },
    ];
    const node = (_: unknown, ctx: NodeContext) => {
      calls++;
      expect(ctx.attempt).toBe(calls);
      throw new Error("flaky");
    };
    const graph = new StateGraph(schema)
      .addNode("a", node as never, { retryPolicy })
      .addEdge(START, "a")
      .compile();
    await expect(graph.invoke({})).rejects.toThrow("flaky");
    expect(calls).toBe(2);
  });

  test("an interrupt is distinguishable from an error", async () => {
    let caught: unknown;
    const graph = new StateGraph(schema)
      .addNode("a", (_, ctx) => {
        try {
          return { log: [ctx.interrupt<string>("a?")] };
        } catch (error) {
          caught = error;
          if (isGraphInterrupt(error)) throw error;
          return { log: ["an error"] };
        }
      })
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({}, thread);
    expect(caught).toBeInstanceOf(GraphInterrupt);
    expect(await graph.invoke(new Command({ resume: "so" }), thread)).toEqual({ log: ["so"] });
  });

  test("a value that a field does not take is the schema's error", async () => {
    const graph = new StateGraph(defineSchema({ log: field.append() }))
      .addNode("a", () => ({ log: "no list" }) as never)
      .addEdge(START, "a")
      .compile();
    await expect(graph.invoke({})).rejects.toThrow(ThreadfoldError);
  });

  test("a node's name is its own", async () => {
    const graph = new StateGraph(schema)
      .addSequence([
        ["a", says("a")],
        ["b", says("b")],
      ])
      .setEntryPoint("a")
      .setFinishPoint("b")
      .compile({ name: "chain" });
    expect(await graph.invoke({})).toEqual({ log: ["a", "b"] });
    expect([graph.name, Object.keys(graph.channels)]).toEqual(["chain", ["log", "n"]]);
  });
});

describe("in odd hands", () => {
  const two = () =>
    new StateGraph(schema)
      .addNode("a", says("a"))
      .addNode("b", says("b"))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();

  test("several calls of next at once get their parts in order", async () => {
    const stream = two().stream({});
    const parts = await Promise.all([stream.next(), stream.next(), stream.next()]);
    expect(parts.map(({ value }) => value as unknown)).toEqual([
      { a: { log: ["a"] } },
      { b: { log: ["b"] } },
      undefined,
    ]);
  });

  test("a graph that remembers shows its state, and takes updates of it", async () => {
    const child = new StateGraph(schema)
      .addNode("x", says("x"))
      .addNode("y", (_, ctx) => ({ log: [ctx.interrupt<string>("y?")] }))
      .addEdge(START, "x")
      .addEdge("x", "y")
      .compile({ checkpointer: true });
    const graph = new StateGraph(schema)
      .addNode("in", child)
      .addEdge(START, "in")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ n: 1 }, thread);
    const [whole] = (await graph.getState(thread, { subgraphs: true })).tasks;
    expect(whole?.state).toMatchObject({ values: { n: 1, log: ["x"] }, next: ["y"] });
    const [task] = (await graph.getState(thread)).tasks;
    const inside = task?.state as { configurable: object };
    expect((await graph.getState(inside)).values).toEqual({ n: 1, log: ["x"] });
    await graph.updateState(inside, { n: 5 }, "x");
    expect((await graph.getState(inside)).values).toMatchObject({ n: 5 });
  });

  test("a signal that is asked for after a sibling has failed is aborted", async () => {
    let late: (() => AbortSignal) | undefined;
    const graph = new StateGraph(schema)
      .addNode("a", async () => {
        throw new Error("a fails");
      })
      .addNode("b", (_, ctx) => {
        late = () => ctx.signal;
        return new Promise<undefined>(() => undefined);
      })
      .addEdge(START, "a")
      .addEdge(START, "b")
      .compile();
    await expect(graph.invoke({})).rejects.toThrow("a fails");
    expect(late?.().aborted).toBe(true);
  });

  test.each(["constructor", "toString", "__proto__"])("no node and no field is called %s", (name) => {
    expect(() => new StateGraph(schema).addNode(name, says("a"))).toThrow("reserved");
    const fields = Object.fromEntries([[name, field.replace()]]);
    expect(() =>
      new StateGraph(defineSchema(fields))
        .addNode("a", says("a") as never)
        .addEdge(START, "a")
        .compile(),
    ).toThrow();
  });

  test("no field of langgraph.js's or zod's is called __proto__", () => {
    const named = <T>(value: T) => Object.fromEntries([["__proto__", value]]);
    for (const state of [Annotation.Root(named(Annotation<string>())), { channels: named(null) }])
      expect(() =>
        new StateGraph(state as never)
          .addNode("a", says("a") as never)
          .addEdge(START, "a")
          .compile(),
      ).toThrow("reserved");
  });

  test.each([5, "", {}, null])("a thread_id %j is refused before a node runs", async (thread_id) => {
    const ran = vi.fn(() => ({}));
    const graph = new StateGraph(schema)
      .addNode("a", ran)
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    await expect(graph.invoke({}, { configurable: { thread_id } })).rejects.toThrow(/thread_id/);
    expect(ran).not.toHaveBeenCalled();
  });

  test.each(["__start__", "__pregel_tasks", "branch:to:a"])("no field is called %s", (name) => {
    const fields = { [name]: field.replace() };
    expect(() =>
      new StateGraph(defineSchema(fields))
        .addNode("a", says("a") as never)
        .addEdge(START, "a")
        .compile(),
    ).toThrow("reserved");
  });

  test.each([5, true, {}, "constructor"])("a condition that answers %j leads nowhere, and says so", async (answer) => {
    const graph = new StateGraph(schema)
      .addNode("a", says("a"))
      .addEdge(START, "a")
      .addConditionalEdges("a", () => answer, { b: "a" })
      .compile();
    await expect(graph.invoke({})).rejects.toThrow("unknown or null destination");
    const bare = new StateGraph(schema).addNode("a", says("a")).addEdge(START, "a");
    if (typeof answer !== "string")
      await expect(
        bare
          .addConditionalEdges("a", () => answer)
          .compile()
          .invoke({}),
      ).rejects.toThrow("destination");
  });

  test.each([
    ["fetch failed", 2],
    ["terminated", 2],
    ["Failed to fetch", 2],
    ["Failed to fetch (example.com)", 2],
    ["network error", 2],
    ["NetworkError when attempting to fetch resource.", 2],
    ["Error in input stream", 2],
    ["Error in body stream", 2],
    ["Load failed", 2],
    ["Load failed (example.com)", 2],
    ["The network connection was lost.", 2],
    ["The Internet connection appears to be offline.", 2],
    ["error sending request for url (http://example.com/)", 2],
    ["connection closed before message completed", 2],
    ["connection reset by peer", 2],
    ["connection refused", 2],
    ["connection error: broken pipe", 2],
    ["error reading a body from connection", 2],
    ["fetch is not a function", 1],
    ["terminated is not a function", 1],
    ["connection.query is not a function", 1],
    ["network is not iterable", 1],
    ["Cannot read properties of undefined (reading 'fetch')", 1],
    ["Cannot read properties of undefined (reading 'connection')", 1],
    ["Cannot set properties of undefined (setting 'network')", 1],
    ["x.connection is undefined", 1],
    ['can\'t access property "network", x is undefined', 1],
    ["undefined is not an object (evaluating 'a.network')", 1],
    ["a.connection is not a function. (In 'a.connection()', 'a.connection' is undefined)", 1],
  ])("a TypeError is tried again where it is a network's: %s", async (message, times) => {
    const node = vi.fn(() => {
      throw new TypeError(message);
    });
    const graph = new StateGraph(schema)
      .addNode("a", node as never, { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false } })
      .addEdge(START, "a")
      .compile();
    await expect(graph.invoke({})).rejects.toThrow(message);
    expect(node).toHaveBeenCalledTimes(times);
  });

  test.each(["at once", "later"])("a retry policy may fail, %s", async (when) => {
    const node = when === "later" ? () => Promise.reject(new Error("a fails")) : () => fails();
    const retryOn = () => {
      throw new Error("retryOn fails");
    };
    const graph = new StateGraph(schema)
      .addNode("a", node as never, { retryPolicy: { retryOn } })
      .addEdge(START, "a")
      .compile();
    await expect(graph.invoke({})).rejects.toThrow("retryOn fails");
  });
  const fails = (): never => {
    throw new Error("a fails");
  };

  test("anything may be thrown", async () => {
    const odd = Object.create(null) as object;
    for (const node of [() => Promise.reject(odd), () => Promise.resolve().then(() => Promise.reject(odd))]) {
      const graph = new StateGraph(schema)
        .addNode("a", node as never)
        .addEdge(START, "a")
        .compile({ checkpointer: new MemorySaver() });
      await expect(graph.invoke({}, thread)).rejects.toBe(odd);
    }
  });

  const later = (work: () => unknown) => () => Promise.resolve().then(work);
  class Strange extends Error {
    override get message(): string {
      throw new Error("no message");
    }
  }

  test.each<[what: string, work: () => unknown]>([
    ["an answer with a getter that throws", () => Object.defineProperty({}, "log", { get: fails, enumerable: true })],
    ["an error that cannot be read", () => Promise.reject(new Strange())],
    ["a proxy that is thrown", () => Promise.reject(new Proxy({}, { get: fails }) as Error)],
  ])("a run ends with %s, later", async (_, work) => {
    const graph = new StateGraph(schema)
      .addNode("a", later(work) as never)
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    const ended = await graph.invoke({}, thread).then(
      () => "well",
      () => "badly",
    );
    expect(ended).toBe("badly");
  });

  test.each(["a result", "a question", "an error"])("a saver that throws at once ends the run, at %s", async (at) => {
    class Broken extends MemorySaver {
      override putWrites(_: unknown, __: unknown, task: string): Promise<void> {
        if (this.starts !== undefined && this.starts !== task) throw new Error("disk full");
        this.starts = task;
        return Promise.resolve();
      }
      starts: string | undefined;
    }
    const graph = new StateGraph(schema)
      .addNode("a", async (_, ctx) => {
        await Promise.resolve();
        if (at === "an error") throw new Error("a fails");
        return { log: [at === "a question" ? ctx.interrupt<string>("a?") : "a"] };
      })
      .addEdge(START, "a")
      .compile({ checkpointer: new Broken() });
    await expect(graph.invoke({}, thread)).rejects.toThrow("disk full");
  });

  test.each([
    [{ maxAttempts: NaN }, "expected maxAttempts to be a number from 1, got NaN."],
    [{ maxAttempts: 0 }, "expected maxAttempts to be a number from 1, got 0."],
    [{ maxAttempts: "3" }, "expected maxAttempts to be a number from 1, got 3."],
    [{ initialInterval: 1n }, "expected initialInterval to be a number from 0, got 1."],
    [{ backoffFactor: -1 }, "expected backoffFactor to be a number from 0, got -1."],
    [[{ maxAttempts: 2 }, { maxInterval: NaN }], "expected maxInterval to be a number from 0, got NaN."],
    [{ retryOn: "TypeError" }, "expected retryOn to be a function, got TypeError."],
    [[null], "expected a policy or a list of policies, got null."],
    [3, "expected a policy or a list of policies, got 3."],
  ])("a retry policy is refused: %o", (retryPolicy, why) => {
    const refused = (call: string) =>
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: `${call}: retryPolicy: ${why}` }) as Error;
    const policy = retryPolicy as object;
    const graph = new StateGraph(schema);
    expect(() => graph.addNode("a", says("a"), { retryPolicy: policy })).toThrow(refused("Node `a`"));
    expect(() => graph.setNodeDefaults({ retryPolicy: policy })).toThrow(refused("setNodeDefaults"));
  });

  test("an unknown node or edge is refused", () => {
    const graph = () => new StateGraph(schema).addNode("a", says("a"));
    expect(() => graph().addEdge([], "a")).toThrow("an empty list of nodes");
    expect(() => graph().addConditionalEdges("a", 5 as never)).toThrow("expected a function");
    expect(() => graph().addNode("b", 5 as never)).toThrow("expected a function");
    for (const timeout of [0, -1, Number.NaN, { idleTimeout: 0 }])
      expect(() => graph().addNode("b", says("b"), { timeout })).toThrow("greater than 0");
    expect(() => new Command({ goto: 5 as never })).not.toThrow();
  });

  test.each([
    ["INVALID_ARGUMENT", "Node `a` already present.", (graph) => graph.addNode("a", says("a"))],
    ["INVALID_ARGUMENT", "END cannot be a start node", (graph) => graph.addEdge(END as never, "a")],
    ["INVALID_STATE", 'Need to add a node named "b" first', (graph) => graph.addEdge(["a", "b" as never], "a")],
    [
      "INVALID_STATE",
      "Found edge ending at unknown node `b`",
      (graph) =>
        graph
          .addEdge(START, "a")
          .addEdge("a", "b" as never)
          .compile(),
    ],
    [
      "INVALID_ARGUMENT",
      "Interrupt node `b` is not present",
      (graph) => graph.addEdge(START, "a").compile({ interruptBefore: ["b"] }),
    ],
  ] satisfies [string, string, (graph: ReturnType<typeof oneNode>) => unknown][])(
    "what langgraph.js refuses with a plain error has its sentence, and the code %s: %s",
    (code, message, misuse) => {
      expect(() => misuse(oneNode())).toThrow(expect.objectContaining({ name: "ThreadfoldError", code, message }));
    },
  );

  test.each([undefined, null, ["a", undefined]])(
    "a condition that returns %j fails the run, by its node's name",
    async (answer) => {
      const graph = oneNode()
        .addEdge(START, "a")
        .addConditionalEdges("a", () => answer)
        .compile();
      await expect(graph.invoke({})).rejects.toThrow(
        /^Branch condition returned unknown or null destination: (null|undefined), after node `a`\. Return a node's name/,
      );
    },
  );

  test("a branch that leads nowhere known has a code", async () => {
    const graph = oneNode()
      .addEdge(START, "a")
      .addConditionalEdges("a", () => 5)
      .compile();
    await expect(graph.invoke({})).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("a command that leads to no name is refused", async () => {
    const graph = new StateGraph(schema)
      .addNode("a", () => new Command({ goto: 5 as never }))
      .addEdge(START, "a")
      .compile();
    await expect(graph.invoke({})).rejects.toMatchObject({ name: "InvalidUpdateError" });
  });

  test("a failed task's result says the error as the state does", async () => {
    const graph = new StateGraph(schema)
      .addNode("a", fails)
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    const parts: unknown[] = [];
    const reading = (async () => {
      for await (const part of graph.stream({}, { ...thread, streamMode: "tasks" })) parts.push(part);
    })();
    await expect(reading).rejects.toThrow("a fails");
    const error = { name: "Error", message: "a fails" };
    expect(parts.at(-1)).toMatchObject({ name: "a", error });
    expect((await graph.getState(thread)).tasks[0]?.error).toEqual(error);
  });

  test("a copy of a context keeps its values", async () => {
    const child = new StateGraph(schema).addNode("x", says("x")).addEdge(START, "x").compile();
    const { signal } = new AbortController();
    const graph = new StateGraph(schema)
      .addNode("a", async (_, ctx) => {
        const copy = Object.assign(Object.create(Object.getPrototypeOf(ctx) as object) as typeof ctx, ctx, { signal });
        expect([copy.signal, copy.node, { ...ctx }.configurable]).toEqual([signal, "a", { thread_id: "t" }]);
        return child.invoke({}, { ...ctx } as typeof ctx);
      })
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    expect(await graph.invoke({}, { ...thread, signal })).toEqual({ log: ["x"] });
  });

  test("a context's schema may come alone", async () => {
    const graph = new StateGraph(State, Annotation.Root({ user: Annotation<string> }))
      .addNode("a", (_, ctx) => ({ log: [String(ctx.context["user"])] }))
      .addEdge(START, "a")
      .compile();
    expect((await graph.invoke({}, { context: { user: "u" } })).log).toEqual(["u"]);
  });
});

describe("states that langgraph.js takes", () => {
  const run = async (state: unknown, input: object) => {
    const graph = new StateGraph(state as never)
      .addNode("a", ((): object => ({ n: 2, log: ["a"] })) as never)
      .addEdge(START, "a")
      .addEdge("a", END)
      .compile();
    return graph.invoke(input as never);
  };
  const concat = (a: string[], b: string[]) => a.concat(b);

  test.each<[name: string, state: unknown]>([
    [
      "an Annotation.Root",
      Annotation.Root({ n: Annotation<number>(), log: Annotation<string[]>({ reducer: concat, default: () => [] }) }),
    ],
    ["channels", { channels: { n: null, log: { reducer: concat, default: () => [] } } }],
    [
      "{ state }",
      { state: Annotation.Root({ n: Annotation<number>(), log: Annotation<string[]>({ reducer: concat }) }) },
    ],
    ["plain annotations", { n: Annotation<number>, log: Annotation<string[]>({ reducer: concat, default: () => [] }) }],
  ])("%s", async (_, state) => {
    expect(await run(state, { n: 1, log: ["in"] })).toEqual({ n: 2, log: ["in", "a"] });
  });

  test("a zod object checks the input", async () => {
    const state = z.object({ n: z.number(), log: z.array(z.string()).optional() });
    expect(await run(state, { n: 1 })).toEqual({ n: 2, log: ["a"] });
    await expect(run(state, { n: "one" })).rejects.toThrow();
  });

  test("a StateSchema", async () => {
    const state = new StateSchema({ n: z.number().default(5), log: z.array(z.string()) });
    expect(await run(state, {})).toEqual({ n: 2, log: ["a"] });
  });

  test("an input and an output of their own", async () => {
    const graph = new StateGraph(schema, {
      input: defineSchema({ n: field.replace<number>(), extra: field.replace<string>() }),
      output: defineSchema({ log: field.append<string>() }),
    })
      .addNode("a", ({ n }) => ({ log: [`n is ${n}`] }))
      .addNode("b", (state) => ({ log: [Object.keys(state).join()] }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile();
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect(await graph.invoke({ n: 1, extra: "e", log: ["no"] } as never)).toEqual({ log: ["n is 1", "log,n"] });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("log"));
    warn.mockRestore();
  });

  test("an object without a state is refused", () => {
    for (const state of [null, undefined, 1, {}, [], { a: 1 }])
      expect(() => new StateGraph(state as never)).toThrow(expect.objectContaining({ name: "StateGraphInputError" }));
  });
});

test("many that write a list write it in their order, with any other writes", async () => {
  const both = defineSchema({
    log: field.append<number>(),
    sum: field.reducer((a: number, b: number) => a + b, { default: () => 0 }),
  });
  const run = async (odd: (i: number) => unknown) => {
    const graph = new StateGraph(both)
      .addNode("a", ({ i }: { i: number }) => ({ log: odd(i) as number[], ...(i % 2 && { sum: i }) }))
      .addConditionalEdges(START, () => Array.from({ length: 20 }, (_, i) => new Send("a", { i })))
      .compile();
    return graph.invoke({ log: [-1] });
  };
  const all = Array.from({ length: 20 }, (_, i) => i);
  expect(await run((i) => [i])).toEqual({ log: [-1, ...all], sum: 100 });
  expect(await run((i) => (i === 18 ? { __overwrite__: [7] } : [i]))).toEqual({ log: [7], sum: 100 });
  await expect(run((i) => (i === 3 ? "three" : [i]))).rejects.toThrow(ThreadfoldError);
});

test("an empty object is one answer, not a map without ids", async () => {
  const asks = (name: string) => (_: unknown, ctx: NodeContext) => ({ log: [JSON.stringify(ctx.interrupt(name))] });
  const one = new StateGraph(schema).addNode("a", asks("a?")).addEdge(START, "a");
  const answered = one.compile({ checkpointer: new MemorySaver() });
  await answered.invoke({}, thread);
  expect((await answered.invoke(new Command({ resume: {} }), thread)).log).toEqual(["{}"]);

  const two = new StateGraph(schema).addNode("a", asks("a?")).addNode("b", asks("b?"));
  const graph = two.addEdge(START, "a").addEdge(START, "b").compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, thread);
  await expect(graph.invoke(new Command({ resume: {} }), thread)).rejects.toThrow("multiple pending interrupts");
  expect((await graph.getState(thread)).next).toEqual(["a", "b"]);
});
