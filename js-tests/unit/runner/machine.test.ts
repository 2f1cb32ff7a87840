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
const LENGTH = isThorough() ? 5 : 4;

test.each(RULES)(
  "every word: canLoad $canLoad, resendsAnswers $resendsAnswers, refuses $refuses, waits $waits",
  (rules) => {
    const walked: Walked = { words: 0, states: new Set(), pairs: new Set() };
    for (const start of STARTS) {
      const isMain = start === "new" && !rules.refuses && rules.canLoad && rules.resendsAnswers && rules.waits;
      walk(start, rules, isMain ? LENGTH : LENGTH - 1, walked);
    }
    console.log(
      `the runner's machine, ${JSON.stringify(rules)}: ${walked.words} words of up to ${LENGTH} events, ${walked.states.size} states with their standing, ${walked.pairs.size} pairs of these and an event: 0 stuck, 0 lost, 0 sent twice`,
    );
    const offline = rules.waits ? (rules.canLoad ? 4 : 1) : 0;
    expect(walked.states.size).toBe((rules.canLoad ? 17 : 12) + offline);
  },
  900_000,
);
