// Threads left by one runtime and continued by the other, in all ways, through savers of both.
import "fake-indexeddb/auto";
import { MemorySaver as TheirMemorySaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { IndexedDBSaver, MemorySaver } from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { play, scenarios, waysOf } from "./scenarios.js";

let databases = 0;
const savers: [string, () => unknown][] = [
  ["langgraph.js's MemorySaver", () => new TheirMemorySaver()],
  ["SqliteSaver", () => SqliteSaver.fromConnString(":memory:")],
  ["MemorySaver", () => new MemorySaver()],
  ["IndexedDBSaver", () => new IndexedDBSaver({ name: `interop-${databases++}` })],
];

describe.each(scenarios)("$name", (scenario) => {
  const ways = waysOf(scenario).filter((way) => !scenario.fault || way.startsWith("o"));
  test.each(savers)("through %s", async (_, create) => {
    // What either comes to alone; ours, where langgraph.js has a fault.
    const alone = scenario.fault ? "o".repeat(scenario.turns.length) : "t".repeat(scenario.turns.length);
    const expected = await play(scenario, alone, new TheirMemorySaver());
    for (const way of ways) expect({ way, ...(await play(scenario, way, create())) }).toEqual({ way, ...expected });
  });
});
