// Handles that nobody frees are freed when their owners are collected.
import { collect, core, frees } from "../../support/wasm.js";
import { addMessages, combineSchemas, defineSchema, field, MessageList } from "threadfold";
import { describe, expect, test } from "vitest";
import { isThorough } from "../../support/seed.js";

const BATCH = 500;
const BATCHES = isThorough() ? 10 : 4;

const messages = addMessages(
  [],
  Array.from({ length: 50 }, (_, at) => ({ type: "human" as const, id: `${at}`, content: "" })),
);

function makeList(): unknown {
  const list = new MessageList(messages);
  list.append("1", "text");
  return list.snapshot();
}

function makeSchema(): unknown {
  const last = (_: unknown, update: unknown) => update;
  const schema = defineSchema({
    messages: field.messages(),
    log: field.append(),
    own: field.reducer(last, { default: () => 0 }),
  });
  return schema.merge({}, { own: 1, messages: "hi" } as never);
}

function combineTwo(): unknown {
  const schema = combineSchemas(defineSchema({ a: field.append() }), defineSchema({ b: field.replace() }));
  return schema.merge({}, { b: 1 });
}

/** For each class: a function that makes some, the name of their handles, and their number. */
const subjects = {
  "a MessageList": [makeList, "rawmessagelist", 1],
  "a Schema": [makeSchema, "rawschema", 1],
  "a combined Schema with its parts": [combineTwo, "rawschema", 3],
} as const;
const allFrees = () => frees("rawmessagelist") + frees("rawschema");

describe.each(Object.entries(subjects))("%s", (_, [make, handle, handles]) => {
  test("is freed without dispose(), each of thousands", async () => {
    await collect();
    const before = frees(handle);
    const sizes: number[] = [];
    for (let batch = 1; batch <= BATCHES; batch++) {
      for (let made = 0; made < BATCH; made++) make();
      // The engine chooses when: it is asked until it has.
      for (let tries = 0; frees(handle) - before < batch * BATCH * handles && tries < 20; tries++) await collect();
      expect(frees(handle) - before).toBe(batch * BATCH * handles);
      sizes.push(core().memory.buffer.byteLength);
    }
    // All batches take as much as the first.
    expect(new Set(sizes.slice(1)), String(sizes)).toEqual(new Set([sizes[0]]));
  });
});

test("nothing is freed while it lives", async () => {
  await collect();
  const before = allFrees();
  const list = new MessageList(messages);
  const schema = defineSchema({ log: field.append<number>() });
  await collect();
  expect(allFrees()).toBe(before);
  list.append("1", "x");
  expect(schema.merge({ log: [1] }, { log: [2] }).log).toEqual([1, 2]);
  expect(list.snapshot()[1]?.content).toBe("x");
  list.dispose();
  schema.dispose();
});

test("memory that dispose() or `using` freed is not freed again", async () => {
  await collect();
  const before = allFrees();
  (() => {
    using list = new MessageList(messages);
    using schema = defineSchema({ log: field.append() });
    expect(list.length + Object.keys(schema.fields).length).toBe(51);
    const again = new MessageList();
    again.dispose();
    again.dispose();
  })();
  expect(allFrees()).toBe(before + 3);
  await collect();
  expect(allFrees()).toBe(before + 3);
});
