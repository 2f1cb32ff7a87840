// Every short word of calls, server actions, and time: no word ends stuck, loses a message or sends one twice.
import { expect, test } from "vitest";
import { isThorough } from "../../support/seed.js";
import { walk, type Start, type Walked } from "./machine-model.js";

const BOTH = [true, false];
const ALL_RULES = BOTH.flatMap((canLoad) =>
  BOTH.flatMap((answersAgain) => BOTH.map((refuses) => ({ canLoad, answersAgain, refuses, patience: 1 }))),
);
const STARTS: readonly Start[] = ["new", "cut", "failed", "asks", "queued"];

test("every word", () => {
  const walked: Walked = { words: 0, states: new Set(), pairs: new Set() };
  const length = Number(process.env["WORDS"] ?? (isThorough() ? 5 : 4));
  for (const rules of ALL_RULES)
    for (const start of STARTS) {
      const isMain = start === "new" && !rules.refuses && rules.canLoad && rules.answersAgain;
      walk(start, rules, isMain ? length : length - 1, walked);
    }
  console.log(
    `the runner's machine: ${walked.words} words of up to ${length} events, ${walked.states.size} states with their standing, ${walked.pairs.size} pairs of these and an event: 0 stuck, 0 lost, 0 sent twice`,
  );
  expect(walked.states.size).toBe(17);
});
