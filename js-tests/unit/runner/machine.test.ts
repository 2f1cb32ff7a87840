// Every short word of calls, of what a server may do, and of time: no word ends stuck, loses a message or sends one twice.
import { expect, test } from "vitest";
import { isThorough } from "../../support/seed.js";
import { walk, type Start, type Walked } from "./machine-model.js";

const BOTH = [true, false];
const RULES = BOTH.flatMap((canLoad) =>
  BOTH.flatMap((resendsAnswers) =>
    BOTH.flatMap((refuses) => BOTH.map((waits) => ({ canLoad, resendsAnswers, refuses, waits, patience: 1 }))),
  ),
);
const STARTS: readonly Start[] = ["new", "cut", "failed", "asks", "queued"];
/** Events in a word, by how many rules are not as on most servers: with the usual rules, a new thread's are the longest. */
const [LONGEST, LONG, SHORT] = isThorough() ? [5, 4, 3] : [3, 2, 2];

test.each(RULES)(
  "every word: canLoad $canLoad, resendsAnswers $resendsAnswers, refuses $refuses, waits $waits",
  (rules) => {
    const walked: Walked = { words: 0, states: new Set(), pairs: new Set() };
    const unusual = [!rules.canLoad, !rules.resendsAnswers, rules.refuses, !rules.waits].filter(Boolean).length;
    const length = unusual > 1 ? SHORT : LONG;
    const longest = unusual === 0 ? LONGEST : length;
    for (const start of STARTS) walk(start, rules, start === "new" ? longest : length, walked);
    console.log(
      `the runner's machine, ${JSON.stringify(rules)}: ${walked.words} words of up to ${longest} events, ${walked.states.size} states with their standing, ${walked.pairs.size} pairs of these and an event: 0 stuck, 0 lost, 0 sent twice`,
    );
    const offline = rules.waits ? (rules.canLoad ? 4 : 1) : 0;
    expect(walked.states.size).toBe((rules.canLoad ? 17 : 12) + offline);
  },
  900_000,
);
