// Tabs that save a thread under one name: none loses what another has, and each pending message has one tab.
import { Thread, type ThreadStorage } from "threadfold";
import { forgetThread, loadThread, persist } from "threadfold/persist";
import { tabStorage } from "threadfold/tabs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BrowserStandIn } from "./browser-stand-in.js";

let browser: BrowserStandIn;
let kept: Map<string, string>;

beforeEach(() => {
  vi.useFakeTimers();
  browser = new BrowserStandIn();
  kept = new Map();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

interface OpenTab {
  readonly thread: Thread;
  readonly pending: () => unknown[];
  close(): void;
  forget(): Promise<void>;
}

/** Each page has a `localStorage` of its own, of the same entries. */
function open(name = "chat"): Promise<OpenTab> {
  const storage = tabStorage({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => void kept.set(key, text),
    removeItem: (key) => void kept.delete(key),
  } satisfies ThreadStorage);
  const tab = browser.open();
  return new Promise((resolve, reject) =>
    tab.run(() => {
      void (async () => {
        const saved = { name, storage };
        const thread = (await loadThread(saved)) ?? new Thread({ threadId: "t" });
        const stop = persist(thread, saved);
        return {
          thread,
          pending: () => thread.pending.map(({ update }) => (update as { messages: unknown }).messages),
          close() {
            stop();
            browser.close(tab);
          },
          async forget() {
            stop();
            const forgetting = new Promise<void>((resolve, reject) =>
              tab.run(() => void forgetThread(saved).then(resolve, reject)),
            );
            await vi.advanceTimersByTimeAsync(50);
            await forgetting;
          },
        };
      })().then(resolve, reject);
    }),
  );
}

async function opened(): Promise<OpenTab> {
  const tab = open();
  for (let steps = 0; steps < 50; steps++) await vi.advanceTimersByTimeAsync(1);
  return tab;
}

const message = (id: string) => ({ type: "human" as const, id, content: id });
const shown = ({ thread }: OpenTab) => thread.getConfirmedState().messages.map(({ id }) => id);
const ids = (tab: OpenTab) => tab.pending().flatMap((list) => (list as { id: string }[]).map(({ id }) => id));
const server = ({ thread }: OpenTab, ...all: string[]) =>
  thread.receive({ type: "values", values: { messages: all.map(message) } });

test("two tabs at once lose nothing, and what is pending in a closed tab is taken over by one other", async () => {
  const one = await opened();
  server(one, "a");
  one.thread.optimistic({ messages: [message("from one")] });
  await vi.advanceTimersByTimeAsync(2_000);
  const other = await opened();
  expect([shown(other), ids(other)]).toEqual([["a"], []]);
  server(other, "a", "b");
  other.thread.optimistic({ messages: [message("from other")] });
  await vi.advanceTimersByTimeAsync(2_000);
  one.close();
  other.close();
  const [third, fourth, fifth] = [await opened(), await opened(), await opened()];
  expect([ids(third), ids(fourth), ids(fifth)]).toEqual([["from other"], ["from one"], []]);
  expect([shown(third), shown(fourth), shown(fifth)]).toEqual([["a", "b"], ["a"], ["a", "b"]]);
});

test("a message that failed is one tab's to try again, of tabs that open at once", async () => {
  const first = await opened();
  server(first, "a");
  first.thread.optimistic({ messages: [message("lost")] }).fail(new Error("no"));
  await vi.advanceTimersByTimeAsync(2_000);
  first.close();
  const opening = Promise.all([open(), open(), open()]);
  for (let steps = 0; steps < 50; steps++) await vi.advanceTimersByTimeAsync(1);
  const tabs = await opening;
  expect(tabs.flatMap(ids)).toEqual(["lost"]);
  expect(tabs.map(shown)).toEqual([["a"], ["a"], ["a"]]);
});

test("a tab takes the record that was saved last, unless messages wait in another", async () => {
  const [one, other] = [await opened(), await opened()];
  server(other, "other");
  await vi.advanceTimersByTimeAsync(2_000);
  server(one, "one");
  await vi.advanceTimersByTimeAsync(2_000);
  one.close();
  other.close();
  const later = await opened();
  expect(shown(later)).toEqual(["one"]);
  later.close();
  const last = await opened();
  expect(shown(last)).toEqual(["one"]);
  const beside = await opened();
  expect(shown(beside)).toEqual(["other"]);
  beside.thread.optimistic({ messages: [message("waits")] });
  await vi.advanceTimersByTimeAsync(2_000);
  beside.close();
  server(last, "one", "two");
  await vi.advanceTimersByTimeAsync(2_000);
  last.close();
  expect(ids(await opened())).toEqual(["waits"]);
});

test("a long thread is copied with its blocks, and each tab's are its own", async () => {
  const long = Array.from({ length: 40 }, (_, at) => ({ ...message(`m${at}`), content: "x".repeat(8_000) }));
  const one = await opened();
  one.thread.receive({ type: "values", values: { messages: long } });
  await vi.advanceTimersByTimeAsync(2_000);
  expect([...kept.keys()].some((name) => name.startsWith("chat#"))).toBe(true);
  const other = await opened();
  expect(shown(other)).toEqual(long.map(({ id }) => id));
  other.thread.receive({ type: "values", values: { messages: long.slice(0, 30) } });
  await vi.advanceTimersByTimeAsync(2_000);
  expect([...kept.keys()].some((name) => name.startsWith("chat@1#"))).toBe(true);
  one.close();
  expect(shown(await opened())).toHaveLength(40);
  other.close();
  expect(shown(await opened())).toHaveLength(30);
});

test("a thread that is forgotten leaves its place to another", async () => {
  const [one, other] = [await opened(), await opened()];
  server(one, "one");
  server(other, "other");
  await vi.advanceTimersByTimeAsync(2_000);
  await one.forget();
  one.close();
  other.close();
  const next = await opened();
  expect(shown(next)).toEqual(["other"]);
});

test("a forgotten thread does not come back from a closed tab, with its blocks neither", async () => {
  const long = Array.from({ length: 40 }, (_, at) => ({ ...message(`m${at}`), content: "secret".padEnd(8_000) }));
  const [one, other, third] = [await opened(), await opened(), await opened()];
  server(one, "one");
  other.thread.receive({ type: "values", values: { messages: long } });
  other.thread.optimistic({ messages: [message("waits")] });
  server(third, "third");
  await vi.advanceTimersByTimeAsync(2_000);
  other.close();
  await one.forget();
  expect([...kept.values()].join("")).not.toMatch(/secret|waits|"one"/);
  expect([...kept.keys()].filter((name) => name.includes("#"))).toEqual([]);
  // An open tab shows the thread still.
  expect(kept.get("chat@2")).toContain("third");
  const next = await opened();
  expect([shown(next), ids(next)]).toEqual([["third"], []]);
});

test.each(["chat@1", "chat#0"])(
  "a thread named %s is not taken for a record of the thread named chat",
  async (name) => {
    const [one, same] = [await opened(), await opened()];
    const other = open(name);
    await vi.advanceTimersByTimeAsync(50);
    server(one, "one");
    server(same, "same");
    server(await other, "other");
    await vi.advanceTimersByTimeAsync(2_000);
    for (const tab of [one, same, await other]) tab.close();
    const again = open(name);
    await vi.advanceTimersByTimeAsync(50);
    expect(shown(await again)).toEqual(["other"]);
    expect([shown(await opened()), shown(await opened())].sort()).toEqual([["one"], ["same"]]);
  },
);

test("a storage that fails once keeps no record from its page", async () => {
  const first = await opened();
  first.thread.optimistic({ messages: [message("unsent")] });
  await vi.advanceTimersByTimeAsync(2_000);
  first.close();
  let fails = true;
  const storage = tabStorage({
    getItem(key) {
      if (!fails || key === "chat") return kept.get(key);
      fails = false;
      throw new Error("once");
    },
    setItem: (key, text) => void kept.set(key, text),
  });
  const errors: unknown[] = [];
  let thread: Thread | undefined;
  browser.open().run(() => {
    void (async () => {
      await loadThread({ name: "chat", storage, onError: ({ code }) => errors.push(code) });
      thread = await loadThread({ name: "chat", storage });
    })();
  });
  await vi.advanceTimersByTimeAsync(50);
  expect([errors, thread?.pending.length]).toEqual([["STORAGE_FAILED"], 1]);
});

test("without locks it is the storage as it was", async () => {
  vi.stubGlobal("navigator", {});
  const storage = tabStorage({ getItem: (name) => kept.get(name), setItem: (name, text) => void kept.set(name, text) });
  void storage.setItem("chat", "{}");
  expect([storage.getItem("chat"), [...kept]]).toEqual(["{}", [["chat", "{}"]]]);
  await Promise.resolve();
});
