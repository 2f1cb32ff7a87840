import {
  addMessages,
  applyPatch,
  combineSchemas,
  defineSchema,
  field,
  mergeFiles,
  mergeTools,
  MessageList,
} from "threadfold";
import { langGraphDefaultMergeState } from "threadfold/ag-ui";
import { describe, expect, test } from "vitest";

class Point {
  #secret = 42;
  constructor(readonly x: number) {}
  get secret(): number {
    return this.#secret;
  }
}

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

const shapes: Record<string, unknown> = {
  "an instance of a class": new Point(1),
  "a Date": new Date(0),
  "a Map": new Map([[1, { a: 1 }]]),
  "a Set": new Set([1]),
  bytes: new Uint8Array([1, 2]),
  "a bigint": 12n,
  "a symbol": Symbol("s"),
  "a function": () => 1,
  "an error": new Error("e"),
  "a promise": Promise.resolve(),
  "a regular expression": /x/,
  "a sparse array": Object.assign([], { 1: 1 }),
  "an object without a prototype": Object.assign(Object.create(null), { a: undefined }),
  "an object that holds undefined": { a: undefined },
  "a frozen object": Object.freeze({ a: 1 }),
  "a cyclic object": cyclic,
  NaN: Number.NaN,
  "-0": -0,
  "a lone surrogate": "\ud800",
  "a proxy": new Proxy({}, {}),
};

describe.each(Object.entries(shapes))("%s survives untouched", (_, shape) => {
  const same = (value: unknown) => expect(Object.is(value, shape)).toBe(true);

  test("in a message, and in the messages of a list", () => {
    const message = { type: "human" as const, content: "a", id: "1", additional_kwargs: { shape } };
    const [held] = addMessages([], [message]);
    expect(held).toBe(message);
    const [identified] = addMessages([], [{ ...message, id: undefined }]);
    same(identified?.additional_kwargs?.["shape"]);
    using list = new MessageList([message]);
    list.append("1", "b");
    same(list.snapshot()[0]?.additional_kwargs?.["shape"]);
  });

  test("in every kind of field", () => {
    const schema = defineSchema({
      replace: field.replace(),
      append: field.append(),
      merge: field.merge(),
      ephemeral: field.ephemeral(),
      untracked: field.untracked(),
      reducer: field.reducer((_: unknown, update: unknown) => update, { default: () => null }),
      files: field.files<{ content: unknown }>(),
      tools: field.tools<{ name: string; shape: unknown }>(),
    });
    const update = {
      replace: shape,
      append: [shape],
      merge: { shape },
      ephemeral: shape,
      untracked: shape,
      reducer: shape,
      files: { "/a": { content: shape } },
      tools: [{ name: "a", shape }],
    };
    const merged = schema.merge({ other: shape, append: [shape], merge: { kept: shape } } as never, update as never);
    const stepped = schema.step({ other: shape, append: [shape], merge: { kept: shape } } as never, [update as never]);
    for (const state of [merged, stepped] as unknown as (typeof update & {
      other: unknown;
      merge: { kept: unknown };
    })[]) {
      same(state.replace);
      for (const item of state.append) same(item);
      expect(state.append).toHaveLength(2);
      same(state.merge.shape);
      same(state.merge.kept);
      same(state.ephemeral);
      same(state.untracked);
      same(state.reducer);
      same(state.files["/a"].content);
      same(state.tools[0]?.shape);
      same(state.other);
    }
    same(schema.input({ replace: shape }).values.replace);
    same((schema.output({ replace: shape, unknown: 1 }).values as { replace: unknown }).replace);
    same(combineSchemas(schema, schema).merge({}, { replace: shape }).replace);
  });

  test("in tools, files and merged state", () => {
    same(mergeTools([{ name: "a", shape }], [{ name: "b", shape }])[1]?.shape);
    same(mergeFiles<{ shape: unknown }>({}, { "/a": { shape } })["/a"]?.shape);
    const merged = langGraphDefaultMergeState({ other: shape }, [], { tools: [{ name: "t", shape }], context: [] });
    same(merged.other);
    same((merged.tools[0] as unknown as { shape: unknown }).shape);
  });

  test("in a patched document, and as a patch's value", () => {
    const patched = applyPatch<object, { kept: unknown; added: unknown; list: unknown[]; moved: unknown }>(
      { kept: shape, list: [shape], away: shape },
      [
        { op: "add", path: "/added", value: shape === undefined ? null : shape },
        { op: "add", path: "/list/-", value: 1 },
        { op: "move", from: "/away", path: "/moved" },
      ],
    );
    same(patched.kept);
    same(patched.added);
    same(patched.list[0]);
    same(patched.moved);
  });
});

test("undefined in an update is a write, and in a value it stays", () => {
  const schema = defineSchema({ a: field.replace(), m: field.merge() });
  const state = { a: 1, m: { x: 1 } };
  const written = schema.merge(state, { a: undefined });
  expect(Object.entries(written)).toEqual([
    ["a", undefined],
    ["m", state.m],
  ]);
  expect(schema.merge(written, { a: undefined })).toBe(written);
  const { a } = schema.merge({}, { a: { x: undefined } }) as { a: object };
  expect("x" in a).toBe(true);
});

test("data from another realm is data as our own", async () => {
  const { runInNewContext } = await import("node:vm");
  const foreign = runInNewContext(`({ todo: { content: "x", status: "pending" }, list: [{ n: 1 }] })`) as {
    todo: { content: string; status: "pending" };
    list: { n: number }[];
  };
  const todos = [{ content: "x", status: "pending" as const }];
  const { replaceTodos } = await import("threadfold");
  expect(replaceTodos(todos, [foreign.todo])).toBe(todos);
  const document = { list: [{ n: 1 }] };
  expect(applyPatch(document, [{ op: "test", path: "/list", value: foreign.list }])).toBe(document);
  expect(applyPatch(foreign, [{ op: "replace", path: "/list/0/n", value: 2 }]).list[0]?.n).toBe(2);
});

test("a value that cannot be copied is refused where a change would copy it", () => {
  for (const value of [new Map(), new Set(), new Date(0), new Uint8Array(2)]) {
    expect(() => applyPatch({ value }, [{ op: "add", path: "/value/x", value: 1 }])).toThrow(
      expect.objectContaining({ name: "ThreadfoldError" }) as Error,
    );
  }
});
