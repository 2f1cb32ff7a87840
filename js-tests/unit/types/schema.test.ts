import {
  combineSchemas,
  defineSchema,
  field,
  overwrite,
  type FileData,
  type InferState,
  type InferUpdate,
  type LangChainMessage,
  type Overwrite,
  type Todo,
  type Tool,
} from "threadfold";
import { describe, expectTypeOf, test } from "vitest";
import type { MessageRemoval } from "../../../pkg-template/src/state/message-types.js";

const schema = defineSchema({
  messages: field.messages(),
  todos: field.todos({ input: false }),
  files: field.files(),
  tools: field.tools(),
  topic: field.replace<string>(),
  anything: field.replace(),
  log: field.append<number>(),
  prefs: field.merge<{ dark: boolean; size: number }>(),
  jump: field.ephemeral<"end">(),
  socket: field.untracked<WeakKey>({ guard: false }),
  budget: field.reducer((left: number, spent: number[]) => left - spent.length, { default: () => 100 }),
});

type State = InferState<typeof schema>;
type Update = InferUpdate<typeof schema>;

describe("the state type of a schema", () => {
  test("has the fields that always have a value, and may have the rest", () => {
    expectTypeOf<State["messages"]>().toEqualTypeOf<LangChainMessage[]>();
    expectTypeOf<State["todos"]>().toEqualTypeOf<Todo[]>();
    expectTypeOf<State["files"]>().toEqualTypeOf<Record<string, FileData>>();
    expectTypeOf<State["tools"]>().toEqualTypeOf<Tool[]>();
    expectTypeOf<State["log"]>().toEqualTypeOf<number[]>();
    expectTypeOf<State["prefs"]>().toEqualTypeOf<{ dark: boolean; size: number }>();
    expectTypeOf<Required<State>["topic"]>().toEqualTypeOf<string>();
    expectTypeOf<Required<State>["anything"]>().toEqualTypeOf<unknown>();
    expectTypeOf<Required<State>["jump"]>().toEqualTypeOf<"end">();
    expectTypeOf<State["budget"]>().toEqualTypeOf<number>();
    const plain = defineSchema({ last: field.reducer((_: number, now: number) => now) });
    // Without a default there is nothing to begin with.
    expectTypeOf<InferState<typeof plain>["last"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<{
      messages: [];
      todos: [];
      files: {};
      tools: [];
      log: [];
      prefs: { dark: true; size: 1 };
      budget: 1;
    }>().toExtend<State>();
    expectTypeOf<{ messages: [] }>().not.toExtend<State>();
  });

  test("is a schema's initial state", () => {
    expectTypeOf(schema.initial()).toEqualTypeOf<State>();
  });
});

describe("the update type of a schema", () => {
  test("is partial, and each field has its own", () => {
    expectTypeOf<{}>().toExtend<Update>();
    expectTypeOf<{ messages: "hi" }>().toExtend<Update>();
    expectTypeOf<{ messages: [["user", "hi"], { type: "remove"; id: "1" }] }>().toExtend<Update>();
    expectTypeOf<{ messages: 5 }>().not.toExtend<Update>();
    expectTypeOf<{ todos: [{ content: "x"; status: "pending" }] }>().toExtend<Update>();
    expectTypeOf<{ todos: [{ content: "x"; status: "later" }] }>().not.toExtend<Update>();
    expectTypeOf<{ files: { "/a": null; "/b": { content: "b" } } }>().toExtend<Update>();
    expectTypeOf<{ log: [1] }>().toExtend<Update>();
    expectTypeOf<{ log: 1 }>().not.toExtend<Update>();
    expectTypeOf<{ prefs: { dark: true } }>().toExtend<Update>();
    expectTypeOf<{ prefs: { dark: "yes" } }>().not.toExtend<Update>();
    expectTypeOf<{ budget: [1] }>().toExtend<Update>();
    expectTypeOf<{ budget: 1 }>().not.toExtend<Update>();
    expectTypeOf<{ topic: undefined }>().toExtend<Update>();
    expectTypeOf<{ topic: 1 }>().not.toExtend<Update>();
  });

  test("takes an overwrite where there is a reducer", () => {
    expectTypeOf<{ log: Overwrite<number[]> }>().toExtend<Update>();
    expectTypeOf<{ log: Overwrite<string[]> }>().not.toExtend<Update>();
    expectTypeOf<{ todos: Overwrite<Todo[]> }>().not.toExtend<Update>();
    expectTypeOf(overwrite([1])).toEqualTypeOf<Overwrite<number[]>>();
  });
});

describe("the methods of a schema", () => {
  test("merge makes written fields certain", () => {
    const merged = schema.merge({}, { topic: "x", messages: "hi" });
    expectTypeOf(merged.topic).toEqualTypeOf<string>();
    expectTypeOf(merged.messages).toEqualTypeOf<LangChainMessage[]>();
    const kept = schema.merge({ log: [1] }, { topic: "x" });
    expectTypeOf(kept.log).toEqualTypeOf<number[]>();
    // @ts-expect-error a field of another type
    schema.merge({}, { topic: 1 });
    // @ts-expect-error a state of another type
    schema.merge({ log: "none" }, {});
  });

  test("step takes several updates", () => {
    const stepped = schema.step(schema.initial(), [{ log: [1] }, { log: [2], topic: "x" }]);
    expectTypeOf(stepped.log).toEqualTypeOf<number[]>();
    expectTypeOf(stepped.topic).toEqualTypeOf<string | undefined>();
  });

  test("input and output report the dropped fields", () => {
    const { values, dropped } = schema.input({ messages: "hi", unknown: 1 });
    expectTypeOf(values.messages).toEqualTypeOf<string | undefined>();
    expectTypeOf(dropped).toEqualTypeOf<string[]>();
  });
});

test("a field's messages may be of another type", () => {
  interface Mine {
    id: string;
    role: "user";
    text: string;
  }
  const own = defineSchema({ messages: field.messages<Mine>() });
  expectTypeOf<InferState<typeof own>["messages"]>().toEqualTypeOf<Mine[]>();
  expectTypeOf<{ messages: Mine }>().toExtend<InferUpdate<typeof own>>();
  expectTypeOf<{ messages: (Mine | MessageRemoval)[] }>().toExtend<InferUpdate<typeof own>>();
  // A string becomes a LangChain dict, and the state's own messages differ from those.
  expectTypeOf<{ messages: string }>().not.toExtend<InferUpdate<typeof own>>();
});

test("a combined schema has the fields of all", () => {
  const combined = combineSchemas(
    defineSchema({ todos: field.todos() }),
    defineSchema({ log: field.append<string>() }),
  );
  expectTypeOf<InferState<typeof combined>>().toExtend<{ todos: Todo[]; log: string[] }>();
});
