// The rules that every store of runs keeps, whichever engine it has.
import { ThreadfoldError } from "threadfold";
import type { BegunRun, NewRun, RunKey, RunLease, RunStore } from "threadfold/serve";
import { expect, test } from "vitest";

const run = (id: string, more: Partial<NewRun> = {}): NewRun => ({
  threadId: "t",
  id,
  server: "test",
  owner: undefined,
  about: { n: 1 },
  isAlone: false,
  ...more,
});
const idle = () => {};

/** The code that a call fails with. */
const codeOf = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
    return "none";
  } catch (error) {
    return error instanceof ThreadfoldError ? error.code : error;
  }
};

async function read(store: RunStore, key: RunKey, after = 0): Promise<[number, string][]> {
  const parts: [number, string][] = [];
  for await (const [at, part] of store.follow(key, after)) parts.push([at, typeof part === "string" ? part : part()]);
  return parts;
}

/** @param open - Opens the store once more, as another instance does. */
export function storeTests(open: () => Promise<RunStore> | RunStore): void {
  test("a run is read by all, from any part, while it goes on and after it", async () => {
    const [one, other] = [await open(), await open()];
    const lease = await one.begin(run("r1"), idle);
    const early = read(other, { threadId: "t", id: "r1" });
    await one.append(lease, ["a", () => "b"]);
    const middle = read(other, { threadId: "t", id: "r1" }, 1);
    await one.append(lease, ["c"]);
    await one.end(lease, { n: 2 });
    const all = [
      [1, "a"],
      [2, "b"],
      [3, "c"],
    ];
    expect([await early, await middle]).toEqual([all, all.slice(1)]);
    expect(await read(other, { threadId: "t", id: "r1" })).toEqual(all);
    expect(await read(other, { threadId: "t", id: "r1" }, 3)).toEqual([]);
    expect(await read(other, { threadId: "t", id: "r1" }, Infinity)).toEqual([]);
    expect(await other.runs({ threadId: "t" })).toMatchObject([{ id: "r1", hasEnded: true, about: { n: 2 } }]);
    await Promise.all([one.close(), other.close()]);
  });

  test("a follower that leaves ends at once", async () => {
    const store = await open();
    await store.begin(run("r1", { threadId: "left" }), idle);
    const left = new AbortController();
    const following = (async () => {
      for await (const _ of store.follow({ threadId: "left", id: "r1" }, 0, left.signal));
    })();
    left.abort();
    await following;
    await store.close();
  });

  test("runs of a thread know those before them; one that is to be alone is refused", async () => {
    const [one, other] = [await open(), await open()];
    const on = (id: string, isAlone = false) => run(id, { threadId: "busy", isAlone });
    const first = await one.begin(on("r1", true), idle);
    expect(first.before).toEqual([]);
    expect(await codeOf(() => other.begin(on("r2", true), idle))).toBe("BUSY");
    expect(await codeOf(() => other.begin(on("r1"), idle))).toBe("BUSY");
    const second = await other.begin(on("r2"), idle);
    expect(second.before.map(({ id }) => id)).toEqual(["r1"]);
    expect((await one.runs({ threadId: "busy" })).map(({ id }) => id)).toEqual(["r2", "r1"]);
    expect(await one.runs({ threadId: "other" })).toEqual([]);
    await one.end(first, {});
    await other.end(second, {});
    expect((await one.begin(on("r1", true), idle)).before).toEqual([]);
    await Promise.all([one.close(), other.close()]);
  });

  test("any instance stops a run, once", async () => {
    const [one, other] = [await open(), await open()];
    let stops = 0;
    let heard = idle;
    const stopped = new Promise<void>((resolve) => (heard = resolve));
    const lease = await one.begin(run("r1", { threadId: "stop" }), () => {
      stops++;
      heard();
    });
    await other.cancel({ threadId: "stop", id: "r1" });
    await other.cancel({ threadId: "stop", id: "r1" });
    await stopped;
    expect((await other.runs({ threadId: "stop" }))[0]?.isStopped).toBe(true);
    await one.end(lease, {});
    await other.cancel({ threadId: "stop", id: "r1" });
    expect(stops).toBe(1);
    await Promise.all([one.close(), other.close()]);
  });

  test("a text reaches the run from any instance, in order, until it ends", async () => {
    const [one, other] = [await open(), await open()];
    const texts: string[] = [];
    const key = { threadId: "sent", id: "r1" };
    let haveCome = () => {};
    const both = new Promise<void>((resolve) => (haveCome = resolve));
    const lease = await one.begin(run("r1", { threadId: "sent" }), idle, (text) => {
      if (texts.push(text) === 2) haveCome();
    });
    await other.send?.(key, "first of several words");
    await one.send?.(key, "stop");
    await both;
    expect(texts).toEqual(["first of several words", "stop"]);
    // A text is not a part of the run, and stops nothing.
    await one.append(lease, ["a"]);
    expect((await other.runs({ threadId: "sent" }))[0]?.isStopped).toBe(false);
    await one.end(lease, {});
    await other.send?.(key, "late");
    expect(await read(other, key)).toEqual([[1, "a"]]);
    expect(texts).toHaveLength(2);
    await Promise.all([one.close(), other.close()]);
  });

  test("a thread is watched: its runs as they begin on any instance, from those under way on, or after a number", async () => {
    const [one, other] = [await open(), await open()];
    const on = (id: string, threadId = "watched") => run(id, { threadId });
    const left = new AbortController();
    const watch = (after?: number, threadId = "watched") =>
      other.watch(threadId, after, left.signal)[Symbol.asyncIterator]();
    const next = async (watching: AsyncIterator<BegunRun>) => {
      const { value } = await watching.next();
      return value ? [value[0], value[1].id] : undefined;
    };
    await one.end(await one.begin(on("over"), idle), {});
    const early = watch();
    const first = next(early);
    const under = await one.begin(on("r1"), idle);
    expect((await first)?.[1]).toBe("r1");
    await one.begin(on("elsewhere", "unwatched"), idle);
    const [from = 0] = (await first) as [number, string];
    // One that comes later begins with the run under way; one that knows a number goes on there.
    const [late, known, strange] = [watch(), watch(from - 1), watch(from + 1e9)];
    expect(await Promise.all([late, known, strange].map(next))).toEqual([1, 2, 3].map(() => [from, "r1"]));
    const seconds = [early, late, known, strange].map(next);
    await one.end(under, {});
    const again = await one.begin(on("r2"), idle);
    await one.end(again, {});
    expect((await Promise.all(seconds)).map((found) => found?.[1])).toEqual(["r2", "r2", "r2", "r2"]);
    expect((await seconds[0])?.[0]).toBeGreaterThan(from);
    // Also what has ended meanwhile; and a run of the same id that is another one.
    const behind = watch(from - 1);
    expect([(await next(behind))?.[1], (await next(behind))?.[1]]).toEqual(["r1", "r2"]);
    const third = next(behind);
    await one.begin(on("r2"), idle);
    expect((await third)?.[1]).toBe("r2");
    const last = next(behind);
    left.abort();
    expect(await last).toBeUndefined();
    await Promise.all([one.close(), other.close()]);
  });

  test("what has ended takes no write, and a run that is gone is lost", async () => {
    const store = await open();
    const key = { threadId: "gone", id: "r1" };
    const lease: RunLease = await store.begin(run("r1", { threadId: "gone", owner: "ada" }), idle);
    expect(await store.runs({ threadId: "gone", id: "r1" })).toMatchObject([{ owner: "ada", hasEnded: false }]);
    await store.end(lease, {});
    expect(await codeOf(() => store.append(lease, ["late"]))).toBe("FENCED");
    expect(await codeOf(() => store.end(lease, {}))).toBe("FENCED");
    await store.remove(key);
    expect(await codeOf(() => read(store, key))).toBe("LOST");
    expect(await store.runs({ threadId: "gone" })).toEqual([]);
    await store.close();
  });
}
