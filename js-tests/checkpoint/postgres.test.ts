// Threads left by one runtime and continued by the other, through langgraph.js's PostgresSaver.
import { MemorySaver as TheirMemorySaver } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Postgres, programs, startPostgres } from "./postgres.js";
import { play, type Scenario, scenarios, waysOf } from "./scenarios.js";

if (programs === undefined)
  console.log("Interop through Postgres is not tested: it is not installed (apt-get install postgresql).");

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

describe.skipIf(programs === undefined)("through Postgres", () => {
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
});
