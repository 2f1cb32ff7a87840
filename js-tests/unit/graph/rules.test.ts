// LangGraph's rules one by one, beside langgraph.js.
import { describe } from "vitest";
import { all, type Loose, outcome, type Package, same, State } from "./beside-langgraph.js";

const config = { configurable: { thread_id: "t" } };
const at = (thread: string, more: object = {}) => ({ configurable: { thread_id: thread, ...more } });

type Add = [name: string, node: unknown, options?: object];

/** A graph of these nodes; an edge is "a>b", or "a+b>c" for a list edge. */
function graph(of: Package, nodes: Add[], edges: string[], options: object = {}) {
  const builder = new of.StateGraph(State);
  for (const [name, node, more] of nodes) builder.addNode(name, node, more);
  for (const edge of edges) {
    const [from, to] = edge.split(">") as [string, string];
    builder.addEdge(from.includes("+") ? from.split("+") : from, to);
  }
  return builder.compile(options);
}

const says = (name: string) => () => ({ log: [name] });
const saved = (of: Package, more: object = {}) => ({ checkpointer: new of.MemorySaver(), ...more });

/** Returns the comparable part of a thread's state. */
async function stateOf(graph: Loose, config: object) {
  const { values, next, tasks, metadata } = await graph.getState(config);
  return { values, next, tasks, metadata };
}
const history = async (graph: Loose, config: object) =>
  (await all<Loose>(graph.getStateHistory(config))).map(({ values, next, metadata }) => ({ values, next, metadata }));

describe("compile (1 to 5)", () => {
  for (const [name, build] of Object.entries({
    "a reserved character": (of: Package) => graph(of, [["a|b", says("a")]], []),
    "a field's name": (of: Package) => graph(of, [["log", says("a")]], []),
    "a name twice": (of: Package) =>
      graph(
        of,
        [
          ["a", says("a")],
          ["a", says("a")],
        ],
        [],
      ),
    "an unknown target": (of: Package) => graph(of, [["a", says("a")]], ["__start__>a", "a>nope"]),
    "an unknown source": (of: Package) => graph(of, [["a", says("a")]], ["__start__>a", "nope>a"]),
    "an unreachable node": (of: Package) =>
      graph(
        of,
        [
          ["a", says("a")],
          ["b", says("b")],
        ],
        ["__start__>a"],
      ),
    "END as a source": (of: Package) => graph(of, [["a", says("a")]], ["__end__>a"]),
    "an unknown breakpoint": (of: Package) =>
      graph(of, [["a", says("a")]], ["__start__>a"], { interruptBefore: ["nope"] }),
    "a list edge to END": (of: Package) =>
      graph(
        of,
        [
          ["a", says("a")],
          ["b", says("b")],
        ],
        ["a+b>__end__"],
      ),
    "no state": (of: Package) => new of.StateGraph({}),
  }))
    same(name, (of) => outcome(() => build(of)));
});

describe("a super-step (6 to 9)", () => {
  same("two ways of different length run a node twice", (of) =>
    graph(
      of,
      ["a", "b", "c"].map((name): Add => [name, says(name)]),
      ["__start__>a", "a>b", "a>c", "b>c"],
    ).invoke({}),
  );
  same("a half-filled join outlasts the run", async (of) => {
    const join = graph(
      of,
      ["a", "b", "c"].map((name): Add => [name, says(name), { ends: ["a", "b"] }]),
      ["a+b>c"],
      saved(of),
    );
    return [
      await join.invoke(new of.Command({ goto: "a" }), config),
      await join.invoke(new of.Command({ goto: "b" }), config),
      await stateOf(join, config),
    ];
  });
  same("writes count by name, then Sends by index", (of) => {
    const slow = (name: string, wait: number) => async () => {
      await new Promise((resolve) => setTimeout(resolve, wait));
      return { log: [name] };
    };
    return new of.StateGraph(State)
      .addNode("z", slow("z", 1))
      .addNode("a", slow("a", 5))
      .addNode("m", async ({ sum }: { sum: number }) => slow(`m${sum}`, 4 - sum)())
      .addEdge("__start__", "z")
      .addEdge("__start__", "a")
      .addConditionalEdges("__start__", () => [new of.Send("m", { sum: 1 }), new of.Send("m", { sum: 2 })])
      .compile()
      .invoke({});
  });
  same("two writes to a field that takes one", (of) =>
    outcome(
      graph(
        of,
        [
          ["a", () => ({ last: "a" })],
          ["b", () => ({ last: "b" })],
        ],
        ["__start__>a", "__start__>b"],
      ).invoke({}),
    ),
  );
  same("an answer that is no update", (of) => outcome(graph(of, [["a", () => "text"]], ["__start__>a"]).invoke({})));
  same("a Send of a caller, as JSON has it", (of) =>
    graph(of, [["a", ({ last }: { last: string }) => ({ log: [last] })]], ["__start__>a"], saved(of)).invoke(
      new of.Command({ goto: [{ node: "a", args: { last: "sent" } }] }),
      config,
    ),
  );
  same("a Send to an unknown node", (of) =>
    outcome(graph(of, [["a", () => new of.Command({ goto: new of.Send("nope", {}) })]], ["__start__>a"]).invoke({})),
  );
});

describe("the loop (10 to 13)", () => {
  const chain = (of: Package) =>
    graph(
      of,
      ["a", "b", "c"].map((name): Add => [name, says(name)]),
      ["__start__>a", "a>b", "b>c"],
    );
  for (const recursionLimit of [1, 3, 4])
    same(`a limit of ${recursionLimit}`, (of) => outcome(chain(of).invoke({}, { recursionLimit })));
  same(
    "a limit of 0",
    async (of) => ((await outcome(chain(of).invoke({}, { recursionLimit: 0 }))) as Loose).threw.message,
  );
  same("nothing to do", async (of) => {
    const one = graph(of, [["a", says("a")]], ["__start__>a"], saved(of));
    const empty = await outcome(one.invoke(null, config));
    await one.invoke({ sum: 1 }, config);
    return [empty, await one.invoke(null, config), await outcome(one.invoke(new of.Command({}), config))];
  });
  same("new input discards what was pending", async (of) => {
    const stopped = graph(
      of,
      [
        ["a", says("a")],
        ["b", says("b")],
      ],
      ["__start__>a", "a>b"],
      saved(of, { interruptBefore: ["b"] }),
    );
    await stopped.invoke({}, config);
    return [await stopped.invoke({ sum: 5 }, config), await stateOf(stopped, config)];
  });
  same("a run counts on", async (of) => {
    const one = graph(of, [["a", says("a")]], ["__start__>a"], saved(of));
    await one.invoke({}, config);
    await one.invoke({}, config);
    return history(one, config);
  });
});

function family(of: Package, inner: object = {}, ask = false) {
  const child = graph(
    of,
    [
      ["x", says("x")],
      ["y", (_: unknown, ctx: Loose) => ({ log: [ask ? `y ${ctx.interrupt("y?")}` : "y"] })],
    ],
    ["__start__>x", "x>y"],
    inner,
  );
  return graph(
    of,
    [
      ["before", says("before")],
      ["child", child],
    ],
    ["__start__>before", "before>child"],
    saved(of),
  );
}

describe("graphs inside (14 to 16)", () => {
  same("give back their whole state", (of) => family(of).invoke({ log: ["in"] }, config));
  same("ask through the outer graph", async (of) => {
    const outer = family(of, {}, true);
    return [
      await outer.invoke({}, config),
      await stateOf(outer, config),
      await outer.invoke(new of.Command({ resume: "so" }), config),
      await history(outer, config),
    ];
  });
  same("show where they stand", async (of) => {
    const outer = family(of, {}, true);
    await outer.invoke({}, config);
    const { tasks } = await outer.getState(config, { subgraphs: true });
    const { values, next } = tasks[0].state;
    const inner = await outer.getState((await outer.getState(config)).tasks[0].state);
    return [values, next, inner.values, inner.next];
  });
  same("remember with a checkpointer of true", async (of) => {
    const outer = family(of, { checkpointer: true });
    return [await outer.invoke({}, config), await outer.invoke({}, config)];
  });
  same("keep nothing with a checkpointer of false", (of) => family(of, { checkpointer: false }).invoke({}, config));
  same("command the outer graph", async (of) => {
    const child = graph(
      of,
      [["x", () => new of.Command({ graph: of.Command.PARENT, update: { log: ["up"] }, goto: "after" })]],
      ["__start__>x"],
    );
    return graph(
      of,
      [
        ["child", child, { ends: ["after"] }],
        ["after", says("after")],
      ],
      ["__start__>child"],
    ).invoke({});
  });
  same("run twice in one node", async (of) => {
    const child = graph(of, [["x", (_: unknown, ctx: Loose) => ({ log: [ctx.interrupt("x?")] })]], ["__start__>x"]);
    const outer = graph(
      of,
      [
        [
          "twice",
          async (_: unknown, ctx: Loose) => {
            const { log: first } = await child.invoke({ log: ["1"] }, ctx);
            const { log: second } = await child.invoke({ log: ["2"] }, ctx);
            return { log: [...first, ...second] };
          },
        ],
      ],
      ["__start__>twice"],
      saved(of),
    );
    return [
      await outer.invoke({ sum: 1 }, config),
      await outer.invoke(new of.Command({ resume: "a" }), config),
      await outer.invoke(new of.Command({ resume: "b" }), config),
    ];
  });
});

describe("questions (18 to 22)", () => {
  const asking = (of: Package) =>
    graph(
      of,
      [
        ["a", (_: unknown, ctx: Loose) => ({ log: [`a ${ctx.interrupt({ q: 1 })} ${ctx.interrupt({ q: 2 })}`] })],
        ["b", says("b")],
      ],
      ["__start__>a", "__start__>b"],
      saved(of),
    );
  same(
    "one after the other",
    async (of) => {
      const one = asking(of);
      const told = [await one.invoke({}, config), await one.invoke(new of.Command({ resume: "x" }), config)];
      return [...told, await one.invoke(new of.Command({ resume: "y" }), config), await stateOf(one, config)];
    },
    (told) => JSON.parse(JSON.stringify(told).replaceAll(/"#\d+"/g, '"an id"')),
  );
  same("a resume of a thread at its end", async (of) => {
    const one = graph(of, [["a", says("a")]], ["__start__>a"], saved(of));
    await one.invoke({}, config);
    return one.invoke(new of.Command({ resume: "x" }), config);
  });
  same("a resume without a checkpointer", (of) =>
    outcome(graph(of, [["a", says("a")]], ["__start__>a"]).invoke(new of.Command({ resume: "x" }))),
  );
  for (const stops of [
    { interruptBefore: "*" },
    { interruptAfter: "*" },
    { interruptBefore: ["b"], interruptAfter: ["b"] },
  ])
    same(`breakpoints ${JSON.stringify(stops)}`, async (of) => {
      const chain = graph(
        of,
        ["a", "b", "c"].map((name): Add => [name, says(name)]),
        ["__start__>a", "a>b", "b>c"],
        saved(of, stops),
      );
      const told = [await chain.invoke({ sum: 1 }, config)];
      for (let turn = 0; turn < 4; turn++)
        told.push(await chain.invoke(null, config), (await chain.getState(config)).next);
      return told;
    });
});

describe("errors (23 to 26)", () => {
  same("a node that is retried", async (of) => {
    let calls = 0;
    const flaky = () => {
      if (++calls < 3) throw new Error("not yet");
      return { log: [`call ${calls}`] };
    };
    const retryPolicy = { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false };
    return [await graph(of, [["a", flaky, { retryPolicy }]], ["__start__>a"]).invoke({}), calls];
  });
  same("a node that is not retried for good", async (of) => {
    let calls = 0;
    const broken = () => {
      calls++;
      throw new Error("never");
    };
    const retryPolicy = { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false };
    return [await outcome(graph(of, [["a", broken, { retryPolicy }]], ["__start__>a"]).invoke({})), calls];
  });
  same("a node whose graph inside takes too many steps is retried", async (of) => {
    let calls = 0;
    const endless = graph(of, [["a", () => ({ log: [`${++calls}`] })]], ["__start__>a", "a>a"]);
    const inner = () => endless.invoke({}, { recursionLimit: 2 });
    const retryPolicy = { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false };
    return [await outcome(graph(of, [["inner", inner, { retryPolicy }]], ["__start__>inner"]).invoke({})), calls];
  });
  same("an error's handler", async (of) => {
    const failing = () => {
      throw new TypeError("a fails");
    };
    const errorHandler = (state: { log: string[] }, { node, error }: Loose) =>
      new of.Command({ update: { log: [`${node}: ${error.message} ${state.log}`] }, goto: "c" });
    return graph(
      of,
      [
        ["a", failing, { errorHandler }],
        ["b", says("b")],
        ["c", says("c")],
      ],
      ["__start__>a", "a>b"],
    ).invoke({
      log: ["in"],
    });
  });
  same("a failed node runs again, its finished sibling does not", async (of) => {
    const calls: string[] = [];
    let fails = true;
    const one = graph(
      of,
      [
        [
          "a",
          async () => {
            calls.push("a");
            await new Promise((resolve) => setTimeout(resolve, 20));
            if (fails) throw new Error("a fails");
            return { log: ["a"] };
          },
        ],
        [
          "b",
          () => {
            calls.push("b");
            return { log: ["b"] };
          },
        ],
        ["c", says("c")],
      ],
      ["__start__>a", "__start__>b", "a+b>c"],
      saved(of),
    );
    const told = [await outcome(one.invoke({}, config)), (await one.getState(config)).next];
    fails = false;
    return [...told, await one.invoke(null, config), calls];
  });
  same("a timeout", async (of) => {
    const slow = () => new Promise((resolve) => setTimeout(resolve, 200));
    const { threw } = (await outcome(graph(of, [["a", slow, { timeout: 10 }]], ["__start__>a"]).invoke({}))) as {
      threw: Loose;
    };
    return [threw.name, threw.node, threw.kind, threw.timeout];
  });
  same("not more at a time than asked for", async (of) => {
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return { sum: 1 };
    };
    const names = ["a", "b", "c", "d", "e"];
    const result = await graph(
      of,
      names.map((name): Add => [name, work]),
      names.map((name) => `__start__>${name}`),
    ).invoke({}, { maxConcurrency: 2 });
    return [result, most];
  });
});

describe("the state of a thread (30, 31)", () => {
  const flow = (of: Package) =>
    new of.StateGraph(State)
      .addNode("a", says("a"))
      .addNode("b", says("b"))
      .addNode("c", says("c"))
      .addEdge("__start__", "a")
      .addConditionalEdges("a", ({ last }: { last?: string }) => last ?? "b", ["b", "c"])
      .compile(saved(of, { interruptAfter: ["a"] }));
  same("an update as a node goes its ways", async (of) => {
    const one = flow(of);
    await one.invoke({}, config);
    await one.updateState(config, { last: "c" }, "a");
    return [await stateOf(one, config), await one.invoke(null, config), await history(one, config)];
  });
  same("an update as the node that ran last", async (of) => {
    const one = flow(of);
    await one.invoke({}, config);
    await one.updateState(config, { log: ["by hand"], last: "c" });
    return [await stateOf(one, config), await one.invoke(null, config)];
  });
  same("an update of an empty thread", async (of) => {
    const one = flow(of);
    await one.updateState(config, { log: ["first"] });
    return [await stateOf(one, config), await one.invoke(null, config)];
  });
  same("an update as one of several", async (of) => {
    const one = graph(
      of,
      ["a", "b"].map((name): Add => [name, says(name)]),
      ["__start__>a", "__start__>b"],
      saved(of),
    );
    await one.invoke({}, config);
    return outcome(one.updateState(config, { log: ["?"] }));
  });
  same("an update as an unknown node", async (of) => {
    const one = flow(of);
    await one.invoke({}, config);
    return outcome(one.updateState(config, { log: ["?"] }, "nope"));
  });
  same("clearing the tasks", async (of) => {
    const one = flow(of);
    await one.invoke({}, config);
    await one.updateState(config, null, "__end__");
    return [await stateOf(one, config), await one.invoke(null, config)];
  });
  same("an update as input", async (of) => {
    const one = flow(of);
    await one.updateState(config, { log: ["in"] }, "__input__");
    return [await stateOf(one, config), await one.invoke(null, config)];
  });
  same("an update as no input", async (of) => {
    const one = flow(of);
    return [await outcome(one.updateState(config, null, "__input__")), (await one.getState(config)).next];
  });
  same("a copy", async (of) => {
    const one = flow(of);
    await one.invoke({}, config);
    const copied = await one.updateState(config, null, "__copy__");
    return [await stateOf(one, copied), await history(one, config)];
  });
  same("a fork of an old state", async (of) => {
    const one = graph(
      of,
      ["a", "b", "c"].map((name): Add => [name, says(name)]),
      ["__start__>a", "a>b", "b>c"],
      saved(of),
    );
    await one.invoke({ sum: 1 }, config);
    const old = (await all<Loose>(one.getStateHistory(config))).find(({ next }) => next[0] === "b");
    const forked = await one.updateState(old.config, { log: ["forked"] });
    return [await one.invoke(null, forked), await history(one, config), await stateOf(one, config)];
  });
  same("a replay of an old state", async (of) => {
    const one = graph(
      of,
      ["a", "b", "c"].map((name): Add => [name, says(name)]),
      ["__start__>a", "a>b", "b>c"],
      saved(of),
    );
    await one.invoke({ sum: 1 }, config);
    const old = (await all<Loose>(one.getStateHistory(config))).find(({ next }) => next[0] === "b");
    return [await one.invoke(null, old.config), await history(one, config)];
  });
  same("a replay of a question", async (of) => {
    const one = graph(
      of,
      [
        ["a", says("a")],
        ["b", (_: unknown, ctx: Loose) => ({ log: [ctx.interrupt("b?")] })],
        ["c", says("c")],
      ],
      ["__start__>a", "a>b", "b>c"],
      saved(of),
    );
    await one.invoke({}, config);
    await one.invoke(new of.Command({ resume: "first" }), config);
    const old = (await all<Loose>(one.getStateHistory(config))).find(({ next }) => next[0] === "b");
    return [
      await one.invoke(null, old.config),
      await one.invoke(new of.Command({ resume: "second" }), config),
      await history(one, config),
    ];
  });
  same("a replay of a graph inside", async (of) => {
    const outer = family(of);
    await outer.invoke({}, config);
    const old = (await all<Loose>(outer.getStateHistory(config))).find(({ next }) => next[0] === "child");
    return [await outer.invoke(null, old.config), await history(outer, config)];
  });
  same("threads are apart", async (of) => {
    const one = graph(of, [["a", says("a")]], ["__start__>a"], saved(of));
    await one.invoke({}, at("1"));
    return [await stateOf(one, at("1")), (await one.getState(at("2"))).values];
  });
  same("no checkpointer", async (of) => {
    const one = graph(of, [["a", says("a")]], ["__start__>a"]);
    return outcome(() => one.getState(config));
  });
});

describe("durability (28)", () => {
  for (const durability of ["sync", "async", "exit"])
    same(durability, async (of) => {
      const one = graph(
        of,
        ["a", "b"].map((name): Add => [name, says(name)]),
        ["__start__>a", "a>b"],
        saved(of),
      );
      await one.invoke({}, { ...config, durability });
      return history(one, config);
    });
});

describe("an aborted run", () => {
  for (const [name, reason] of Object.entries({
    none: undefined,
    text: "enough",
    error: new TypeError("enough"),
    other: 7,
  }))
    same(`rejects with its reason: ${name}`, async (of) => {
      const stop = new AbortController();
      const one = graph(of, [["a", () => new Promise(() => undefined)]], ["__start__>a"]);
      const told = async (run: Promise<unknown>) => {
        const { threw } = (await outcome(run)) as { threw: Error };
        return [threw === reason, threw === stop.signal.reason, threw.name, threw.message];
      };
      const run = told(one.invoke({}, { signal: stop.signal }));
      const stream = told(all(one.stream({}, { signal: stop.signal })));
      setTimeout(() => stop.abort(reason), 5);
      return [await run, await stream, await told(one.invoke({}, { signal: stop.signal }))];
    });
});
