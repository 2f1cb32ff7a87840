// Messages that lack an id, or have a role and no type, are made whole in one pass. One without a prototype is not: the
// core reads it. Both give one answer.
import * as fc from "fast-check";
import { addMessages } from "threadfold";
import { expect, test } from "vitest";
import { DEVELOPER, KINDS } from "../../../pkg-template/generated/kinds.js";
import { outcome } from "../../support/errors.js";
import { seeded } from "../../support/seed.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NAMES = [
  ...KINDS.flatMap(([type, , role]) => [String(type), String(role)]),
  String(DEVELOPER[0]),
  "remove",
  "alien",
];
const CALL = { name: "find", args: {}, id: "t1", type: "tool_call" };
const OPENAI = { id: "t1", type: "function", function: { name: "find", arguments: "{}" } };

const name = fc.constantFrom<unknown>(...NAMES, null, 1);
const message = fc.record(
  {
    content: fc.constantFrom<unknown>("a", [], null),
    role: name,
    type: name,
    id: fc.constantFrom<unknown>(null, undefined, 1),
    name: fc.constantFrom<unknown>("n", null, undefined),
    tool_call_id: fc.constantFrom<unknown>("t1", null, 1),
    tool_calls: fc.constantFrom<unknown>([], [CALL], [OPENAI], null, { length: 1 }),
    lc: fc.constantFrom<unknown>(1, null, undefined),
    getType: fc.constantFrom<unknown>(() => "ai", "ai", undefined),
    ["__proto__"]: fc.constantFrom<unknown>("data"),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Entries of each message in their order, without those that are undefined. New ids are only known to be ids. */
const added = (messages: readonly object[]) =>
  outcome(() =>
    addMessages([], messages as never).map((one: object) =>
      Object.entries(one).flatMap(([key, value]) => {
        if (value === undefined) return [];
        return [[key, key === "id" && UUID.test(String(value)) ? "an id" : value]];
      }),
    ),
  );

const withoutPrototype = (one: object) => Object.assign(Object.create(null) as object, one);

test("a message made whole in one pass is the one that the core makes", () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
      expect(added(messages)).toEqual(added(messages.map(withoutPrototype)));
    }),
    seeded("completed messages", 4000),
  );
});

test("each message without an id gets one of its own, and none is changed", () => {
  const one = Object.freeze({ role: "user", content: "a" });
  const [first, second] = addMessages([], [one, one]);
  expect(first).toEqual({ type: "human", content: "a", id: expect.stringMatching(UUID) as string });
  expect(Object.keys(first as object)).toEqual(["type", "content", "id"]);
  expect(first?.id).not.toBe(second?.id);
  expect(one).toEqual({ role: "user", content: "a" });
});
