// Threads left by one runtime and continued by the other, in all ways, through langgraph.js's SqliteSaver.
import { MemorySaver as TheirMemorySaver } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { expect, test } from "vitest";
import { play, scenarios, waysOf } from "../../unit/checkpoint/scenarios.js";

test.each(scenarios)("$name", async (scenario) => {
  const { length } = scenario.turns;
  // The result of either alone; ours, where langgraph.js has a bug.
  const expected = await play(scenario, (scenario.fault ? "o" : "t").repeat(length), new TheirMemorySaver());
  for (const way of waysOf(scenario)) {
    if (scenario.fault && !way.startsWith("o")) continue;
    const came = await play(scenario, way, SqliteSaver.fromConnString(":memory:"));
    expect({ way, ...came }).toEqual({ way, ...expected });
  }
});
