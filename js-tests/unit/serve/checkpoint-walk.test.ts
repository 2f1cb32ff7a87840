// Random walks over served graphs. After each run that ended well, the page's thread equals the server's state. And the
// server has the same messages whether pages send all, or only what it lacks.
import { expect, test } from "vitest";
import { runs } from "../../support/seed.js";
import { randomOf } from "../../support/random";
import { walk, WORDS, type WalkOptions } from "./checkpoint-walk";
import { chatGraph } from "./graphs";

const CHAT: Partial<WalkOptions> = { make: chatGraph as never, words: ["hi", "weather", "mail", "fail"] };

test.each([
  ["threadfold/graph", false, {}],
  ["threadfold/graph", true, {}],
  ["langgraph.js", false, CHAT],
  ["langgraph.js", true, CHAT],
] as const)("a thread equals the state of its server: %s, resumable %s", async (_, resumable, more) => {
  const total: Record<string, number> = {};
  for (let seed = 1; seed <= runs(200); seed++) {
    const { compared, counts } = await walk({ random: randomOf(seed), resumable, declares: true, ...more });
    for (const [what, count] of Object.entries(counts)) total[what] = (total[what] ?? 0) + count;
    for (const { page, server, after } of compared) expect(page, `seed ${seed}, ${after}`).toEqual(server);
  }
  expect(total["left out"]).toBeGreaterThan(5);
  expect(total["cut"]).toBeGreaterThan(5);
});

test.each([false, true])("the server has what it has with a page that sends all, resumable %s", async (resumable) => {
  // Only a page that the server tells of a failed run's removals knows them. And only of a page that names its
  // checkpoint does the server know that others replaced what it shows.
  const words = WORDS.filter((word) => !/fail|half/.test(word));
  for (let seed = 1; seed <= runs(200); seed++) {
    const [all, rest] = await Promise.all(
      [false, true].map((declares) =>
        walk({ random: randomOf(seed), resumable, declares, faults: false, alone: true, words }),
      ),
    );
    expect(rest?.texts, `seed ${seed}`).toEqual(all?.texts);
  }
});
