// The rules that every saver keeps, wherever it keeps checkpoints.
import * as fc from "fast-check";
import type { BaseCheckpointSaver } from "threadfold/graph";
import { expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { checkpoint, configOf, put, valuesOf } from "./checkpoints.js";

/** The change of a list in one step, and the checkpoint it follows: 0 is the newest. */
const edit = fc.record({
  kind: fc.constantFrom("grow", "grow", "grow", "replace", "remove", "cut", "window", "same", "clear"),
  at: fc.nat(99),
  many: fc.integer({ min: 1, max: 4 }),
  back: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(6)),
  says: fc.boolean(),
});
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

let made = 0;
const item = () => ({ id: `m${made++}` });

function edited(list: readonly object[], { kind, at, many }: Edit): object[] {
  const place = list.length === 0 ? 0 : Math.floor((at / 100) * list.length);
  if (kind === "grow") return [...list, ...Array.from({ length: many }, item)];
  if (kind === "replace") return list.map((one, index) => (index === place ? item() : one));
  if (kind === "remove") return list.filter((_, index) => index < place || index >= place + many);
  if (kind === "cut") return list.slice(0, Math.max(0, list.length - many));
  if (kind === "window") return [...list.slice(many), ...Array.from({ length: many }, item)];
  return kind === "clear" ? [] : (list as object[]);
}

/**
 * @param create - Makes a saver that has nothing yet.
 * @param parameters - How many random histories are tried, and which.
 */
export function saverTests(create: () => BaseCheckpointSaver, parameters: fc.Parameters<[number, Edit[]]>): void {
  test("gives back every version of a list that grows, changes and forks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 80 }), fc.array(edit, { maxLength: 25 }), async (first, edits) => {
        const saver = create();
        const lists: object[][] = [Array.from({ length: first }, item)];
        await put(saver, { messages: lists[0], other: 0 }, { number: 0 });
        for (const one of edits) {
          const parent = Math.max(0, lists.length - 1 - one.back);
          // A run begins with the checkpoint that it loads.
          const loaded =
            one.back > 0 ? ((await valuesOf(saver, parent))?.["messages"] as object[]) : (lists[parent] as object[]);
          const list = edited(loaded, one);
          const grown = one.says && one.kind === "grow" ? { messages: loaded } : undefined;
          await put(
            saver,
            { messages: list, other: lists.length },
            { number: lists.length, parent, ...(grown && { grown }) },
          );
          lists.push(list);
        }
        for (const [number, messages] of lists.entries())
          expect(await valuesOf(saver, number)).toEqual({ messages, other: number });
        const listed: unknown[] = [];
        for await (const tuple of saver.list(configOf("1"))) listed.push(tuple.checkpoint.channel_values["messages"]);
        expect(listed).toEqual(lists.toReversed());
      }),
      parameters ?? seeded("lists of a saver", 40),
    );
  });

  test("takes over what has no new version, and finds the values of a copy", async () => {
    const saver = create();
    const big = { text: "x".repeat(1000) };
    await put(saver, { big, count: 1 }, { number: 0 });
    const second = checkpoint(1, { big: "not this", count: 2 });
    second.channel_versions = { big: 1, count: 2 };
    await saver.put(configOf("1", 0), second, { source: "loop", step: 1, parents: {} }, { count: 2 });
    expect(await valuesOf(saver)).toEqual({ big, count: 2 });
    // A copy has no new versions, and is a sibling of its original.
    const copy = checkpoint(2, { big, count: 2 });
    copy.channel_versions = { big: 1, count: 2 };
    await saver.put(configOf("1"), copy, { source: "fork", step: 2, parents: {} }, {});
    expect(await valuesOf(saver, 2)).toEqual({ big, count: 2 });
  });

  test("keeps a task's writes once, and its last error", async () => {
    const saver = create();
    const task = "00000000-0000-5000-8000-000000000001";
    // Writes may come before their checkpoint does.
    await saver.putWrites(
      configOf("1", 0),
      [
        ["log", ["a"]],
        ["__error__", { message: "first" }],
      ],
      task,
    );
    await put(saver, { log: [] }, { number: 0 });
    await saver.putWrites(configOf("1", 0), [["log", ["again"]]], task);
    await saver.putWrites(configOf("1", 0), [["__error__", { message: "second" }]], task);
    const writes = (await saver.getTuple(configOf("1")))?.pendingWrites ?? [];
    expect(writes.toSorted(([, a], [, b]) => (a < b ? -1 : 1))).toEqual([
      [task, "__error__", { message: "second" }],
      [task, "log", ["a"]],
    ]);
  });

  test("is not changed by what langgraph.js writes into a checkpoint that it loads", async () => {
    const saver = create();
    const saved = { ...checkpoint(0, { log: [] }), versions_seen: { a: { "branch:to:a": 1 } } };
    await saver.put(configOf("1"), saved, { source: "loop", step: 0, parents: {} }, { log: 1 });
    await saver.putWrites(configOf("1", 0), [["log", ["a"]]], "task");
    const before = structuredClone(await saver.getTuple(configOf("1")));
    const loaded = await saver.getTuple(configOf("1"));
    Object.assign(loaded?.checkpoint.channel_versions ?? {}, { log: 7 });
    Object.assign(loaded?.checkpoint.versions_seen["a"] ?? {}, { "branch:to:a": 7 });
    Object.assign(loaded?.checkpoint.versions_seen ?? {}, { b: {} });
    Object.assign(loaded?.checkpoint.channel_values ?? {}, { log: ["x"] });
    loaded?.pendingWrites?.splice(0, 1);
    expect(await saver.getTuple(configOf("1"))).toEqual(before);
  });

  test("refuses configs that say no place", async () => {
    const saver = create();
    const none = checkpoint(0, {});
    const metadata = { source: "input" as const, step: -1, parents: {} };
    const refused = { code: "INVALID_ARGUMENT" };
    await expect(saver.put({}, none, metadata, {})).rejects.toMatchObject(refused);
    await expect(saver.put({ configurable: { thread_id: 7 as never } }, none, metadata, {})).rejects.toMatchObject(
      refused,
    );
    await expect(saver.putWrites(configOf("1"), [], "task")).rejects.toMatchObject(refused);
    expect(await saver.getTuple({})).toBeUndefined();
  });

  test("keeps threads with odd names apart", async () => {
    const saver = create();
    const threads = ["__proto__", "a", "a|b", 'a","b', "constructor", "é".normalize("NFD"), "é".normalize("NFC")];
    for (const [value, thread] of threads.entries()) await put(saver, { value }, { number: 0, thread });
    for (const [value, thread] of threads.entries()) expect(await valuesOf(saver, 0, thread)).toEqual({ value });
    await saver.deleteThread("a");
    expect(await valuesOf(saver, 0, "a")).toBeUndefined();
    expect(await valuesOf(saver, 0, "a|b")).toEqual({ value: 2 });
  });
}
