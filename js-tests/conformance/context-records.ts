// The recorded answers about contexts: python/subjects/context says what is in them.
import { readFileSync } from "node:fs";
import { expect } from "vitest";

export type Message = { [field: string]: unknown } & { type: string; content: unknown };

const read = (subject: string) =>
  JSON.parse(readFileSync(new URL(`records/context/${subject}.json`, import.meta.url), "utf8")) as unknown;

const pool = read("conversations") as { out?: Message[] }[] | Message[][];

/** The messages of a case: in place, or an index of the pool. */
export function messagesOf(given: number | Message[]): Message[] {
  if (typeof given !== "number") return given;
  const own = pool[given] as Message[] | { out: Message[] };
  return structuredClone(Array.isArray(own) ? own : own.out);
}

/** A told answer: an index, `[from, to]` for all from one up to the other, or a message with other fields. */
export type Told = number | [from: number, to: number] | ({ at: number } & Record<string, unknown>);

/** Expects these messages to be what is told of those given: the same objects where they are untouched. */
export function expectTold(came: readonly Message[], told: readonly Told[], given: readonly Message[]): void {
  const wanted = told.flatMap((one) =>
    Array.isArray(one) ? Array.from({ length: one[1] - one[0] }, (_, at) => one[0] + at) : [one],
  );
  const now = came.map((message) => given.indexOf(message));
  expect(now.map((at, index) => (at < 0 ? indexOf(wanted[index]) : at))).toEqual(wanted.map(indexOf));
  for (const [index, one] of wanted.entries()) {
    if (typeof one === "number") {
      expect(came[index]).toBe(given[one]);
      continue;
    }
    const { at, ...fields } = one as { at: number } & Record<string, unknown>;
    expect(came[index]).not.toBe(given[at]);
    expect(normal(came[index]!)).toEqual(normal({ ...given[at]!, ...fields }));
  }
}

const indexOf = (told: number | object | undefined) => (typeof told === "object" ? (told as { at: number }).at : told);

/** Python's classes have each field, and each call its type. */
function normal(message: Message): object {
  const { artifact, tool_calls: calls, ...rest } = message;
  const typed = (calls as object[] | undefined)?.map((call) => ({ ...call, type: "tool_call" }));
  return { ...rest, ...(artifact != null && { artifact }), ...(typed && { tool_calls: typed }) };
}
