import { core } from "../../support/wasm.js";
import { addMessages, applyPatch, defineSchema, field, MessageList, Thread } from "threadfold";
import { expect, test } from "vitest";

/** The core's own stack, as far as it is used: nothing of it is, between two calls. */
const stackPointer = () => (core() as unknown as { __stack_pointer: WebAssembly.Global<"i32"> }).__stack_pointer.value;

/**
 * Makes a call on a full stack, then with a little more left each time, until there is enough. Returns how many calls
 * returned.
 */
function onFullStack(call: () => unknown, times = 1000): number {
  let made = 0;
  let frames = 0;
  let returned = 0;
  const dive = (): void => {
    try {
      dive();
    } catch {
      // The stack is full here.
    }
    if (++frames % Math.floor(10_000 / times) !== 0 || made >= times) return;
    made++;
    try {
      call();
      returned++;
    } catch (error) {
      if (!(error instanceof RangeError) && !((error as Error).cause instanceof RangeError)) throw error;
    }
  };
  const before = stackPointer();
  dive();
  expect(stackPointer()).toBe(before);
  expect(made).toBe(times);
  expect(returned).toBeGreaterThan(0);
  expect(returned).toBeLessThan(times);
  return returned;
}

const nested = (depth: number, leaf: unknown): unknown => {
  let value = leaf;
  for (let at = 0; at < depth; at++) value = { a: value };
  return value;
};

let ids = 0;

test("a list on a full stack takes an update or throws and is as it was", () => {
  using list = new MessageList([{ type: "ai", id: "a", content: "" }]);
  const updates = onFullStack(() => list.update({ type: "ai", id: `u${ids++}`, content: "" }));
  expect(list.snapshot()).toHaveLength(1 + updates);
  const tokens = onFullStack(() => list.append("a", "x"));
  expect(list.snapshot()[0]?.content).toHaveLength(tokens);
});

test("a thread on a full stack takes a change or throws and is as it was", () => {
  using thread = new Thread({ values: { messages: [{ type: "ai", id: "a", content: "" }] } });
  using other = new Thread();
  let updates = 0;
  onFullStack(() => {
    const id = `u${ids++}`;
    const before = thread.getConfirmedState().messages.length;
    try {
      thread.update({
        messages: [{ type: "ai", id, content: "" }],
        todos: [{ content: id, status: "pending" }],
      } as never);
    } finally {
      updates += thread.getConfirmedState().messages.length - before;
    }
  });
  expect(thread.getState().messages).toHaveLength(1 + updates);
  let pending = 0;
  onFullStack(() => {
    thread.optimistic({ messages: [{ type: "human", id: `p${ids++}`, content: "" }] } as never);
    pending++;
  }, 200);
  expect(thread.pending).toHaveLength(pending);
  thread.on("error", () => {});
  onFullStack(() => {
    thread.receive({ type: "text", messageId: "a", text: "x" });
    thread.receive({ type: "state", values: { f: nested(60, ids++) } });
    return thread.getState();
  }, 1000);
  // Both continue as before.
  for (const one of [thread, other]) {
    one.update({ messages: [{ type: "ai", id: "last", content: "" }] } as never);
    one.receive({ type: "text", messageId: "last", text: "x" });
    expect(one.getConfirmedMessage("last")).toHaveProperty("content", "x");
  }
});

test("functions and schemas on a full stack answer or throw", () => {
  const left = [{ type: "ai" as const, id: "a", content: "" }];
  onFullStack(() => addMessages(left, ["hi", { role: "user", content: "x" }]));
  const schema = defineSchema({ log: field.append(), both: field.reducer((a: unknown, b: unknown) => [a, b]) });
  onFullStack(() => schema.merge({ log: [1], both: 1 } as never, { log: [2], both: 2 }));
  expect(schema.merge({ both: 1 } as never, { both: 2 })).toEqual({ both: [1, 2] });
  onFullStack(() => applyPatch(nested(40, 1), [{ op: "replace", path: "/a".repeat(40), value: 2 }]));
  schema.dispose();
});

test("a listener that recurses without end does no harm", () => {
  using thread = new Thread();
  const stop = thread.subscribe(function again() {
    const dive = (): void => {
      thread.update({ messages: [{ type: "human", id: `r${ids++}`, content: "" }] } as never);
      dive();
    };
    try {
      dive();
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
    }
    stop();
  });
  thread.update({ messages: "go" } as never);
  const before = thread.getState().messages.length;
  expect(before).toBeGreaterThan(100);
  thread.update({ messages: "and on" } as never);
  expect(thread.getState().messages).toHaveLength(before + 1);
});

test("a reducer that calls its schema without end does no harm", () => {
  const schema = defineSchema({
    deep: field.reducer((_: unknown, update: unknown): unknown => {
      if (update === 0) return "ground";
      return (schema.merge({ deep: 1 } as never, { deep: update }) as { deep: unknown }).deep;
    }),
  });
  const before = stackPointer();
  for (let at = 0; at < 20; at++) {
    expect(() => schema.merge({ deep: 1 } as never, { deep: 1 })).toThrowError(
      expect.objectContaining({ code: "REDUCER_FAILED" }),
    );
  }
  expect(stackPointer()).toBe(before);
  expect(schema.merge({ deep: 1 } as never, { deep: 0 })).toEqual({ deep: "ground" });
  schema.dispose();
});
