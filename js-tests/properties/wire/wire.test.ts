// Threads that fold updates alone, beside langgraph.js: after each run they equal the server's state, or say which
// fields are in doubt. THREADFOLD_RUNS is the number of runs; THREADFOLD_SEED with THREADFOLD_RUNS=1 plays one thread.
import { EventEmitter } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { reportOf, Tally } from "./report.js";
import { LOUD, play, QUIET, type Wrong } from "./replay.js";
import { shrunk } from "./shrink.js";
import { randomScenario, type Scenario } from "./specs.js";

// Many tasks of a super-step listen to one signal.
const { defaultMaxListeners } = EventEmitter;
beforeAll(() => {
  EventEmitter.defaultMaxListeners = 200;
});
afterAll(() => {
  EventEmitter.defaultMaxListeners = defaultMaxListeners;
});

/** How many different failures are shown. */
const SHOWN = Number(process.env["WIRE_SHOWN"] ?? 5);

type Counts = (wrong: Wrong, scenario: Scenario) => boolean;

interface Options {
  /** The project's own server, which numbers its parts. */
  readonly isOwn?: boolean;
  /** The failures that count. */
  readonly counts?: Counts;
}

async function explored(
  subject: string,
  modes: readonly string[],
  all: number,
  { isOwn = false, counts = () => true }: Options = {},
) {
  const { seed, numRuns } = seeded(subject, all);
  const tally = new Tally();
  const shown: string[] = [];
  const kinds = new Set<string>();
  const failure = async (scenario: Scenario): Promise<[Wrong | undefined, Awaited<ReturnType<typeof play>>]> => {
    const played = await play(scenario, modes, isOwn);
    played.wrong = played.wrong.filter((wrong) => counts(wrong, scenario));
    return [played.wrong[0], played];
  };
  for (let next = seed; tally.turns < numRuns; next++) {
    const scenario = randomScenario(next, { numbered: isOwn });
    const [wrong, played] = await failure(scenario).catch((cause: unknown) => {
      throw new Error(`seed ${next} cannot be played`, { cause });
    });
    tally.add(played);
    if (!wrong) continue;
    const kindOf = ({ field, when, end }: Wrong) => `${field} ${when} ${end}`;
    const kind = kindOf(wrong);
    if (kinds.has(kind) || shown.length >= SHOWN) continue;
    kinds.add(kind);
    const smallest = await shrunk(scenario, async (smaller) => {
      const [still] = await failure(smaller);
      return still !== undefined && kindOf(still) === kind;
    });
    const [last] = await failure(smallest);
    shown.push(reportOf(smallest, last ?? wrong));
  }
  console.log(`${subject}: ${tally}`);
  return { tally, shown };
}

test("a thread without values is right or in doubt", async () => {
  const { shown, tally } = await explored("quiet wire", QUIET, 1600);
  expect(shown.join("\n\n")).toBe("");
  expect(tally.wrong).toBe(0);
});

test("a thread of our own server is right or in doubt", async () => {
  const { shown, tally } = await explored("numbered wire", QUIET, 1600, { isOwn: true });
  expect(shown.join("\n\n")).toBe("");
  expect(tally.wrong).toBe(0);
});

test("a thread with values is right, so the harness is", async () => {
  // Values do not show that an ephemeral field was cleared, and are partial where a run did not end well.
  const counts: Counts = ({ field, end, turn }, { turns }) => {
    const fault = turns[turn]?.fault.kind ?? "none";
    return field !== "mood" && end === "finished" && fault !== "left" && fault !== "joined-less";
  };
  const { shown, tally } = await explored("loud wire", LOUD, 600, { counts });
  expect(shown.join("\n\n")).toBe("");
  expect(tally.wrong).toBe(0);
});
