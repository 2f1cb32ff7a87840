// How a run is ended from outside: a signal, its time, a super-step's time; and the state afterwards.
import { getEventListeners } from "node:events";
import { START, StateGraph } from "threadfold/graph";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Loose, outcome, type Package, same, State } from "./beside-langgraph.js";

const config = { configurable: { thread_id: "t" } };
const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
/** How many timers keep this process. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

/** A slow node, then a fast one. Counts how often they ran, and how often the slow one was asked to stop. It waits for `over`. */
function slow(of: Package, how: "alone" | "as a node" | "with the context", saver: Loose) {
  const ran = { slow: 0, fast: 0, told: 0 };
  const begun: { tell: (() => void) | undefined; over: Promise<void> } = { tell: undefined, over: Promise.resolve() };
  const inner = new of.StateGraph(State)
    .addNode("slow", async (_: unknown, { signal }: Loose) => {
      ran.slow++;
      signal?.addEventListener("abort", () => ran.told++, { once: true });
      begun.tell?.();
      await begun.over;
      return { log: ["slow"] };
    })
    .addNode("fast", () => {
      ran.fast++;
      return { log: ["fast"] };
    })
    .addEdge(of.START, "slow")
    .addEdge("slow", "fast")
    .compile({ checkpointer: saver });
  if (how === "alone") return { ran, begun, graph: inner };
  const node = how === "as a node" ? inner : (_: unknown, ctx: Loose) => inner.invoke({}, ctx);
  const outer = new of.StateGraph(State).addNode("inner", node).addEdge(of.START, "inner");
  return { ran, begun, graph: outer.compile({ checkpointer: saver }) };
}

// Waiting tests run side by side.
describe.concurrent("beside langgraph.js", () => {
  // Node may collect langgraph.js's timeouts before their time.
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  beforeAll(() => {
    vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
      const signal = timeout(milliseconds);
      signal.addEventListener("abort", () => {});
      return signal;
    });
  });
  afterAll(() => void vi.restoreAllMocks());

  for (const how of ["alone", "as a node", "with the context"] as const)
    for (const by of ["a signal", "the run's time", "a step's time"])
      same(`a graph ${how} is stopped by ${by}, and goes on later`, async (of) => {
        const { ran, begun, graph } = slow(of, how, new of.MemorySaver());
        // The first run of a process takes its time.
        await graph.invoke({ sum: 1 }, { configurable: { thread_id: "before" } });
        Object.assign(ran, { slow: 0, fast: 0, told: 0 });
        const stop = new AbortController();
        let end: () => void = () => {};
        begun.over = new Promise<void>((resolve) => (end = resolve));
        if (by === "a signal") begun.tell = () => void setTimeout(() => stop.abort(), 5);
        // Long enough for a loaded machine to begin the node.
        if (by === "a step's time") graph.stepTimeout = 1_000;
        const more = by === "the run's time" ? { timeout: 1_000 } : {};
        const { threw } = (await outcome(graph.invoke({ sum: 1 }, { ...config, signal: stop.signal, ...more }))) as {
          threw: Error;
        };
        begun.tell = undefined;
        // The node returns after the run has ended: nobody receives it.
        end();
        await sleep(50);
        const stopped = { ...ran };
        graph.stepTimeout = undefined;
        const { next } = await graph.getState(config);
        return { ended: /abort/i.test(threw.message), stopped, next, result: await graph.invoke(null, config), ran };
      });

  describe("the thrown error", () => {
    const waits = (of: Package) =>
      new of.StateGraph(State)
        .addNode("a", () => sleep(50))
        .addEdge(of.START, "a")
        .compile();
    same("the signal's reason", async (of) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(new TypeError("why")), 5);
      const { threw } = (await outcome(waits(of).invoke({}, { signal: stop.signal }))) as { threw: Error };
      return [threw.name, threw.message];
    });
    for (const kind of ["a plain", "an async"])
      same(`the signal's reason, aborted as ${kind} node is called that never answers`, async (of) => {
        const stop = new AbortController();
        const never = () => {
          stop.abort(new TypeError("why"));
          return new Promise<void>(() => {});
        };
        const graph = new of.StateGraph(State)
          .addNode("a", kind === "a plain" ? never : async () => await never())
          .addNode("b", () => new Promise(() => {}))
          .addEdge(of.START, "a")
          .addEdge(of.START, "b")
          .compile();
        const { threw } = (await outcome(graph.invoke({ sum: 1 }, { signal: stop.signal }))) as { threw: Error };
        return [threw.name, threw.message];
      });
    for (const method of ["getTuple", "put", "putWrites"])
      same(`the signal's reason, though the saver's ${method} hangs`, async (of) => {
        const stop = new AbortController();
        const saver = new of.MemorySaver();
        saver[method] = () => {
          setTimeout(() => stop.abort(new TypeError("why")), 5);
          return new Promise(() => {});
        };
        const graph = new of.StateGraph(State).addNode("a", () => ({ log: ["a"] })).addEdge(of.START, "a");
        const run = graph.compile({ checkpointer: saver }).invoke({ sum: 1 }, { ...config, signal: stop.signal });
        const { threw } = (await outcome(run)) as { threw: Error };
        return [threw.name, threw.message];
      });
    same("at once, where it was aborted before", async (of) => {
      const { threw } = (await outcome(waits(of).invoke({}, { signal: AbortSignal.abort() }))) as { threw: Error };
      return [threw.name, threw.message];
    });
    same("that the time is up, also of a stream", async (of) => {
      const told = await outcome(async () => {
        for await (const _ of await waits(of).stream({}, { timeout: 5 }));
      });
      return (told as { threw: Error }).threw.name;
    });
    same("an error, whatever the reason is", async (of) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort("enough"), 5);
      const { threw } = (await outcome(waits(of).invoke({}, { signal: stop.signal }))) as { threw: Error };
      return [threw instanceof Error, threw.message];
    });
  });
});

test("a run's time is up also when unreferenced objects were collected meanwhile", async () => {
  const graph = new StateGraph(State as unknown)
    .addNode("slow", async () => {
      for (let part = 0; part < 40; part++) {
        await sleep(10);
        globalThis.gc?.();
      }
    })
    .addEdge(START, "slow")
    .compile();
  const { signal } = new AbortController();
  await expect(graph.invoke({ sum: 1 }, { timeout: 60, signal })).rejects.toThrow();
});

test("a run that ends in its time leaves no timer, and nothing with its caller's signal", async () => {
  const graph = new StateGraph(State as unknown)
    .addNode("a", async () => ({}))
    .addEdge(START, "a")
    .compile({ stepTimeout: 3_600_000 });
  const { signal } = new AbortController();
  const before = timers();
  await graph.invoke({ sum: 1 }, { timeout: 3_600_000, signal });
  for await (const _ of graph.stream({ sum: 1 }, { timeout: 3_600_000, signal }));
  graph.stream({ sum: 1 }, { timeout: 3_600_000 });
  expect([timers(), getEventListeners(signal, "abort").length]).toEqual([before, 0]);
});

test("a signal that outlives its streams holds nothing of them", async () => {
  const graph = new StateGraph(State as unknown)
    .addNode("a", async (_, ctx) => void ctx.signal.addEventListener("abort", () => {}))
    .addEdge(START, "a")
    .compile();
  const { signal } = new AbortController();
  // Node keeps what AbortSignal.any made of a signal in a set of that signal's.
  const sizes = () =>
    Object.getOwnPropertySymbols(signal)
      .map((key) => (signal as unknown as Record<symbol, { size?: number } | undefined>)[key])
      .map((held) => held?.size ?? 0);
  for (let run = 0; run < 100; run++) for await (const _ of graph.stream({ sum: 1 }, { signal }));
  expect(getEventListeners(signal, "abort").length + Math.max(...sizes())).toBe(0);
});

test("many runs and streams listen to their caller's signal once, and end with it", async () => {
  const graph = new StateGraph(State as unknown)
    .addNode("a", () => new Promise(() => {}))
    .addEdge(START, "a")
    .compile();
  const stop = new AbortController();
  const { signal } = stop;
  const reason = new Error("enough");
  const all = Array.from({ length: 30 }, (_, at) =>
    at % 2 ? graph.invoke({ sum: 1 }, { signal }) : graph.stream({ sum: 1 }, { signal }).next(),
  );
  const ended = Promise.allSettled(all);
  await sleep(5);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  stop.abort(reason);
  for (const one of await ended) expect(one).toEqual({ status: "rejected", reason });
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

describe.each([2 ** 31, 10 ** 10, Infinity])("a time of %s, which no timer takes, is never up:", (time) => {
  const slow = (of: object = {}) =>
    new StateGraph(State as unknown).addNode("a", () => sleep(20), of).addEdge(START, "a");
  const input = { sum: 1 };
  test.each<[string, () => Promise<unknown>]>([
    ["a run's", () => slow().compile().invoke(input, { timeout: time })],
    ["a stream's", () => slow().compile().stream(input, { timeout: time }).next()],
    ["a step's", () => slow().compile({ stepTimeout: time }).invoke(input)],
    ["a node's", () => slow({ timeout: time }).compile().invoke(input)],
    [
      "a node's without progress",
      () =>
        slow({ timeout: { idleTimeout: time } })
          .compile()
          .invoke(input),
    ],
  ])("%s", async (_, run) => {
    await expect(run()).resolves.toBeDefined();
  });

  test("that between two attempts", async () => {
    let ran = 0;
    const fails = () => Promise.reject(new Error(`${++ran}`));
    const graph = new StateGraph(State as unknown)
      .addNode("a", fails, { retryPolicy: { initialInterval: time, maxInterval: time, jitter: false } })
      .addEdge(START, "a")
      .compile();
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("stopped")), 20);
    await expect(graph.invoke(input, { signal: stop.signal })).rejects.toThrow("stopped");
    expect(ran).toBe(1);
  });
});

describe("the wait for another attempt ends with the run:", () => {
  const retryPolicy = { initialInterval: 3_600_000, maxInterval: 3_600_000, jitter: false };
  const input = { sum: 1 };
  const failing = () =>
    new StateGraph(State as unknown)
      .addNode("a", () => Promise.reject(new Error("again")), { retryPolicy })
      .addEdge(START, "a");
  const around = (timeout: number) =>
    new StateGraph(State as unknown).addNode("inner", failing().compile(), { timeout }).addEdge(START, "inner");
  const late = async () => {
    await sleep(5);
    throw new Error("beside");
  };

  test.each<[string, () => Promise<unknown>]>([
    [
      "a signal",
      () =>
        failing()
          .compile()
          .invoke(input, { signal: AbortSignal.timeout(5) }),
    ],
    ["the run's time", () => failing().compile().invoke(input, { timeout: 5 })],
    ["a step's time", () => failing().compile({ stepTimeout: 5 }).invoke(input)],
    ["a node beside it", () => failing().addNode("b", late).addEdge(START, "b").compile().invoke(input)],
    ["the node around", () => around(5).compile().invoke(input)],
  ])("%s", async (_, run) => {
    const before = timers();
    await expect(run()).rejects.not.toThrow("again");
    expect(timers()).toBe(before);
  });

  test("a reader who leaves", async () => {
    const before = timers();
    const stream = failing().compile().stream(input, { streamMode: "tasks" });
    await stream.next();
    await stream.return();
    expect(timers()).toBe(before);
  });
});

// That of langgraph.js does.
describe.concurrent("a graph inside does not continue", () => {
  const inside = async (more: object, beside?: () => Promise<never>) => {
    const ran: string[] = [];
    const inner = new StateGraph(State as unknown)
      .addNode("slow", async () => {
        await sleep(60);
        return { log: ["slow"] };
      })
      .addNode("fast", () => ({ log: [ran.push("fast")] }))
      .addEdge(START, "slow")
      .addEdge("slow", "fast")
      .compile();
    const outer = new StateGraph(State as unknown).addNode("inner", inner, more).addEdge(START, "inner");
    if (beside) outer.addNode("beside", beside).addEdge(START as never, "beside" as never);
    await expect(outer.compile().invoke({ sum: 1 })).rejects.toThrow();
    await sleep(120);
    expect(ran).toEqual([]);
  };
  test("when its node's time is up", () => inside({ timeout: 15 }));
  test("when a node beside it fails", () =>
    inside({}, async () => {
      await sleep(15);
      throw new Error("beside");
    }));
});
