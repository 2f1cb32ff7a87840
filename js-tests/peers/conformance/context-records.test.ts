import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { conversations, expand, expectTold, messagesOf, type Given, type Told } from "./context-records.js";
import type { Recorded } from "./records.js";

interface Out {
  update?: Told[] | null;
  summarized?: Told[] | null;
  request?: Told[];
  messages?: Told[];
}

const subjects = ["count", "trim", "cutoff", "event", "args", "history", "clear", "patch"];

const read = (subject: string) =>
  JSON.parse(readFileSync(new URL(`records/context/${subject}.json`, import.meta.url), "utf8")) as Recorded<
    Given,
    Out | Told[] | string | number | null
  >[];

/** Each list of messages in an answer. */
function lists(out: Out | Told[] | string | number | null | undefined): Told[][] {
  if (Array.isArray(out)) return [out];
  if (typeof out !== "object" || out === null) return [];
  return [out.update, out.summarized, out.request, out.messages].filter((list) => Array.isArray(list));
}

test("there are at least 2,000 answers about contexts, and each refers to messages of its case", () => {
  let count = 0;
  let told = 0;
  for (const record of subjects.flatMap(read)) {
    count++;
    const messages = messagesOf(record.in);
    for (const list of lists(record.out)) {
      told++;
      const expanded = expand(list, messages);
      expect(() => expectTold(expanded, list, messages)).not.toThrow();
    }
  }
  expect(count).toBeGreaterThanOrEqual(2000);
  expect(told).toBeGreaterThan(1000);
});

test("expectTold refuses another message, another field, another order and a copy", () => {
  const messages = messagesOf({ messages: conversations.findIndex((some) => some.length > 4) });
  const told: Told[] = [0, { at: 1, content: "cut" }, [2, 4]];
  const right = () => expand(told, messages);
  expectTold(right(), told, messages);
  const wrong = [
    right().slice(1),
    [...right(), messages[0]],
    right().toReversed(),
    right().with(1, { ...messages[1], content: "other" }),
    right().with(1, { ...messages[1], content: "cut", name: "bob" }),
    right().with(2, { ...messages[2] }),
  ];
  for (const got of wrong) expect(() => expectTold(got, told, messages)).toThrow();
  expect(() => expand([messages.length], messages)).toThrow(RangeError);
  expect(() => expand([[0, messages.length + 1]], messages)).toThrow(RangeError);
});
