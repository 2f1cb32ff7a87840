// States that check their writes, compared with langgraph.js: zod objects of both versions, and StateSchema.
import { Overwrite, ReducedValue, StateSchema } from "@langchain/langgraph";
import { schemaMetaRegistry, withLangGraph } from "@langchain/langgraph/zod";
import { describe } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { type Loose, outcome, type Package, same } from "./beside-langgraph.js";

const config = { configurable: { thread_id: "t" } };
const marked = (v: { string(): Loose }) =>
  v
    .string()
    .transform((text: string) => `${text}!`)
    .optional();

const STATES: Record<string, () => unknown> = {
  "a zod object": () =>
    z.object({
      n: z.number().optional(),
      text: marked(z),
      many: withLangGraph(z.array(z.string()).max(5), {
        reducer: { schema: z.string(), fn: (list: string[], one: string) => [...list, one] },
        default: () => [],
      }) as never,
    }),
  "a zod object of version 3": () => z3.object({ n: z3.number().optional(), text: marked(z3 as never) }),
  "a StateSchema": () =>
    new StateSchema({
      n: z.number().optional(),
      text: marked(z),
      many: new ReducedValue(z.array(z.string()).default([]), {
        inputSchema: z.string(),
        reducer: (list: string[], one: string) => [...list, one],
      }),
    }),
};

/** The graph and the input of its node `b`. */
function graphOf(of: Package, state: unknown, a: (state: Loose) => unknown, options: object = {}) {
  const given: unknown[] = [];
  const graph = new of.StateGraph(state, { registry: schemaMetaRegistry })
    .addNode("a", a, options)
    .addNode("b", (state: object) => (given.push(state), {}))
    .addEdge(of.START, "a")
    .addEdge("a", "b")
    .compile({ checkpointer: new of.MemorySaver() });
  return { graph, given };
}

/** Makes the outcome comparable: the class of an error depends on zod's version. */
const told = async (given: unknown[], answer: Promise<unknown>) => {
  const result = (await outcome(answer)) as Loose;
  return [result?.threw ? "threw" : result, given];
};

for (const [name, state] of Object.entries(STATES))
  describe(name, () => {
    same("refuses what a node writes that is wrong: the node has failed", async (of) => {
      let ran = 0;
      const retryPolicy = { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false };
      const { graph, given } = graphOf(of, state(), () => (ran++, { n: "no number" }), { retryPolicy });
      const result = await told(given, graph.invoke({ n: 1 }, config));
      const { next, values } = await graph.getState(config);
      return [result, ran, next, values];
    });
    for (const [what, answer] of Object.entries<(of: Package) => unknown>({
      "an update": () => ({ text: "hi" }),
      "a Command's": (of) => new of.Command({ update: { text: "hi" } }),
      "a list's": (of) => [new of.Command({ update: { text: "hi" } }), { n: 2 }],
      pairs: (of) => new of.Command({ update: [["text", "hi"]] as never }),
      undefined: () => ({ text: undefined }),
      "a field that is not there": () => ({ text: "hi", other: 1 }),
      null: () => ({ text: null }),
    }))
      same(`completes ${what}`, async (of) => {
        const { graph, given } = graphOf(of, state(), () => answer(of));
        return told(given, graph.invoke({ n: 1 }, config));
      });
    same("checks a caller's command and updateState", async (of) => {
      const { graph, given } = graphOf(of, state(), () => ({}));
      await graph.invoke({}, config);
      const wrong = await told(given, graph.updateState(config, { n: "no number" }, "a"));
      await graph.updateState(config, { text: "update" }, "a");
      const right = await told(given, graph.invoke(null, config));
      const command = await told(
        given,
        graph.invoke(new of.Command({ update: { text: "command" }, goto: "b" }), config),
      );
      return [wrong, right, command, await told(given, graph.invoke(new of.Command({ update: { n: "x" } }), config))];
    });
    if (!name.endsWith("3"))
      same("takes of a reduced field what its updates are, or the whole", async (of) => {
        const results = [];
        for (const update of [
          { many: "one" },
          { many: ["wrong"] },
          { many: new Overwrite(["all"]) },
          { many: new Overwrite(1) },
        ]) {
          const { graph, given } = graphOf(of, state(), () => update);
          results.push(await told(given, graph.invoke({ many: "first" } as never, config)));
        }
        return results;
      });
  });
