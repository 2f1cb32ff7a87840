import "fake-indexeddb/auto";
import { ThreadfoldError } from "threadfold";
import { type BaseCheckpointSaver, IndexedDBSaver, MemorySaver } from "threadfold/graph";
import { describe, expect, test } from "vitest";
import { seeded } from "../../support/seed.js";
import { checkpoint, configOf, idOf, put, valuesOf } from "./checkpoints.js";
import { saverTests } from "./saver-rules.js";

let databases = 0;
const savers: [string, () => BaseCheckpointSaver][] = [
  ["MemorySaver", () => new MemorySaver()],
  ["IndexedDBSaver", () => new IndexedDBSaver({ name: `savers-${databases++}` })],
];

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

  saverTests(create, seeded(`checkpoint/${name}`, 240));
});

let made = 0;
const item = () => ({ id: `m${made++}` });

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

  test("stores each item once, though others read the thread meanwhile", async () => {
    const saver = new IndexedDBSaver({ name: "read meanwhile" });
    let messages = Array.from({ length: 100 }, item);
    await put(saver, { messages }, { number: 0 });
    for (let number = 1; number <= 30; number++) {
      const grown = { messages };
      messages = [...messages, item()];
      // The newest one, and an earlier one.
      await valuesOf(saver);
      await valuesOf(saver, 0);
      await put(saver, { messages }, { number, parent: number - 1, grown });
    }
    const [, , items] = await readAll("read meanwhile", (store) => store.getAll());
    expect((items as unknown[][]).flat()).toHaveLength(130);
    expect(await valuesOf(saver)).toEqual({ messages });
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
