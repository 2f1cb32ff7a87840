// 100,000 fields, 10,000 pending messages and 1,000,000 tokens in one process:
// node --max-old-space-size=512 js-tests/growth/half-a-gigabyte.mjs
import assert from "node:assert/strict";
import { defineSchema, field, MessageList, Thread } from "threadfold";

const step = (name, run) => {
  const start = performance.now();
  run();
  console.log(
    `${name}: ${(performance.now() - start).toFixed(0)} ms, ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`,
  );
};
const fields = (n, value) => Object.fromEntries(Array.from({ length: n }, (_, at) => [`f${at}`, value(at)]));

step("100,000 fields", () => {
  const thread = new Thread({ values: fields(100_000, (at) => at) });
  thread.receive({ type: "values", values: fields(100_000, (at) => at + 1) });
  assert.equal(thread.getState().f99999, 100_000);
  thread.free();
  const schema = defineSchema(fields(100_000, () => field.replace()));
  assert.equal(
    Object.keys(
      schema.merge(
        {},
        fields(100_000, (at) => at),
      ),
    ).length,
    100_000,
  );
  schema.free();
  const small = defineSchema({ topic: field.replace() });
  assert.equal(small.input(fields(100_000, (at) => at)).dropped.length, 100_000);
});

step("10,000 pending messages", () => {
  const thread = new Thread();
  const messages = Array.from({ length: 10_000 }, (_, at) => ({ type: "human", id: `p${at}`, content: String(at) }));
  for (const message of messages) thread.optimistic({ messages: [message] });
  assert.equal(thread.getState().messages.length, 10_000);
  assert.equal(thread.pending.length, 10_000);
  thread.receive({ type: "run-started", runId: "r" });
  thread.receive({ type: "values", values: { messages } });
  thread.receive({ type: "run-finished" });
  assert.equal(thread.pending.length, 0);
  thread.free();
});

step("1,000,000 tokens", () => {
  const list = new MessageList([{ type: "ai", id: "a", content: "" }]);
  const thread = new Thread({ values: { messages: [{ type: "ai", id: "a", content: "" }] } });
  for (let at = 0; at < 500_000; at++) {
    list.append("a", "x");
    thread.receive({ type: "text", messageId: "a", text: "x" });
    if (at % 10 === 0) {
      list.snapshot();
      thread.getState();
    }
  }
  assert.equal(list.snapshot()[0].content.length, 500_000);
  assert.equal(thread.getState().messages[0].content.length, 500_000);
});
