// A long thread is saved in several entries, and a save writes those that changed.
import type { Thread, ThreadStorage } from "threadfold";
import { forgetThread, loadThread, persist } from "threadfold/persist";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
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

const loadedFrom = async (storage: ThreadStorage) => {
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

  describe("when the page is left and the storage answers later", () => {
    const page = new EventTarget();
    beforeEach(() => {
      vi.stubGlobal("document", Object.assign(new EventTarget(), { visibilityState: "visible" }));
      vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
      vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
    });
    afterEach(() => void vi.unstubAllGlobals());

    test("goes into one entry", async () => {
      const slow = new SlowShelf();
      using thread = threadOf(...messages(200));
      const stop = persist(thread, { name, storage: slow });
      thread.update({ topic: "x" });
      page.dispatchEvent(new Event("pagehide"));
      expect(slow.isWriting).toBe(true);
      await slow.answer();
      expect([...slow.inner.kept.keys()]).toEqual([name]);
      using again = await loadedFrom(slow.inner);
      expect(again.getState()).toEqual(thread.getState());
      stop();
    });

    /** A thread of three blocks that was saved, loaded, and left with a change. */
    async function leave(isLoaded: boolean) {
      const storage = new Entries();
      const later = {
        getItem: async (key: string) => storage.getItem(key),
        setItem: async (key: string, value: string) => storage.setItem(key, value),
        removeItem: async (key: string) => storage.removeItem(key),
      };
      using earlier = threadOf(...messages(200));
      await saved(earlier, storage);
      const thread = isLoaded ? await loadedFrom(later) : threadOf(...messages(1));
      const stop = persist(thread, { name, storage: later });
      thread.update({ messages: [human("last", "")] });
      page.dispatchEvent(new Event("pagehide"));
      expect([...storage.kept.keys()].sort()).toEqual(["chat", "chat#0", "chat#1", "chat#2"]);
      return { storage, later, thread, stop };
    }

    test("names the blocks that it leaves, so that forgetThread and the next save remove them", async () => {
      const left = await leave(true);
      await vi.waitFor(() => expect(left.storage.kept.get(name)).toContain("last"));
      left.stop();
      const again = await loadedFrom(left.later);
      expect(again.getState()).toEqual(left.thread.getState());
      const copy = new Entries();
      for (const [key, value] of left.storage.kept) copy.setItem(key, value);
      await forgetThread({ name, storage: copy });
      expect([...copy.kept.keys()]).toEqual([]);
      again.update({ messages: [{ type: "remove", id: "__remove_all__" }] });
      await saved(again, left.storage);
      expect([...left.storage.kept.keys()]).toEqual([name]);
      await forgetThread({ name, storage: left.storage });
      expect([...left.storage.kept.keys()]).toEqual([]);
    });

    test.each([true, false])("a page that was only hidden removes them with its next save: loaded %s", async (is) => {
      const { storage, thread, stop } = await leave(is);
      thread.update({ messages: [{ type: "remove", id: "__remove_all__" }, ...messages(80)] });
      await stop.flush();
      stop();
      const { blocks } = JSON.parse(storage.kept.get(name) ?? "") as { blocks: { slot: number }[] };
      expect([...storage.kept.keys()].sort()).toEqual([name, ...blocks.map(({ slot }) => `chat#${slot}`)].sort());
      expect((await loadedFrom(storage)).getState()).toEqual(thread.getState());
    });
  });

  test("that `migrate` changed in place is written anew, all of it", async () => {
    using thread = threadOf(...messages(200));
    const migrate = vi.fn((values: Record<string, unknown>) => {
      for (const message of values["messages"] as { seen?: boolean }[]) message.seen = true;
      return values as Partial<Shown>;
    });
    for (const how of [migrate, async (values: Record<string, unknown>) => migrate(values)]) {
      const storage = new Entries();
      await saved(thread, storage);
      const load = () => loadThread<Shown>({ name, storage, version: 1, migrate: how });
      const one = (await load()) as Thread<Shown>;
      const stop = persist(one, { name, storage, version: 1 });
      one.update({ messages: [human("new", "")] });
      await stop.flush();
      stop();
      using two = (await load()) as Thread<Shown>;
      expect(two.getState()).toEqual(one.getState());
      expect(two.getState().messages.filter(({ seen }) => seen)).toHaveLength(200);
      expect(storage.kept.size).toBe(4);
    }
    expect(migrate).toHaveBeenCalledTimes(2);
  });
});

test.each([
  ["room", "room#0"],
  ["room#0", "room#0#"],
  ["room#0", "room#0#0"],
])("threads named %s and %s keep apart", async (one, other) => {
  const storage = new Entries();
  const saves = async (name: string, ...given: object[]) => {
    const thread = threadOf();
    const stop = persist(thread, { name, storage });
    thread.update({ messages: given as never });
    await stop.flush();
    stop();
    return async () => {
      const again = await loadThread<Shown>({ name, storage });
      expect(again?.getState().messages).toEqual(given);
    };
  };
  for (const [first, second] of [[one, other] as const, [other, one] as const]) {
    storage.kept.clear();
    const checks = [await saves(second, human("1", "short")), await saves(first, ...messages(200))];
    for (const check of checks) await check();
    await forgetThread({ name: first, storage });
    expect(storage.kept.size).toBe(1);
    await checks[0]?.();
  }
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
