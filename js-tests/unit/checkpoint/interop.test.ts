// Threads left by one runtime and continued by the other, in all ways, through savers of both.
import "fake-indexeddb/auto";
import { MemorySaver as TheirMemorySaver } from "@langchain/langgraph";
import { IndexedDBSaver, MemorySaver } from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { isThorough } from "../../support/seed.js";
import { play, scenarios, waysOf } from "./scenarios.js";

let databases = 0;
const savers: [string, () => unknown][] = [
  ["langgraph.js's MemorySaver", () => new TheirMemorySaver()],
  ["MemorySaver", () => new MemorySaver()],
  ["IndexedDBSaver", () => new IndexedDBSaver({ name: `interop-${databases++}` })],
];

describe.each(scenarios)("$name", (scenario) => {
  const { length } = scenario.turns;
  const all = waysOf(scenario).filter((way) => !scenario.fault || way.startsWith("o"));
  // In turns, either first: through every saver. All ways: through one, and in CI through every one.
  const inTurns = ["otototot", "totototo"].map((way) => way.slice(0, length)).filter((way) => all.includes(way));
  // The result of either alone; ours, where langgraph.js has a bug.
  let alone: ReturnType<typeof play> | undefined;
  test.each(savers)("through %s", async (name, create) => {
    const expected = await (alone ??= play(
      scenario,
      (scenario.fault ? "o" : "t").repeat(length),
      new TheirMemorySaver(),
    ));
    const ways = isThorough() || name === "langgraph.js's MemorySaver" ? all : inTurns;
    for (const way of ways) expect({ way, ...(await play(scenario, way, create())) }).toEqual({ way, ...expected });
  });
});
