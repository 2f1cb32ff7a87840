// A long thread is saved in several entries, and a save writes those that changed.
import type { Thread } from "threadfold";
import { forgetThread, loadThread, persist } from "threadfold/persist";
import { describe, expect, test, vi } from "vitest";
import { ai, hear, human, text, threadOf, type Shown } from "../thread/say.js";
import { Shelf, SlowShelf } from "./storages.js";

const name = "chat";
/** Some 1,000 characters each: 65 make a block. */
const messages = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => human(`m${from + at}`, `${from + at} `.padEnd(1_000, "x")));

/** A storage that records which entries are written, and their lengths. */
class Entries extends Shelf {
  lengths: Record<string, number> = {};
  override readonly setItem = (key: string, value: string): void => {
    if (this.broken) throw this.broken;
    this.lengths[key] = value.length;
    this.kept.set(key, value);
  };
  removeItem(key: string): void {
    this.kept.delete(key);
  }
  /** The entries written since the last call. */
  written(): string[] {
    const keys = Object.keys(this.lengths);
    this.lengths = {};
    return keys;
  }
}

async function saved(thread: Thread<Shown>, storage: Entries): Promise<string[]> {
  const stop = persist(thread, { name, storage });
  thread.update({ topic: `${(thread.getState()["topic"] as string | undefined) ?? ""}x` });
  await stop.flush();
  stop();
  return storage.written();
}

const loadedFrom = async (storage: Shelf | SlowShelf) => {
  const thread = await loadThread<Shown>({ name, storage });
  if (!thread) throw new Error("nothing was loaded");
  return thread;
};

describe("a long thread", () => {
  test("is saved whole in parts, and a token writes the last one", async () => {
    const storage = new Entries();
    using thread = threadOf(...messages(200), ai("last", "a"));
    const stop = persist(thread, { name, storage });
    thread.update({ topic: "x" });
    await stop.flush();
    expect(storage.written()).toEqual(["chat#0", "chat#1", "chat#2", "chat"]);
    for (const token of ["b", "c"]) {
      hear(thread, text("last", token));
      await stop.flush();
      expect(storage.lengths[name]).toBeLessThan(20_000);
      expect(storage.written()).toEqual(["chat"]);
    }
    stop();
    using again = await loadedFrom(storage);
    expect(again.getState()).toEqual(thread.getState());
  });

  test("writes no block again after it was loaded", async () => {
    const storage = new Entries();
    using thread = threadOf(...messages(200));
    await saved(thread, storage);
    using again = await loadedFrom(storage);
    expect(await saved(again, storage)).toEqual(["chat"]);
    expect((await loadedFrom(storage)).getState()).toEqual(again.getState());
  });

  test("writes from the first message that changed, and removes what is left over", async () => {
    const storage = new Entries();
    using thread = threadOf(...messages(200));
    await saved(thread, storage);
    thread.update({ messages: [human("m100", "short")] });
    expect(await saved(thread, storage)).toEqual(["chat#3", "chat#4", "chat"]);
    expect([...storage.kept.keys()].sort()).toEqual(["chat", "chat#0", "chat#3", "chat#4"]);
    expect((await loadedFrom(storage)).getState()).toEqual(thread.getState());
    thread.update({ messages: [{ type: "remove", id: "__remove_all__" }] });
    await saved(thread, storage);
    expect([...storage.kept.keys()]).toEqual(["chat"]);
    expect((await loadedFrom(storage)).getState()).toEqual(thread.getState());
  });

  test("grows by one block at a time, as it would have been saved at once", async () => {
    const storage = new Entries();
    using thread = threadOf();
    let most = 0;
    for (let at = 0; at < 300; at += 5) {
      thread.update({ messages: messages(5, at) });
      most = Math.max(most, (await saved(thread, storage)).length);
      expect((await loadedFrom(storage)).getState()).toEqual(thread.getState());
    }
    expect(most).toBe(2);
    expect([...storage.kept.keys()].sort()).toEqual(["chat", "chat#0", "chat#1", "chat#2", "chat#3"]);
  });

  test("stays as it was where a save fails between its entries", async () => {
    const storage = new Entries();
    using thread = threadOf(...messages(100));
    await saved(thread, storage);
    const before = thread.getState();
    const setItem = storage.setItem;
    const failing = vi.fn((key: string, value: string) => {
      if (key === name) throw new Error("full");
      setItem(key, value);
    });
    const onError = vi.fn();
    const stop = persist(thread, { name, storage: Object.assign(storage, { setItem: failing }), onError });
    thread.update({ messages: messages(200, 100) });
    await stop.flush();
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: "STORAGE_FAILED" });
    expect((await loadedFrom(storage)).getState()).toEqual(before);
    Object.assign(storage, { setItem });
    await stop.flush();
    stop();
    expect((await loadedFrom(storage)).getState()).toEqual(thread.getState());
  });

  test("of two pages under one name: the last to save wins, whole", async () => {
    const storage = new Entries();
    using left = threadOf(...messages(200));
    await saved(left, storage);
    using right = await loadedFrom(storage);
    right.update({ messages: messages(200, 200) });
    left.update({ messages: [human("m3", "left")] });
    for (const thread of [right, left, right]) {
      await saved(thread, storage);
      expect((await loadedFrom(storage)).getState()).toEqual(thread.getState());
    }
    // Nothing is left over of the other's.
    const { blocks } = JSON.parse(storage.kept.get(name) ?? "") as { blocks: unknown[] };
    expect(storage.kept.size).toBe(blocks.length + 1);
  });

  test("whose block is lost is an error, not a thread with a hole", async () => {
    const storage = new Entries();
    using thread = threadOf(...messages(200));
    await saved(thread, storage);
    storage.kept.set("chat#1", storage.kept.get("chat#0") ?? "");
    await expect(loadThread({ name, storage })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    storage.kept.delete("chat#1");
    await expect(loadThread({ name, storage })).rejects.toThrow("lacks a part");
  });

  test("goes into one entry when the page is left and the storage answers later", async () => {
    const target = new EventTarget();
    vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }));
    vi.stubGlobal("addEventListener", target.addEventListener.bind(target));
    vi.stubGlobal("removeEventListener", target.removeEventListener.bind(target));
    try {
      const slow = new SlowShelf();
      using thread = threadOf(...messages(200));
      const stop = persist(thread, { name, storage: slow });
      thread.update({ topic: "x" });
      target.dispatchEvent(new Event("pagehide"));
      expect(slow.isWriting).toBe(true);
      await slow.answer();
      expect([...slow.inner.kept.keys()]).toEqual([name]);
      using again = await loadedFrom(slow.inner);
      expect(again.getState()).toEqual(thread.getState());
      stop();
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

test("forgetThread removes all entries; a storage without removeItem keeps empty ones, which are no thread", async () => {
  using thread = threadOf(...messages(200));
  const storage = new Entries();
  await saved(thread, storage);
  await forgetThread({ name, storage });
  expect(storage.kept.size).toBe(0);
  const shelf = new Shelf();
  const stop = persist(thread, { name, storage: shelf });
  thread.update({ topic: "y" });
  stop();
  await forgetThread({ name, storage: shelf });
  expect([...shelf.kept.values()].join("")).toBe("");
  expect(await loadThread({ name, storage: shelf })).toBeUndefined();
});
