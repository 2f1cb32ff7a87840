// @vitest-environment jsdom
// In a page: saved when it is hidden or left.
import { createElement as h, useEffect, act } from "react";
import { loadThread, persist } from "threadfold/persist";
import { afterEach, expect, test, vi } from "vitest";
import { mount } from "../react/mount";
import { ai, hear, text, threadOf } from "../thread/say.js";
import { Shelf } from "./storages.js";

const name = "chat";
afterEach(() => {
  vi.restoreAllMocks();
  localStorage.clear();
});

test.each(["pagehide", "visibilitychange"])("%s saves what is not saved yet", (event) => {
  using thread = threadOf(ai("1", "a"));
  const storage = new Shelf();
  const stop = persist(thread, { name, storage });
  const state = vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
  const target = event === "pagehide" ? window : document;
  document.dispatchEvent(new Event("visibilitychange"));
  hear(thread, text("1", "b"));
  document.dispatchEvent(new Event("visibilitychange"));
  expect(storage.writes).toEqual([]);
  state.mockReturnValue("hidden");
  target.dispatchEvent(new Event(event));
  expect(storage.contents(name)).toEqual(["ab"]);
  target.dispatchEvent(new Event(event));
  expect(storage.writes.length).toBe(1);
  stop();
  hear(thread, text("1", "c"));
  target.dispatchEvent(new Event(event));
  expect(storage.writes.length).toBe(1);
});

test("localStorage, and an effect that returns what stops it", async () => {
  const thread = threadOf(ai("1", "a"));
  const Saves = () => {
    useEffect(() => persist(thread, { name, storage: localStorage }), []);
    return null;
  };
  const { root } = await mount(h(Saves));
  hear(thread, text("1", "b"));
  expect(localStorage.getItem(name)).toBe(null);
  await act(async () => root.unmount());
  using again = await loadThread({ name, storage: localStorage });
  expect(again?.getState().messages).toEqual([ai("1", "ab")]);
});

test("a full localStorage keeps its contents", async () => {
  using thread = threadOf(ai("1", "a"));
  const errors: unknown[] = [];
  const stop = persist(thread, { name, storage: localStorage, onError: ({ cause }) => void errors.push(cause) });
  hear(thread, text("1", "b"));
  await stop.flush();
  hear(thread, text("1", "x".repeat(6_000_000)));
  await stop.flush();
  expect(errors).toEqual([expect.objectContaining({ name: "QuotaExceededError" })]);
  using again = await loadThread({ name, storage: localStorage });
  expect(again?.getState().messages).toEqual([ai("1", "ab")]);
  stop();
});
