// The digest of a value: the same for equal JSON, and for nothing else.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { digest } from "../../../pkg-template/src/shared/digest.js";
import { stateDigest } from "../../../pkg-template/src/serve/langgraph/state-digest.js";
import { seeded } from "../../support/seed.js";

/** JSON with its keys in order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  ) ?? "null";

/** The same value, its keys in the other order, and some that JSON leaves out. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, turned(one)] as const);
  return Object.fromEntries([...entries.toReversed(), ["  none", undefined], ["  call", () => 1]]);
}

const value = fc.anything({ maxDepth: 4, withNullPrototype: true, withDate: true });

test("equal JSON has equal digests, in any order of its keys; other JSON has others", () => {
  const of = new Map<string, string>();
  fc.assert(
    fc.property(value, (given) => {
      const text = canonical(given);
      const made = digest(given);
      expect(made).toMatch(/^[0-9a-f]{14}$/);
      expect(digest(JSON.parse(text))).toBe(made);
      expect(digest(turned(JSON.parse(text)))).toBe(made);
      expect(of.get(made) ?? text).toBe(text);
      of.set(made, text);
    }),
    seeded("digests", 20_000),
  );
});

test("values that look alike differ", () => {
  const alike = [
    "",
    [],
    {},
    null,
    0,
    false,
    "0",
    [0],
    ["0"],
    [[]],
    [{}],
    { a: {} },
    { a: [] },
    { a: null },
    [null],
    1,
    0.5,
  ];
  const more = [
    [1, 2],
    [12],
    ["1", "2"],
    ["12"],
    [[1], 2],
    [[1, 2]],
    { a: 1, b: 2 },
    { a: 12 },
    { ab: 12 },
    { a: { b: 2 } },
  ];
  const all = [...alike, ...more];
  expect(new Set(all.map((one) => digest(one))).size).toBe(all.length);
});

test("a list with one item more costs that item", () => {
  let reads = 0;
  const item = (at: number) =>
    Object.defineProperty({ id: String(at) }, "content", { enumerable: true, get: () => (reads++, `text ${at}`) });
  const list = Array.from({ length: 1_000 }, (_, at) => item(at));
  const before = digest(list);
  expect(reads).toBeGreaterThan(999);
  reads = 0;
  expect(digest([...list])).toBe(before);
  expect(reads).toBe(0);
  digest([...list, item(1_000)]);
  expect(reads).toBeLessThan(4);
});

test("nested too deep is an error with a code", () => {
  let deep: unknown = 1;
  for (let at = 0; at < 100_000; at++) deep = { deep };
  expect(() => digest(deep)).toThrow(expect.objectContaining({ code: "UNREADABLE_VALUE" }) as never);
});

test("a field that a request names often is read once", () => {
  let reads = 0;
  const doc = {
    get text() {
      reads++;
      return "x";
    },
  };
  const asked = (fields: unknown) => stateDigest({ values: { doc, other: 1 } }, fields) as { digests: object };
  expect(asked(Array(1_000).fill("doc")).digests).toEqual({ doc: digest({ text: "x" }) });
  expect(reads).toBe(1);
  expect(Object.keys(asked(["none", "other"]).digests)).toEqual(["other"]);
});
