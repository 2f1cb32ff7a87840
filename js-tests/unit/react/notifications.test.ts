// @vitest-environment jsdom
// A thread notifies React within the task of each change, as on a page: outside of act().
import {
  createElement as h,
  memo,
  Profiler,
  startTransition,
  StrictMode,
  useDeferredValue,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import { createRoot, type Root } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Thread } from "threadfold";
import { useMessage, useMessageIds, usePending, useRun, useThread } from "threadfold/react";
import { complaints } from "./mount";

interface State {
  readonly messages: readonly { readonly id: string; readonly content: string }[];
  readonly topic?: string;
}

let said: unknown[][];
const roots: Root[] = [];
beforeEach(() => {
  said = complaints();
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", false);
});
afterEach(() => {
  for (const root of roots.splice(0)) root.unmount();
  expect(said).toEqual([]);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const threadOf = () =>
  new Thread<State>({ values: { messages: [{ id: "1", role: "assistant", content: "" }] as never } });
const useOfAll = (thread: Thread<State>) => useThread(thread, contentOf);
const useOfOne = (thread: Thread<State>) => useMessage(thread, "1")?.content;
const contentOf = ({ messages }: State) => messages[0]?.content;

/** Puts a component on the page, for real; it has subscribed when this returns. */
async function shown(node: ReactNode): Promise<HTMLElement> {
  const host = document.createElement("div");
  const root = createRoot(host);
  roots.push(root);
  await new Promise<void>((resolve) => {
    // An effect runs after its children's effects.
    const Ready = ({ children }: { children: ReactNode }) => {
      useEffect(resolve, []);
      return children;
    };
    root.render(h(Ready, undefined, node));
  });
  return host;
}

test("1,000 parts in one chunk render once, where they are read one by one", async () => {
  using thread = threadOf();
  let renders = 0;
  // Like a page that keeps something besides its view.
  const Message = () => {
    renders++;
    const content = useThread(thread, contentOf);
    const [length, setLength] = useState(0);
    useEffect(() => setLength(content?.length ?? 0), [content]);
    return h("p", {}, `${content} ${length}`);
  };
  const host = await shown(h(Message));
  const before = renders;
  for (let part = 0; part < 1_000; part++) {
    thread.receive({ type: "text", messageId: "1", text: "." });
    // As an iterator over the chunk's parts does.
    await Promise.resolve();
  }
  await expect.poll(() => host.textContent).toBe(`${".".repeat(1_000)} 1000`);
  expect(renders - before).toBeLessThanOrEqual(4);
});

test("a user's action is on the page when the event handler returns", async () => {
  using thread = threadOf();
  const Topic = () =>
    h(
      "p",
      {},
      useThread(thread, (state) => state.topic ?? "none"),
    );
  const host = await shown(h(Topic));
  thread.optimistic({ topic: "x" });
  await Promise.resolve();
  expect(host.textContent).toBe("x");
});

test("two roots of one thread show the same, each renders once", async () => {
  using thread = threadOf();
  const counts = { left: 0, right: 0 };
  const Root = ({ at }: { at: "left" | "right" }) => {
    counts[at]++;
    return h("p", {}, useThread(thread, contentOf) || "nothing");
  };
  const hosts = [await shown(h(Root, { at: "left" })), await shown(h(Root, { at: "right" }))];
  for (let part = 0; part < 100; part++) thread.receive({ type: "text", messageId: "1", text: "." });
  await expect.poll(() => hosts.map((host) => host.textContent)).toEqual([".".repeat(100), ".".repeat(100)]);
  expect(counts).toEqual({ left: 2, right: 2 });
});

test.each([
  ["useThread", useOfAll],
  ["useMessage", useOfOne],
  // Half of them so, half of them so.
  ["both", (thread: Thread<State>, id: string) => (Number(id) % 2 ? useOfOne : useOfAll)(thread)],
])("a transition under way shows one state in all components, though the stream goes on: %s", async (_, useContent) => {
  // Not freed: outside act React's effects may come after the view.
  const thread = threadOf();
  const torn: unknown[] = [];
  const seen = new Map<string, unknown>();
  const Part = ({ id }: { id: string }) => {
    const content = useContent(thread, id);
    // Long enough for React to give the page a turn between two of them.
    const until = performance.now() + 3;
    while (performance.now() < until);
    useEffect(() => void seen.set(id, content));
    return h("i", {}, content?.length ?? 0, ",");
  };
  let show: (count: number) => void = () => undefined;
  const Parts = () => {
    const [count, setCount] = useState(1);
    show = setCount;
    return h(
      "p",
      {},
      Array.from({ length: count }, (_, at) => h(Part, { key: at, id: `${at}` })),
    );
  };
  const check = () => {
    if (new Set(seen.values()).size > 1) torn.push([...seen.values()]);
  };
  const host = await shown(h(Profiler, { id: "all", onRender: () => setTimeout(check) }, h(Parts)));
  startTransition(() => show(12));
  for (let part = 0; part < 20; part++) {
    thread.receive({ type: "text", messageId: "1", text: "." });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await expect.poll(() => host.textContent).toBe("20,".repeat(12));
  expect(torn).toEqual([]);
});

test("a deferred value of a message lags and catches up, a list of ids with it", async () => {
  const thread = threadOf();
  const Whole = memo(({ content }: { content: string }) => {
    const until = performance.now() + 5;
    while (performance.now() < until);
    return h("b", {}, content);
  });
  const Message = ({ id }: { id: string }) => {
    const content = useMessage(thread, id)?.content ?? "";
    return h("p", {}, content, "|", h(Whole, { content: useDeferredValue(content) }));
  };
  const List = () => useMessageIds(thread).map((id) => h(Message, { key: id, id }));
  const host = await shown(h(StrictMode, {}, h(List)));
  for (let part = 0; part < 20; part++) {
    thread.receive({ type: "text", messageId: "1", text: "." });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  thread.update({ messages: [{ id: "2", role: "assistant", content: "x" }] as never });
  const dots = ".".repeat(20);
  await expect.poll(() => host.textContent).toBe(`${dots}|${dots}x|x`);
});

test("a component that shows a failure renders for it, and for the connection, though the state is unchanged", async () => {
  using thread = threadOf();
  const renders = { run: 0, state: 0 };
  const Status = () => {
    renders.run++;
    const status = useRun(thread, (run) => run.status);
    const failed = usePending(thread).filter((update) => update.status === "failed");
    return h(
      "p",
      {},
      status,
      failed.map(({ error }) => ` ${String(error)}`),
    );
  };
  const Whole = () => (renders.state++, useThread(thread), null);
  const op = thread.optimistic({ topic: "x" });
  const host = await shown(h(StrictMode, {}, h(Status), h(Whole)));
  expect(host.textContent).toBe("ready");
  const before = renders.state;
  thread.receive({ type: "run-started", runId: "r" });
  await expect.poll(() => host.textContent).toBe("submitted");
  thread.receive({ type: "message-finished", messageId: "1", id: "4" });
  await expect.poll(() => host.textContent).toBe("streaming");
  const running = renders.run;
  thread.receive({ type: "message-finished", messageId: "1", id: "5" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect([thread.run.lastEventId, renders.run]).toEqual(["5", running]);
  thread.receive({ type: "disconnected", error: "cut" });
  await expect.poll(() => host.textContent).toBe("disconnected");
  thread.receive({ type: "run-error", error: "down" });
  await expect.poll(() => host.textContent).toBe("error ThreadfoldError: down");
  op.retry();
  await expect.poll(() => host.textContent).toBe("error");
  expect(renders.state).toBe(before);
});

test("on a server no run and no pending update exists", () => {
  using thread = threadOf();
  thread.optimistic({ topic: "x" });
  thread.receive({ type: "run-started", runId: "r" });
  const Status = () => h("p", {}, useRun(thread).status, usePending(thread).length);
  expect(renderToString(h(Status))).toBe("<p>ready<!-- -->0</p>");
});

test("a thread without our hooks is as quiet", async () => {
  using thread = threadOf();
  let renders = 0;
  const Message = () => {
    renders++;
    return h("p", {}, contentOf(useSyncExternalStore(thread.subscribe, thread.getState)) || "nothing");
  };
  const host = await shown(h(Message));
  for (let part = 0; part < 500; part++) {
    thread.receive({ type: "text", messageId: "1", text: "." });
    await Promise.resolve();
  }
  await expect.poll(() => host.textContent).toBe(".".repeat(500));
  expect(renders).toBe(2);
});
