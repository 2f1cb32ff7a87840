// Contexts and cuts that are no longer held: their part of the wasm does not grow, whether or not finalizers run.
import { createRequire } from "node:module";
import { expect, test } from "vitest";

// CommonJS throughout: these are the files whose wasm is looked at.
const pkg = (file: string): unknown => createRequire(import.meta.url)(`../../../pkg/${file}`);
const { memory } = pkg("agent-core.cjs") as { memory: () => ArrayBuffer };
const { Context, safeCuts } = pkg("context.cjs") as typeof import("threadfold/context");

const LENGTH = 1000;
const BATCH = 120;

const conversation = () =>
  Array.from({ length: LENGTH }, (_, at) =>
    at % 2
      ? { type: "ai", content: "", tool_calls: [{ id: `c${at}`, name: "f", args: {} }] }
      : { type: "tool", content: "Done.", tool_call_id: `c${at - 1}` },
  );

const options = { trigger: { messages: 100 }, keep: { messages: 20 } };

test("dropped in a program that never returns to its event loop, they leave nothing that grows", () => {
  const sizes: number[] = [];
  for (let batch = 0; batch < 3; batch++) {
    for (let made = 0; made < BATCH; made++) {
      expect(new Context(options).of(conversation()).due?.cutoff).toBe(979);
      expect(safeCuts(conversation()).cut(980)).toBe(979);
    }
    sizes.push(memory().byteLength);
  }
  // Some 100 bytes each of 100,000 messages, in lists that have room to grow.
  expect(sizes[0]).toBeLessThan(40 * 2 ** 20);
  expect(sizes.at(-1), String(sizes)).toBeLessThan(1.05 * (sizes[0] as number));
});

test("one that made room for others answers as before, and continues", () => {
  const [first, other] = [safeCuts(conversation()), new Context(options)];
  const list = conversation();
  const before = [[...first], first.pending, other.of(list).tokens, other.of(list).due?.cutoff];
  for (let made = 0; made < BATCH; made++) expect(safeCuts(conversation()).length).toBe(LENGTH);
  expect([[...first], first.pending, other.of(list).tokens, other.of(list).due?.cutoff]).toEqual(before);
  first.push({ type: "tool", content: "Late.", tool_call_id: `c${LENGTH - 1}` });
  expect([first.pending, first.cut(LENGTH)]).toEqual([undefined, LENGTH - 1]);
  expect(other.of([...list, { type: "human", content: "And?" }]).due?.cutoff).toBe(981);
});

test("one message that grows by tokens takes no more room than it has", () => {
  const cuts = safeCuts(conversation());
  cuts.replaceLast({ type: "ai", content: "", tool_calls: [{ id: "t", name: "f", args: {} }] });
  const before = memory().byteLength;
  for (let token = 0; token < 50_000; token++) {
    cuts.replaceLast({ type: "ai", content: "", tool_calls: [{ id: `t${token}`, name: "f", args: {} }] });
    cuts.cut(token);
  }
  expect(memory().byteLength).toBe(before);
});
