// Threads left by one runtime and continued by the other, through langgraph.js's PostgresSaver.
import { MemorySaver as TheirMemorySaver } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { defineSchema, field } from "threadfold";
import { START, StateGraph } from "threadfold/graph";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres, type Postgres, startPostgres } from "./stores.js";
import { play, type Scenario, scenarios, waysOf } from "../../unit/checkpoint/scenarios.js";

if (!hasPostgres)
  console.log("Threads are not handed over through Postgres: it is not installed (apt-get install postgresql).");

let postgres: Postgres;
let schemas = 0;

/** A saver with tables of its own. */
async function withSaver<T>(use: (saver: PostgresSaver) => Promise<T>): Promise<T> {
  const saver = PostgresSaver.fromConnString(postgres.url, { schema: `thread_${schemas++}` });
  await saver.setup();
  try {
    return await use(saver);
  } finally {
    await saver.end();
  }
}

describe.skipIf(!hasPostgres)("through Postgres", () => {
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres?.stop());

  test.each(scenarios)("$name", async (scenario: Scenario) => {
    const alone = scenario.fault ? "o".repeat(scenario.turns.length) : "t".repeat(scenario.turns.length);
    const expected = await play(scenario, alone, new TheirMemorySaver());
    for (const way of waysOf(scenario)) {
      if (scenario.fault && !way.startsWith("o")) continue;
      const came = await withSaver((saver) => play(scenario, way, saver));
      expect({ way, ...came }).toEqual({ way, ...expected });
    }
  });

  test("a fork has its own values, and leaves the other branch's", async () => {
    const config = { configurable: { thread_id: "1" } };
    const schema = defineSchema({ log: field.append<string>() });
    let branch = "first";
    const { end, now, first } = await withSaver(async (saver) => {
      const graph = new StateGraph(schema)
        .addNode("a", () => ({ log: [`a ${branch}`] }))
        .addNode("b", () => ({ log: [`b ${branch}`] }))
        .addEdge(START, "a")
        .addEdge("a", "b")
        .compile({ checkpointer: saver });
      await graph.invoke({ log: ["in"] }, config);
      const past = [];
      for await (const state of graph.getStateHistory(config)) past.push(state);
      const [ended] = past;
      const before = past.find(({ next }) => next.includes("a"));
      branch = "second";
      const forked = await graph.updateState(before?.config ?? {}, { log: ["changed"] }, START);
      return {
        end: await graph.invoke(null, forked),
        now: (await graph.getState(config)).values,
        first: (await graph.getState(ended?.config ?? {})).values,
      };
    });
    expect(end).toEqual({ log: ["in", "changed", "a second", "b second"] });
    expect(now).toEqual(end);
    expect(first).toEqual({ log: ["in", "a first", "b first"] });
  });
});
