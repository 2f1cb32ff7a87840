// A message that was shown before the server knew of it, and what comes back, are one object.
import { Thread } from "threadfold";
import { expect, test } from "vitest";

const question = () => ({ type: "human", id: "q", content: "Hi" });

test.each([
  ["the whole state", { type: "values", values: { messages: [question(), { type: "ai", id: "a", content: "Hello" }] } }],
  ["a snapshot of the messages", { type: "messages", messages: [question(), { type: "ai", id: "a", content: "Hello" }] }],
  ["an echo", { type: "message", message: question() }],
] as const)("a pending message that %s confirms stays the object that it was", (_, event) => {
  const thread = new Thread();
  thread.optimistic({ messages: [question()] });
  const [shown] = thread.getState().messages;
  thread.receive(event);
  expect(thread.pending).toEqual([]);
  expect(thread.getState().messages[0]).toBe(shown);
});

test("one that comes back otherwise is the server's", () => {
  const thread = new Thread();
  thread.optimistic({ messages: [question()] });
  const [shown] = thread.getState().messages;
  thread.receive({ type: "values", values: { messages: [{ ...question(), name: "Ada" }] } });
  expect(thread.getState().messages[0]).not.toBe(shown);
  expect(thread.getState().messages).toEqual([{ ...question(), name: "Ada" }]);
});
