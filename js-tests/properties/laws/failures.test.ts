import * as fc from "fast-check";
import {
  applyPatch,
  defineSchema,
  field,
  type LangChainMessage,
  MessageList,
  type PatchOperation,
  removeMessage,
} from "threadfold";
import { expect, test } from "vitest";
import { codeOf, outcome } from "../../support/errors.js";
import { make, rightSpecs, wholeMessage } from "../../support/message-specs.js";
import { seeded } from "../../support/seed.js";

const unknownRemoval = removeMessage("not there");

test("an update of a MessageList that fails at its end changes nothing", () => {
  const law = fc.property(fc.array(wholeMessage, { maxLength: 5 }), rightSpecs, (initial, update) => {
    using list = new MessageList<LangChainMessage>(initial.map(make) as never[]);
    const before = list.snapshot();
    const copy = structuredClone(before.map((message) => JSON.stringify(message)));
    const failing = [...update.map(make), unknownRemoval, { no: "message" }];
    expect(codeOf(() => list.update(failing as never[]))).toBe("INVALID_MESSAGE");
    expect(codeOf(() => list.update([unknownRemoval]))).toBe("UNKNOWN_MESSAGE");
    expect(codeOf(() => list.append("not there", "x"))).toBe("UNKNOWN_MESSAGE");
    expect(list.snapshot()).toBe(before);
    expect(before.map((message) => JSON.stringify(message))).toEqual(copy);
    // And it takes the next one.
    list.update({ type: "human", id: "next", content: "" });
    expect(list.snapshot().at(-1)?.id).toBe("next");
  });
  fc.assert(law, seeded("failing updates of MessageList", 1_000));
});

test("a message whose content takes no text refuses it and stays as it is", () => {
  using list = new MessageList([
    { type: "human", id: "1", content: 5 } as never,
    { type: "human", id: "2", content: "a" },
  ]);
  const before = list.snapshot();
  expect(codeOf(() => list.append("1", "x"))).toBe("INVALID_ARGUMENT");
  expect(codeOf(() => list.append("2", 5 as never))).toBe("INVALID_ARGUMENT");
  expect(list.snapshot()).toBe(before);
  list.append("2", "b");
  expect(list.snapshot()[1]?.content).toBe("ab");
});

test("a merge or step with one failing field leaves the state as it was", () => {
  const schema = defineSchema({
    log: field.append(),
    messages: field.messages(),
    todos: field.todos(),
    mood: field.replace(),
  });
  const state = Object.freeze({ log: Object.freeze([1]), messages: Object.freeze([]), mood: "calm" }) as never;
  const bad = [
    { log: [2], mood: "x", messages: [unknownRemoval] },
    { log: [2], mood: "x", todos: [{ content: "x", status: "later" }] },
    { log: "no list", mood: "x" },
  ];
  for (const update of bad) {
    expect(codeOf(() => schema.merge(state, update as never))).toBeDefined();
    expect(codeOf(() => schema.step(state, [{ mood: "y" }, update] as never))).toBeDefined();
  }
  expect(state).toEqual({ log: [1], messages: [], mood: "calm" });
  expect(schema.merge(state, { log: [2] })).toEqual({ log: [1, 2], messages: [], mood: "calm" });
});

test("a patch whose last operation fails leaves the document as it was", () => {
  const operation = fc.constantFrom<PatchOperation[]>(
    { op: "add", path: "/a/0", value: 1 },
    { op: "remove", path: "/b" },
    { op: "replace", path: "/a", value: {} },
    { op: "move", from: "/b", path: "/c" },
    { op: "copy", from: "/a", path: "/d" },
    { op: "add", path: "", value: [] },
  );
  const law = fc.property(fc.array(operation, { maxLength: 4 }), (operations) => {
    const document = { a: [{ n: 1 }], b: { n: 2 } };
    const copy = structuredClone(document);
    const failing: PatchOperation[] = [...operations, { op: "test", path: "/nowhere", value: 1 }];
    expect(outcome(() => applyPatch(document, failing))).toHaveProperty("error.code");
    expect(document).toEqual(copy);
  });
  fc.assert(law, seeded("failing patches", 500));
});
