import { defineSchema, field, overwrite, Thread, type LangChainMessage, type Todo } from "threadfold";
import { expect, expectTypeOf, test } from "vitest";
import { ai, hear, human, message, started, told, values } from "./say.js";

const fields = () => ({
  messages: field.messages(),
  todos: field.todos({ input: false }),
  log: field.append<string>(),
  topic: field.replace<string>(),
  secret: field.replace<string>({ private: true }),
  notes: field.append<string>({ output: false }),
});

const threadOf = () => new Thread({ schema: defineSchema(fields()) });

test("private fields and those that are not output are never shown, and are kept", () => {
  using thread = threadOf();
  thread.update({ secret: "s", notes: ["n"], topic: "x" });
  hear(thread, { type: "update", update: { notes: ["m"], secret: "t" } });
  expect(Object.keys(thread.getState()).toSorted()).toEqual(["log", "messages", "todos", "topic"]);
  thread.optimistic({ notes: ["mine"] });
  expect(thread.getState()).not.toHaveProperty("notes");
  hear(thread, values({ messages: [], topic: "y", stranger: 1 }));
  expect(thread.getState()).toEqual({ messages: [], topic: "y" });
  expect(thread.getConfirmedState()).toMatchObject({ secret: "t", notes: ["n", "m"] });
});

test("a change of hidden fields does not change the state", () => {
  using thread = threadOf();
  const before = thread.getState();
  let calls = 0;
  thread.subscribe(() => calls++);
  thread.update({ secret: "s" });
  hear(thread, { type: "update", update: { notes: ["m"] } });
  expect([thread.getState() === before, calls]).toEqual([true, 0]);
});

test("fields that are not input, or not in the schema, are refused with their name", () => {
  using thread = threadOf();
  const before = thread.getState();
  for (const update of [{ todos: [] }, { secret: "s" }, { messages: [human("1", "a")], stranger: 1 }]) {
    expect(() => thread.optimistic(update as never)).toThrow(expect.objectContaining({ code: "NOT_INPUT" }));
  }
  expect(() => thread.optimistic({ stranger: 1 } as never)).toThrow(/'stranger'/);
  expect(thread.getState()).toBe(before);
});

test("updates are folded by the fields' reducers, pending ones over the others", () => {
  using thread = threadOf();
  hear(thread, { type: "update", update: { log: ["a"] } });
  const op = thread.optimistic({ log: ["mine"] });
  hear(thread, { type: "update", update: { log: ["b"] } });
  expect(thread.getState().log).toEqual(["a", "b", "mine"]);
  expect(op.status).toBe("pending");
  hear(thread, { type: "update", update: { log: overwrite(["b"]) } });
  expect(thread.getState().log).toEqual(["b", "mine"]);
  hear(thread, started("r"), values({ messages: [], log: ["b", "mine"] }));
  expect([thread.getState().log, op.status]).toEqual([["b", "mine"], "done"]);
});

/** A sum that counts its calls, and refuses to exceed ten. */
function sumThread() {
  let calls = 0;
  const sum = (held: number, write: number) => {
    calls++;
    if (held + write > 10) throw new Error("more than ten");
    return held + write;
  };
  const thread = new Thread({
    schema: defineSchema({
      messages: field.messages(),
      topic: field.replace(),
      spent: field.reducer(sum, { default: () => 0 }),
    }),
  });
  return { thread, calls: () => calls };
}

test("a pending update is not folded again for unrelated changes, nor for reads", () => {
  const { thread, calls } = sumThread();
  // No run carries them, so nothing from the server ends them.
  hear(thread, started("r"));
  thread.optimistic({ spent: 1 });
  thread.optimistic({ spent: 2 });
  const before = calls();
  hear(thread, message(ai("1")), { type: "update", update: { topic: "x" } });
  thread.getState();
  const after = calls();
  for (let at = 0; at < 5; at++) {
    hear(
      thread,
      { type: "text", messageId: "1", text: "a" },
      { type: "update", update: { topic: `${at}` } },
      message(ai(`m${at}`)),
    );
    expect(thread.getState().spent).toBe(3);
  }
  expect(calls()).toBe(after);
  expect(after - before).toBeLessThanOrEqual(4);
  hear(thread, { type: "update", update: { spent: 5 } });
  expect(thread.getState().spent).toBe(8);
  expect(calls()).toBeGreaterThan(after);
  thread.dispose();
});

test("a view is not computed before it is read", () => {
  const { thread, calls } = sumThread();
  thread.optimistic({ messages: { role: "user", content: "a" } });
  const before = calls();
  hear(thread, message(ai("1")), { type: "text", messageId: "1", text: "a" });
  expect(calls()).toBe(before);
  thread.dispose();
});

test("a reducer that throws refuses the update, and says why", () => {
  const { thread } = sumThread();
  thread.update({ spent: 4 });
  const seen = told(thread);
  const before = thread.getState();
  const refused = expect.objectContaining({ code: "REDUCER_FAILED", cause: new Error("more than ten") });
  expect(() => thread.update({ spent: 7, topic: "x" })).toThrow(refused);
  expect(() => thread.optimistic({ spent: 7, messages: "a" })).toThrow(refused);
  hear(thread, { type: "update", update: { topic: "x", spent: 7 } });
  expect([seen.errors, thread.getState() === before, thread.pending]).toEqual([["REDUCER_FAILED"], true, []]);
  thread.dispose();
});

test("a pending write that its reducer no longer takes is not shown, until it takes it again", () => {
  const { thread } = sumThread();
  const op = thread.optimistic({ spent: 4, topic: "mine" });
  hear(thread, { type: "update", update: { spent: 8 } });
  expect(thread.getState()).toMatchObject({ spent: 8, topic: "mine" });
  expect(op.status).toBe("pending");
  expect(() => op.settle()).toThrow(expect.objectContaining({ code: "REDUCER_FAILED" }));
  expect(op.status).toBe("pending");
  hear(thread, values({ messages: [], spent: 1 }));
  expect(thread.getState().spent).toBe(5);
  thread.dispose();
});

test("a local update that a replay makes impossible is skipped, and the replay continues", () => {
  const { thread } = sumThread();
  thread.update({ spent: 9 });
  hear(thread, started("r"), values({ messages: [], spent: 1 }));
  thread.update({ spent: 6 });
  thread.update({ topic: "x" });
  const seen = told(thread);
  hear(thread, started("r"));
  expect([thread.getState(), seen.errors]).toEqual([{ messages: [], spent: 9, topic: "x" }, []]);
  thread.dispose();
});

test("a reducer that calls the thread gets BUSY", () => {
  let thread: { getState(): unknown } | undefined;
  const codes: unknown[] = [];
  const schema = defineSchema({
    spent: field.reducer(
      (held: number, write: number) => {
        try {
          thread?.getState();
        } catch (error) {
          codes.push((error as { code: string }).code);
        }
        return held + write;
      },
      { default: () => 0 },
    ),
  });
  using own = new Thread({ schema });
  thread = own;
  own.update({ spent: 1 });
  expect([codes, own.getState()]).toEqual([["BUSY"], { spent: 1 }]);
});

test("DeepAgents' rules, whose messages need no ids", () => {
  using thread = new Thread({ schema: defineSchema({ messages: field.messages({ rules: "deepagents" }) }) });
  thread.update({
    messages: [
      { type: "human", content: "no id" },
      { type: "remove", id: "nobody" },
    ],
  } as never);
  thread.optimistic({ messages: "mine" });
  expect(thread.getState().messages.map(({ content }) => content)).toEqual(["no id", "mine"]);
});

test("the types of a thread are its schema's", () => {
  using thread = threadOf();
  type State = ReturnType<typeof thread.getState>;
  expectTypeOf<State["messages"]>().toEqualTypeOf<LangChainMessage[]>();
  expectTypeOf<State["todos"]>().toEqualTypeOf<Todo[]>();
  expectTypeOf<State["log"]>().toEqualTypeOf<string[]>();
  expectTypeOf<State["topic"]>().toEqualTypeOf<string | undefined>();
  thread.subscribe((state, previous) => {
    expectTypeOf(state).toEqualTypeOf<State>();
    expectTypeOf(previous).toEqualTypeOf<State>();
  });
  // @ts-expect-error: an update's fields have the schema's types.
  expect(() => thread.update({ log: 5 })).toThrow();
  // @ts-expect-error: nor does it have others.
  thread.update({ stranger: 5 });
  using open = new Thread();
  expectTypeOf(open.getState().todos).toEqualTypeOf<readonly Todo[] | undefined>();
  expectTypeOf(open.pending[0]?.status).toEqualTypeOf<"pending" | "sent" | "failed" | undefined>();
});
