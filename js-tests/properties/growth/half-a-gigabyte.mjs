// 100,000 fields, 10,000 pending messages and 1,000,000 tokens in one process, or a part of each:
// node --max-old-space-size=512 js-tests/properties/growth/half-a-gigabyte.mjs [a tenth: 0.1]
import assert from "node:assert/strict";
import { defineSchema, field, MessageList, Thread } from "threadfold";

const part = Number(process.argv[2] ?? 1);
const [FIELDS, PENDING, TOKENS] = [100_000, 10_000, 1_000_000].map((all) => all * part);

const step = (name, run) => {
  const start = performance.now();
  run();
  console.log(
    `${name}: ${(performance.now() - start).toFixed(0)} ms, ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`,
  );
};
const fields = (n, value) => Object.fromEntries(Array.from({ length: n }, (_, at) => [`f${at}`, value(at)]));

step(`${FIELDS} fields`, () => {
  const thread = new Thread({ values: fields(FIELDS, (at) => at) });
  thread.receive({ type: "values", values: fields(FIELDS, (at) => at + 1) });
  assert.equal(thread.getState()[`f${FIELDS - 1}`], FIELDS);
  thread.dispose();
  const schema = defineSchema(fields(FIELDS, () => field.replace()));
  assert.equal(
    Object.keys(
      schema.merge(
        {},
        fields(FIELDS, (at) => at),
      ),
    ).length,
    FIELDS,
  );
  schema.dispose();
  const small = defineSchema({ topic: field.replace() });
  assert.equal(small.input(fields(FIELDS, (at) => at)).dropped.length, FIELDS);
});

step(`${PENDING} pending messages`, () => {
  const thread = new Thread();
  const messages = Array.from({ length: PENDING }, (_, at) => ({ type: "human", id: `p${at}`, content: String(at) }));
  for (const message of messages) thread.optimistic({ messages: [message] });
  assert.equal(thread.getState().messages.length, PENDING);
  assert.equal(thread.pending.length, PENDING);
  thread.receive({ type: "run-started", runId: "r" });
  thread.receive({ type: "values", values: { messages } });
  thread.receive({ type: "run-finished" });
  assert.equal(thread.pending.length, 0);
  thread.dispose();
});

step(`${TOKENS} tokens`, () => {
  const list = new MessageList([{ type: "ai", id: "a", content: "" }]);
  const thread = new Thread({ values: { messages: [{ type: "ai", id: "a", content: "" }] } });
  for (let at = 0; at < TOKENS / 2; at++) {
    list.append("a", "x");
    thread.receive({ type: "text", messageId: "a", text: "x" });
    if (at % 10 === 0) {
      list.snapshot();
      thread.getState();
    }
  }
  assert.equal(list.snapshot()[0].content.length, TOKENS / 2);
  assert.equal(thread.getState().messages[0].content.length, TOKENS / 2);
});
