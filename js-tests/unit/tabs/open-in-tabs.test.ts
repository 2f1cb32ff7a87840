// @vitest-environment jsdom
// Conversations opened in tabs that share a storage.
import { textOf } from "threadfold";
import { openAgUi, type AgUiRunner } from "threadfold/ag-ui";
import { tabStorage } from "threadfold/tabs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BrowserStandIn } from "./browser-stand-in.js";

const OPENED = Symbol.for("threadfold.opened");
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

const pass = async (milliseconds: number) => {
  for (let steps = 0; steps < 50; steps++) await vi.advanceTimersByTimeAsync(milliseconds / 50);
};

/** Opens a conversation in a tab of its own, of a page without a network. */
async function open(threadId?: string) {
  const storage = tabStorage({
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
  });
  const fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  const tab = browser.open();
  delete (globalThis as { [OPENED]?: unknown })[OPENED];
  sessionStorage.clear();
  const chat = await new Promise<AgUiRunner>((resolve) =>
    tab.run(() => resolve(openAgUi({ url: "http://page/agent", fetch, storage, threadId }))),
  );
  tab.run(() => void chat.subscribe(() => {}));
  await pass(100);
  return {
    chat,
    texts: () => chat.thread.getState().messages.map(textOf),
    run: (work: () => void) => tab.run(work),
    close() {
      tab.run(() => chat.dispose());
      browser.close(tab);
    },
  };
}

test("a thread opened by its id takes only its own record of the conversation that had none", async () => {
  const one = await open();
  one.run(() => void one.chat.sendMessage("Hi"));
  await pass(2_500);
  const { threadId } = one.chat.thread;
  one.close();
  await pass(100);
  const other = await open("other");
  expect(other.texts()).toEqual([]);
  const again = await open();
  expect([again.texts(), again.chat.thread.pending.length]).toEqual([["Hi"], 1]);
  again.close();
  await pass(100);
  expect((await open(threadId)).texts()).toEqual(["Hi"]);
});
