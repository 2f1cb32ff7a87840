import { defineSchema, field, Thread, ThreadfoldError, type ThreadState, type ThreadStorage } from "threadfold";
import { loadThread, persist } from "threadfold/persist";
import { describe, expect, expectTypeOf, test } from "vitest";
import { codeOf } from "../../support/errors.js";
import { ai, failed, hear, human, message, started, streamed, text, threadOf } from "../thread/say.js";
import { Shelf, SlowShelf } from "./storages.js";

const name = "chat";

/** A storage in which a thread was saved by itself. */
function saved(
  thread: Parameters<typeof persist>[0] & Pick<Thread<{ saved?: boolean }>, "update">,
  version?: number,
): Shelf {
  const storage = new Shelf();
  const stop = persist(thread, { name, storage, version });
  thread.update({ saved: true });
  stop();
  return storage;
}

describe("loadThread", () => {
  test("gives what was saved: confirmed, pending, and a run to join again", async () => {
    using thread = threadOf(ai("1", "a"));
    thread.threadId = "t";
    thread.optimistic({ messages: [human("2", "b")] });
    hear(thread, started("r", "e1"), streamed("3"), { ...text("3", "c"), id: "e2" } as never);
    thread.optimistic({ topic: "x" });
    using again = await loadThread({ name, storage: saved(thread) });
    expect(again?.getState()).toEqual(thread.getState());
    expect(again?.getConfirmedState()).toEqual(thread.getConfirmedState());
    expect(again?.pending).toEqual(thread.pending);
    expect([again?.threadId, again?.run]).toEqual(["t", { id: "r", status: "disconnected", lastEventId: "e2" }]);
  });

  test("gives undefined where nothing is saved", async () => {
    expect(await loadThread({ name, storage: new Shelf() })).toBe(undefined);
    expect(await loadThread({ name, storage: { getItem: () => undefined, setItem: () => {} } })).toBe(undefined);
    expect(await loadThread({ name, storage: new SlowShelf() })).toBe(undefined);
  });

  test("answers by a promise, whatever the storage", async () => {
    using thread = threadOf(ai("1", "a"));
    const slow = new SlowShelf();
    slow.inner.kept.set(name, saved(thread).kept.get(name) as string);
    const loading = loadThread<ThreadState>({ name, storage: slow });
    expectTypeOf(loading).toEqualTypeOf<Promise<Thread<ThreadState> | undefined>>();
    const atOnce = loadThread<ThreadState>({ name, storage: slow.inner });
    expectTypeOf(atOnce).toEqualTypeOf<Promise<Thread<ThreadState> | undefined>>();
    using again = await loading;
    using same = await atOnce;
    for (const one of [again, same]) expect(one?.getState().messages).toEqual([ai("1", "a")]);
  });

  test("takes a schema", async () => {
    const schema = defineSchema({
      messages: field.messages(),
      saved: field.replace<boolean>(),
      spent: field.reducer((total: number, more: number) => total + more, { default: () => 0 }),
    });
    using thread = new Thread({ schema, values: { spent: 2 } });
    const storage = saved(thread);
    using again = await loadThread({ name, storage, schema });
    again?.update({ spent: 3 });
    expect(again?.getState().spent).toBe(5);
    await expect(loadThread({ name, storage })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});

describe("a thread of another version", () => {
  const storage = () => {
    using thread = new Thread<ThreadState & { city: string; saved?: boolean }>({ values: { city: "Rome" } });
    thread.threadId = "t";
    thread.update({ messages: [ai("1", "a") as never] });
    thread.optimistic({ messages: [human("2", "b")] });
    thread.optimistic({ city: "Oslo" }, { manual: true });
    hear(thread, started("r"));
    return saved(thread, 3);
  };
  type Trip = ThreadState & { cities: string[]; city?: string };

  test("goes through migrate, and pending updates are pending again", async () => {
    const asked: unknown[] = [];
    using again = await loadThread<Trip>({
      name,
      storage: storage(),
      version: 4,
      migrate({ city, saved, ...values }, version) {
        asked.push(city, saved, version);
        return { ...values, cities: [city as string] };
      },
    });
    expect(asked).toEqual(["Rome", true, 3]);
    expect(again?.threadId).toBe("t");
    expect(again?.getConfirmedState()).toEqual({ messages: [ai("1", "a")], cities: ["Rome"] });
    expect(again?.pending.map(({ update, status }) => [update, status])).toEqual([
      [{ messages: [human("2", "b")] }, "pending"],
      [{ city: "Oslo" }, "pending"],
    ]);
    // No run carries manual changes.
    again?.receive({ type: "run-started", runId: "r2" });
    expect(again?.pending.map(({ status }) => status)).toEqual(["sent", "pending"]);
  });

  test("without migrate is an error", async () => {
    await expect(loadThread({ name, storage: storage() })).rejects.toThrow(
      "The saved thread has version 3, not 0, and there is no migrate.",
    );
  });

  test("whose update no longer fits is there without it, and the error is reported", async () => {
    const schema = defineSchema({ messages: field.messages() });
    const errors: string[] = [];
    using again = await loadThread({
      name,
      storage: storage(),
      schema,
      migrate: ({ messages }) => ({ messages: messages as never }),
      onError: ({ code }) => void errors.push(code),
    });
    expect(again?.pending.map(({ update }) => update)).toEqual([{ messages: [human("2", "b")] }]);
    expect(errors).toEqual(["NOT_INPUT"]);
  });

  test("whose migrate throws yields no thread", async () => {
    const mine = new Error("mine");
    await expect(
      loadThread({
        name,
        storage: storage(),
        version: 4,
        migrate: () => {
          throw mine;
        },
      }),
    ).rejects.toMatchObject({ code: "STORAGE_FAILED", cause: mine });
  });
});

describe("migrate's return value", () => {
  const storage = () => {
    using thread = threadOf(ai("1", "a"));
    return saved(thread, 1);
  };
  const nothing = [undefined, null, 5, "values"];
  const load = (storage: ThreadStorage, migrate: () => unknown, onError?: (error: ThreadfoldError) => void) =>
    loadThread({ name, storage, version: 2, migrate: migrate as () => ThreadState, onError });
  const slowOf = (shelf: Shelf) => ({ ...shelf, getItem: async (name: string) => shelf.getItem(name) });

  test.each(nothing)("is refused if it is %s, and the saved record stays", async (given) => {
    const shelf = storage();
    const kept = shelf.kept.get(name);
    for (const storage of [shelf, slowOf(shelf)])
      for (const migrate of [() => given, async () => given]) {
        await expect(load(storage, migrate)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
        const errors: string[] = [];
        expect(await load(storage, migrate, ({ code }) => void errors.push(code))).toBe(undefined);
        expect(errors).toEqual(["INVALID_ARGUMENT"]);
      }
    expect(shelf.kept.get(name)).toBe(kept);
  });

  test("is waited for, whatever the storage", async () => {
    const migrate = async ({ messages }: Record<string, unknown>) => ({ messages: messages as [], todos: [] });
    for (const shelf of [storage(), slowOf(storage())]) {
      using again = await loadThread<ThreadState>({ name, storage: shelf, version: 2, migrate });
      expect(again?.getState()).toEqual({ messages: [ai("1", "a")], todos: [] });
      const mine = new Error("mine");
      const failing = load(shelf, () => Promise.reject(mine));
      await expect(failing).rejects.toMatchObject({ code: "STORAGE_FAILED", cause: mine });
    }
  });
});

describe("records that cannot be loaded", () => {
  test.each([
    ["no JSON", "{"],
    ["another thing", "3"],
    ["null", "null"],
    ["a bare record", JSON.stringify(new Thread())],
    ["a record of another version", JSON.stringify({ state: { ...new Thread().toJSON(), version: 1 }, version: 0 })],
  ])("%s: thrown, or told to onError", async (_, kept) => {
    const storage = new Shelf();
    storage.kept.set(name, kept);
    await expect(loadThread({ name, storage })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const errors: ThreadfoldError[] = [];
    expect(await loadThread({ name, storage, onError: (error) => void errors.push(error) })).toBe(undefined);
    expect(errors.map(({ code }) => code)).toEqual(["INVALID_ARGUMENT"]);
    const slow = new SlowShelf();
    slow.inner.kept.set(name, kept);
    await expect(loadThread({ name, storage: slow })).rejects.toThrow(ThreadfoldError);
    expect(storage.kept.get(name)).toBe(kept);
  });

  test("a storage that throws", async () => {
    const storage = new Shelf();
    storage.broken = new Error("no access");
    const expected = expect.objectContaining({ code: "STORAGE_FAILED", cause: storage.broken }) as Error;
    await expect(loadThread({ name, storage })).rejects.toThrow(expected);
    const slow = new SlowShelf();
    slow.inner.broken = storage.broken;
    await expect(loadThread({ name, storage: slow })).rejects.toThrow(expected);
    const errors: unknown[] = [];
    expect(await loadThread({ name, storage: slow, onError: (error) => void errors.push(error) })).toBe(undefined);
    expect(errors).toEqual([expected]);
  });

  test("invalid options", async () => {
    const refused = { code: "INVALID_ARGUMENT" };
    await expect(loadThread({ name, storage: {} as never })).rejects.toMatchObject(refused);
    await expect(loadThread({ storage: new Shelf() } as never)).rejects.toMatchObject(refused);
    using thread = new Thread();
    expect(codeOf(() => persist(thread, { name, storage: undefined as never }))).toBe("INVALID_ARGUMENT");
  });
});

test("a failed update is loaded as failed, and may be tried again", async () => {
  using thread = threadOf();
  thread.optimistic({ messages: [human("1", "a")] });
  hear(thread, started("r"), failed, message(ai("0", "b")));
  using again = await loadThread({ name, storage: saved(thread) });
  expect(again?.pending.map(({ status, error }) => [status, error?.message])).toEqual([["failed", "down"]]);
  again?.pending[0]?.retry();
  expect(again?.pending.map(({ status }) => status)).toEqual(["pending"]);
});
