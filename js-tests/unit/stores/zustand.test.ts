// @vitest-environment jsdom
// A thread where a zustand store, or any external store, is expected: no wrapper, no hook of ours.
import { act, createElement as h, StrictMode, useSyncExternalStore } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { useStore } from "zustand";
import { Thread } from "threadfold";
import { expectNoComplaints, hydrate, mount } from "../react/mount";

expectNoComplaints();

type State = {
  readonly messages: readonly { readonly id: string; readonly content: string }[];
  readonly topic?: string;
};
const threadOf = () =>
  new Thread<State>({ values: { messages: [{ id: "1", role: "assistant", content: "a" }] as never } });
const say = (thread: Thread<State>, text: string) => {
  thread.receive({ type: "text", messageId: "1", text });
  thread.flush();
};

test("zustand's useStore(thread), whole and by a selector", async () => {
  using thread = threadOf();
  let [wholes, topics] = [0, 0];
  const Whole = () => (wholes++, h("p", {}, useStore(thread).messages[0]?.content));
  const Topic = () => (
    topics++,
    h(
      "b",
      {},
      useStore(thread, (state) => state.topic ?? "none"),
    )
  );
  const { host, root } = await mount(h("div", {}, h(Whole), h(Topic)));
  expect(host.textContent).toBe("anone");
  await act(async () => say(thread, "b"));
  expect([host.textContent, wholes, topics]).toEqual(["abnone", 2, 1]);
  await act(async () => thread.update({ topic: "x" }));
  expect([host.textContent, wholes, topics]).toEqual(["abx", 3, 2]);
  await act(async () => root.unmount());
  thread.update({ topic: "y" });
  expect(wholes).toBe(3);
});

test("useSyncExternalStore(thread.subscribe, thread.getState), on the server and taken over", async () => {
  using thread = threadOf();
  const Whole = () =>
    h("p", {}, useSyncExternalStore(thread.subscribe, thread.getState, thread.getInitialState).messages[0]?.content);
  const html = renderToString(h(Whole));
  expect(html).toBe("<p>a</p>");
  say(thread, "b");
  expect(renderToString(h(Whole))).toBe("<p>a</p>");
  const { host, errors } = await hydrate(html, h(StrictMode, {}, h(Whole)));
  expect([errors, host.textContent]).toEqual([[], "ab"]);
  await act(async () => say(thread, "c"));
  expect(host.textContent).toBe("abc");
});

test("pending updates and the run are external stores, too", async () => {
  using thread = threadOf();
  const Status = () => {
    const run = useSyncExternalStore(thread.subscribe, () => thread.run);
    const pending = useSyncExternalStore(thread.subscribe, () => thread.pending);
    return h("p", {}, [run.status, ...pending.map(({ status }) => status)].join());
  };
  const { host } = await mount(h(Status));
  await act(async () => void thread.optimistic({ topic: "x" }));
  expect(host.textContent).toBe("ready,pending");
  await act(async () => {
    thread.receive({ type: "run-started", runId: "r" });
    thread.receive({ type: "run-error", error: "down" });
    thread.flush();
  });
  expect(host.textContent).toBe("error,failed");
});
