// @vitest-environment jsdom
// Svelte's own stores and components, with a thread where a store is expected.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { derived, get, readable, type Readable } from "svelte/store";
import { expect, test, vi } from "vitest";
import { Thread } from "threadfold";

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

test("a thread is a readable store: get and derived", () => {
  using thread = threadOf();
  const store: Readable<State> = thread;
  expect(get(store)).toBe(thread.getState());
  const seen: unknown[] = [];
  const end = derived(store, ({ messages }) => messages[0]?.content).subscribe((content) => void seen.push(content));
  say(thread, "b");
  thread.update({ topic: "x" });
  end();
  say(thread, "c");
  expect(seen).toEqual(["a", "ab"]);
});

test("the run and pending updates are stores through Svelte's own", () => {
  using thread = threadOf();
  const run = derived(thread as Readable<State>, () => thread.run);
  const failed = readable(0, (set) =>
    thread.subscribe(() => set(thread.pending.filter(({ status }) => status === "failed").length)),
  );
  const seen: unknown[] = [];
  run.subscribe(({ status }) => void seen.push(status));
  failed.subscribe((count) => void seen.push(count));
  thread.optimistic({ topic: "x" }).fail("no");
  expect(seen).toEqual(["ready", 0, "ready", "ready", 1]);
});

test("readable(…, thread.subscribe) starts with the current state", () => {
  using thread = threadOf();
  const store = readable(thread.getState(), thread.subscribe);
  say(thread, "b");
  expect(get(store)).toBe(thread.getState());
});

test("a listener without a second argument is not called before a change", () => {
  using thread = threadOf();
  const listener = vi.fn();
  thread.subscribe(listener);
  expect(listener).not.toHaveBeenCalled();
});

function bundled<T>(generate: "client" | "server", exports: string): T {
  const text = execFileSync(process.execPath, [join(import.meta.dirname, "svelte-bundle.mjs"), generate, exports], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return new Function(`${text}; return bundle;`)() as T;
}

test("$thread in a component", () => {
  type Svelte = {
    Chat: object;
    mount(component: object, options: object): object;
    unmount(mounted: object): void;
    flushSync(): void;
  };
  const { Chat, mount, unmount, flushSync } = bundled<Svelte>(
    "client",
    `export { default as Chat } from "chat"; export { mount, unmount, flushSync } from "svelte";`,
  );
  using thread = threadOf();
  const target = document.createElement("main");
  const mounted = mount(Chat, { target, props: { thread } });
  expect(target.textContent).toBe("a none");
  say(thread, "b");
  flushSync();
  expect(target.textContent).toBe("ab none");
  thread.update({ topic: "x" });
  flushSync();
  expect(target.textContent).toBe("ab x");
  unmount(mounted);
});

test("$thread on a server", () => {
  type Svelte = { Chat: object; render(component: object, options: object): { body: string } };
  const { Chat, render } = bundled<Svelte>(
    "server",
    `export { default as Chat } from "chat"; export { render } from "svelte/server";`,
  );
  using thread = threadOf();
  say(thread, "b");
  expect(render(Chat, { props: { thread } }).body).toContain("ab none");
});
