import "fake-indexeddb/auto";
import * as fc from "fast-check";
import { ThreadfoldError } from "threadfold";
import { type BaseCheckpointSaver, IndexedDBSaver, MemorySaver } from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { checkpoint, configOf, idOf, put, valuesOf } from "./checkpoints.js";

let databases = 0;
const savers: [string, () => BaseCheckpointSaver][] = [
  ["MemorySaver", () => new MemorySaver()],
  ["IndexedDBSaver", () => new IndexedDBSaver({ name: `savers-${databases++}` })],
];

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

describe.each(savers)("%s", (name, create) => {
  test("lists its threads, each once, with the times of its first and its newest checkpoint", async () => {
    const saver = create();
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
    const save = (thread_id: string, checkpoint_ns: string, number: number) =>
      saver.put(
        { configurable: { thread_id, checkpoint_ns } },
        { ...checkpoint(number, { n: number }), ts: at(number) },
        { source: "loop", step: number, parents: {} },
        {},
      );
    for (const number of [0, 1, 2]) await save("b", "", number);
    await save("b", "sub:1", 1);
    await save("a", "", 3);
    await save("a|b", "", 4);
    const listed = [];
    for await (const thread of saver.listThreads?.() ?? []) listed.push(thread);
    expect(listed.toSorted((one, other) => (one.threadId < other.threadId ? -1 : 1))).toEqual([
      { threadId: "a", createdAt: at(3), updatedAt: at(3) },
      { threadId: "a|b", createdAt: at(4), updatedAt: at(4) },
      { threadId: "b", createdAt: at(0), updatedAt: at(2) },
    ]);
    await saver.deleteThread("b");
    const left = [];
    for await (const { threadId } of saver.listThreads?.() ?? []) left.push(threadId);
    expect(left.toSorted()).toEqual(["a", "a|b"]);
  });

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
      seeded(`checkpoint/${name}`, 240),
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
});

test("MemorySaver gives the same values back", async () => {
  const saver = new MemorySaver();
  const messages = Array.from({ length: 100 }, item);
  const files = { "a.md": { content: "x" } };
  await put(saver, { messages, files }, { number: 0 });
  const values = await valuesOf(saver);
  expect(values?.["messages"]).toBe(messages);
  expect(values?.["files"]).toBe(files);
  const more = [...messages, item()];
  await put(saver, { messages: more, files }, { number: 1, parent: 0, grown: { messages } });
  const before = (await valuesOf(saver, 0))?.["messages"] as object[];
  expect(before).toHaveLength(100);
  expect(before.every((one, at) => one === messages[at])).toBe(true);
});

describe("IndexedDBSaver", () => {
  test("stores what clones, and dicts of LangChain's messages", async () => {
    const { AIMessage } = await import("@langchain/core/messages");
    const saver = new IndexedDBSaver({ name: "values" });
    const values = { when: new Date(0), map: new Map([["a", 1]]), bytes: new Uint8Array([1, 2]), nothing: null };
    const call = { name: "search", args: { q: "x" }, id: "c1", type: "tool_call" as const };
    await put(
      saver,
      { values, messages: [new AIMessage({ id: "a1", content: "hi", tool_calls: [call] })] },
      { number: 0 },
    );
    const loaded = await valuesOf(saver);
    expect(loaded?.["values"]).toEqual(values);
    expect(loaded?.["messages"]).toMatchObject([{ type: "ai", id: "a1", content: "hi", tool_calls: [call] }]);
  });

  test("reports values that it cannot store, and keeps earlier ones", async () => {
    const saver = new IndexedDBSaver({ name: "uncloneable" });
    await put(saver, { count: 1 }, { number: 0 });
    const failed = put(saver, { count: 2, call: { run: () => {} } }, { number: 1, parent: 0 });
    await expect(failed).rejects.toMatchObject({ code: "STORAGE_FAILED" });
    await expect(failed).rejects.toSatisfy((error) => error instanceof ThreadfoldError && error.cause instanceof Error);
    expect(await valuesOf(saver)).toEqual({ count: 1 });
    expect(await valuesOf(saver, 1)).toBeUndefined();
  });

  test("shares its threads with another tab, and both may continue from one checkpoint", async () => {
    const [mine, other] = [new IndexedDBSaver({ name: "tabs" }), new IndexedDBSaver({ name: "tabs" })];
    const messages = Array.from({ length: 50 }, item);
    await put(mine, { messages }, { number: 0 });
    const seen = (await valuesOf(other))?.["messages"] as object[];
    expect(seen).toEqual(messages);
    const [left, right] = [
      [...messages, item()],
      [...seen, item(), item()],
    ];
    await Promise.all([
      put(mine, { messages: left }, { number: 1, parent: 0, grown: { messages } }),
      put(other, { messages: right }, { number: 2, parent: 0, grown: { messages: seen } }),
    ]);
    for (const tab of [mine, other]) {
      expect(await valuesOf(tab, 1)).toEqual({ messages: left });
      expect(await valuesOf(tab, 2)).toEqual({ messages: right });
    }
  });

  test("opens its database again when it was closed or deleted", async () => {
    const saver = new IndexedDBSaver({ name: "closed" });
    await put(saver, { count: 1 }, { number: 0 });
    saver.close();
    expect(await valuesOf(saver)).toEqual({ count: 1 });
    await new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase("closed");
      request.addEventListener("success", resolve);
      request.addEventListener("error", reject);
    });
    expect(await valuesOf(saver)).toBeUndefined();
    await put(saver, { count: 2 }, { number: 0 });
    expect(await valuesOf(saver)).toEqual({ count: 2 });
  });

  test("leaves nothing of a deleted thread", async () => {
    const saver = new IndexedDBSaver({ name: "deleted" });
    for (const thread of ["1", "2"]) {
      await put(saver, { messages: Array.from({ length: 50 }, item), files: { a: {} } }, { number: 0, thread });
      await saver.putWrites(configOf(thread, 0), [["log", ["a"]]], "task");
    }
    const stored = await contents("deleted");
    await saver.deleteThread("1");
    const left = await contents("deleted");
    expect(stored.map((keys) => keys.filter(([thread]) => thread === "2"))).toEqual(left);
    expect(stored.every((keys) => keys.some(([thread]) => thread === "1"))).toBe(true);
  });

  test("stores a thousand steps of a growing list in space that grows with the steps", async () => {
    const size = async (steps: number) => {
      const name = `linear-${steps}`;
      const saver = new IndexedDBSaver({ name });
      let messages: object[] = [];
      await put(saver, { messages }, { number: 0 });
      for (let number = 1; number <= steps; number++) {
        const grown = { messages };
        messages = [...messages, { type: "ai", id: idOf(number), content: "word ".repeat(10) }];
        await put(saver, { messages }, { number, parent: number - 1, grown });
      }
      expect(await valuesOf(saver)).toEqual({ messages });
      return bytes(name);
    };
    const [small, large] = [await size(250), await size(1000)];
    expect(large / small).toBeLessThan(4.5);
  });
});

const stores = ["checkpoints", "values", "items", "writes"];

async function readAll<T>(name: string, read: (store: IDBObjectStore) => IDBRequest<T>): Promise<T[]> {
  const result = <R>(request: IDBRequest<R>) =>
    new Promise<R>((resolve, reject) => {
      request.addEventListener("success", () => resolve(request.result));
      request.addEventListener("error", () => reject(request.error));
    });
  const database = await result(indexedDB.open(name));
  const transaction = database.transaction(stores);
  const all = await Promise.all(stores.map((store) => result(read(transaction.objectStore(store)))));
  database.close();
  return all;
}

const contents = (name: string) =>
  readAll(name, (store) => store.getAllKeys() as IDBRequest<unknown>) as Promise<unknown[][][]>;

async function bytes(name: string): Promise<number> {
  return JSON.stringify(await readAll(name, (store) => store.getAll())).length;
}
