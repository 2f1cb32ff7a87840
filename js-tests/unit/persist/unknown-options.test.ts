// An option whose name is misspelt is refused by name: left alone it would silently change nothing.
import { defineSchema, field, Thread } from "threadfold";
import { loadThread, persist, type PersistOptions } from "threadfold/persist";
import { expect, test, vi } from "vitest";
import { Shelf } from "./storages.js";

const refused = (name: string) =>
  expect.objectContaining({ code: "UNKNOWN_OPTION", message: expect.stringContaining(`unknown option '${name}'.`) });

test.each(["trottle", "onerror", "versoin", "toString"])("%s", async (name) => {
  using thread = new Thread();
  const onError = vi.fn();
  const options = { name: "chat", storage: new Shelf(), onError, [name]: 1 };
  expect(() => persist(thread, options)).toThrow(refused(name));
  await expect(loadThread(options)).rejects.toEqual(refused(name));
  // The caller's option is wrong, not the saved record.
  expect(onError).not.toHaveBeenCalled();
});

test("both take one object with the options of both", async () => {
  using thread = new Thread({ schema: defineSchema({ messages: field.messages() }) });
  const options = {
    name: "chat",
    storage: new Shelf(),
    version: 1,
    onError: vi.fn(),
    throttle: 10,
    migrate: () => ({}),
    schema: thread.schema,
    notify: "frame",
    history: undefined,
  } as const;
  thread.optimistic({ messages: "Hi" });
  persist(thread as never, options satisfies PersistOptions)();
  using again = await loadThread(options as never);
  expect([again?.pending.length, options.onError.mock.calls.length]).toEqual([1, 0]);
});
