// Records what serveAgUi says of scripted graphs, for the Rust crate. THREADFOLD_RECORD=1 records it anew.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import scripts from "./served-scripts.json" with { type: "json" };
import { served, type Script } from "./served-runs.js";

const file = join(import.meta.dirname, "served-runs.json");

/** Events without the ids of their interrupts, which each run makes anew. */
const nameless = (events: object): unknown => JSON.parse(JSON.stringify(events).replace(/"[0-9a-f]{32}"/g, '"id"'));

test("the events that the Rust crate is held to are those of serveAgUi", async () => {
  const runs: Record<string, unknown> = {};
  for (const [name, script] of Object.entries(scripts))
    runs[name] = nameless(await served(script as unknown as Script));
  if (process.env.THREADFOLD_RECORD) {
    const lines = Object.entries(runs).map(([name, turns]) => {
      const each = (turns as object[][]).map(
        (events) => `[\n${events.map((one) => JSON.stringify(one)).join(",\n")}\n]`,
      );
      return `${JSON.stringify(name)}: [${each.join(", ")}]`;
    });
    writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
  }
  expect(runs).toEqual(JSON.parse(readFileSync(file, "utf8")));
});
