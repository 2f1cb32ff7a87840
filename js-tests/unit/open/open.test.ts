// @vitest-environment jsdom
// A conversation by one call: opened by its key, with its first subscriber or call, over a reload and a hot reload.
import { act, createElement as h, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { beforeEach, expect, test, vi } from "vitest";
import { textOf } from "threadfold";
import { AgUiRunner, openAgUi } from "threadfold/ag-ui";
import { LangGraphRunner, openLangGraph } from "threadfold/langgraph";
import { useChat, useMessage } from "threadfold/react";
import { expectNoComplaints, hydrate, mount } from "../react/mount";
import { StubServer, turn, until } from "../runner/stub-server.js";
import { agUiWire, langGraphWire } from "../runner/stub-wires.js";

const OPENED = Symbol.for("threadfold.opened");
/** Forgets the open conversations, as a reload does; the tab's storage stays. */
const reload = () => delete (globalThis as { [OPENED]?: unknown })[OPENED];
const leave = () => window.dispatchEvent(new Event("pagehide"));

beforeEach(() => {
  reload();
  sessionStorage.clear();
});
expectNoComplaints();

const URL = "http://stub/agent";
const opened = (server: StubServer, more: object = {}) => openAgUi({ url: URL, fetch: server.fetch, ...more });
const texts = ({ thread }: { thread: { getState(): { messages: readonly object[] } } }) =>
  thread.getState().messages.map(textOf);

test("the same key is the same runner, and new options replace the old ones", async () => {
  const server = new StubServer(agUiWire);
  const heard: string[] = [];
  const one = opened(server, { onEvent: () => heard.push("one") });
  expect(one).toBeInstanceOf(AgUiRunner);
  expect(opened(server, { onEvent: () => heard.push("two") })).toBe(one);
  expect(opened(server, { threadId: "other", onEvent: () => heard.push("other") })).not.toBe(one);
  expect(openAgUi({ url: "http://stub/another" })).not.toBe(one);
  expect(opened(server, { key: "mine" })).toBe(openAgUi({ url: "http://elsewhere", key: "mine" }));
  opened(server, { onEvent: () => heard.push("two") });
  await one.sendMessage("Hi");
  expect(new Set(heard)).toEqual(new Set(["two"]));
  one.dispose();
  const again = opened(server);
  expect(again).not.toBe(one);
  expect([one.isDisposed, one.thread.isDisposed, again.isDisposed]).toEqual([true, true, false]);
});

test("a page reads nothing and asks nothing before the first subscriber", async () => {
  const server = new StubServer(agUiWire);
  const read = vi.spyOn(Storage.prototype, "getItem");
  const chat = opened(server, { threadId: "t1" });
  expect([chat.status, chat.thread.messageIds, chat.thread.threadId]).toEqual(["ready", [], "t1"]);
  await turn();
  expect([read.mock.calls.length, server.requests.length]).toEqual([0, 0]);
  const [one, two] = [chat.subscribe(() => {}), chat.thread.subscribe(() => {})];
  one();
  two();
  chat.thread.subscribeMessage("m", () => {})();
  // Its own name, and the one from before it had an id.
  expect(read.mock.calls.length).toBe(2);
});

test("after a reload the saved thread is there, with what had failed, and the server hears the same thread's id", async () => {
  const server = new StubServer(agUiWire);
  const first = opened(server);
  await first.sendMessage("Hi");
  server.faults = { refuse: 503 };
  await first.sendMessage("Lost");
  const before = texts(first);
  leave();
  reload();
  server.faults = {};
  const second = opened(server);
  expect([second === first, texts(second)]).toEqual([false, []]);
  const heard: number[] = [];
  second.thread.subscribe(({ messages }) => heard.push(messages.length));
  expect(texts(second)).toEqual(before);
  expect(second.thread.getInitialState().messages).toEqual([]);
  expect(second.thread.threadId).toBe(first.thread.threadId);
  await until(() => second.status === "error");
  expect(second.thread.pending.map(({ status }) => status)).toEqual(["failed"]);
  expect((await second.retry()).status).toBe("finished");
  expect(second.status).toBe("ready");
});

test("a thread that got its id after it was opened is there when the page opens it by that id", async () => {
  const server = new StubServer(langGraphWire);
  const common = { apiUrl: "http://stub", assistantId: "agent", fetch: server.fetch };
  let threadId: string | undefined;
  const first = openLangGraph({ ...common, onThreadId: (id: string) => (threadId = id) });
  await first.sendMessage("Hi");
  server.faults = { refuse: 503 };
  await first.sendMessage("Lost");
  const before = texts(first as never);
  leave();
  reload();
  const second = openLangGraph({ ...common, threadId });
  second.thread.subscribe(() => {});
  expect([threadId, texts(second as never)]).toEqual([first.thread.threadId, before]);
  expect(second.thread.pending.map(({ status }) => status)).toEqual(["failed"]);
  const other = openLangGraph({ ...common, threadId: "another" });
  other.thread.subscribe(() => {});
  expect(texts(other as never)).toEqual([]);
});

test("a store of the thread that looks before it subscribes is notified of the saved one", async () => {
  const server = new StubServer(agUiWire);
  await opened(server, { key: "looks" }).sendMessage("Hi");
  leave();
  reload();
  const { thread } = opened(server, { key: "looks" });
  let shown = texts({ thread });
  thread.subscribe(() => (shown = texts({ thread })));
  expect(shown).toContain("Hi");
});

test("a run under way is joined after a reload", async () => {
  const parts = [
    { type: "RUN_STARTED", threadId: "t1", runId: "r1" },
    { type: "TEXT_MESSAGE_START", messageId: "a", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "Hel" },
  ];
  const rest = [
    { type: "TEXT_MESSAGE_CONTENT", messageId: "a", delta: "lo" },
    { type: "TEXT_MESSAGE_END", messageId: "a" },
    { type: "RUN_FINISHED", threadId: "t1", runId: "r1" },
  ];
  const transport = {
    async *run() {
      yield* parts;
      await new Promise(() => {});
    },
    async *join() {
      yield* [...parts, ...rest];
    },
  };
  const first = openAgUi({ transport: transport as never, key: "joined", threadId: "t1" });
  void first.sendMessage("Hi");
  await until(() => texts(first).at(-1) === "Hel");
  leave();
  reload();
  const second = openAgUi({ transport: transport as never, key: "joined", threadId: "t1" });
  second.subscribe(() => {});
  await until(() => second.status === "ready");
  expect(texts(second)).toEqual(["Hi", "Hello"]);
});

test("a storage that answers later: listeners hear of it, and a message sent before stands after what was saved", async () => {
  const server = new StubServer(agUiWire);
  const first = opened(server);
  await first.sendMessage("One");
  leave();
  const shelf = new Map(Object.entries({ ...sessionStorage }));
  reload();
  const storage = {
    getItem: async (name: string) => {
      await turn();
      return shelf.get(name);
    },
    setItem: (name: string, text: string) => void shelf.set(name, text),
  };
  const second = opened(server, { storage });
  const heard: string[] = [];
  const leaveRunner = second.subscribe(() => heard.push(second.status));
  const sent = second.sendMessage("Two");
  expect(texts(second)).toEqual([]);
  await sent;
  expect(texts(second).filter((_, at) => at % 2 === 0)).toEqual(["One", "Two"]);
  expect(heard).toContain("streaming");
  leaveRunner();
  const before = heard.length;
  await second.sendMessage("Three");
  expect(heard.length).toBe(before);
});

test("StrictMode, a server's html and hydration: opened once, no mismatch, no request in render", async () => {
  const server = new StubServer(agUiWire);
  const saved = opened(server);
  await saved.sendMessage("Hi");
  leave();
  reload();
  server.requests.length = 0;
  const Message = ({ id }: { id: string }) => {
    const message = useMessage(opened(server), id);
    return h("p", {}, message && textOf(message));
  };
  const Chat = () => {
    const { messageIds } = useChat(opened(server));
    return h(
      "div",
      {},
      messageIds.map((id) => h(Message, { key: id, id })),
    );
  };
  const html = renderToString(h(Chat));
  expect(html).toBe("<div></div>");
  const { host, root, errors } = await hydrate(html, h(StrictMode, {}, h(Chat)));
  await act(turn);
  expect(errors).toEqual([]);
  expect(host.querySelectorAll("p").length).toBe(2);
  const { host: other } = await mount(h(StrictMode, {}, h(Chat)));
  expect(other.querySelectorAll("p").length).toBe(2);
  await act(() => opened(server).sendMessage("Again"));
  await act(turn);
  expect([host, other].map((one) => one.querySelectorAll("p").length)).toEqual([4, 4]);
  expect(server.requests.length).toBe(1);
  await act(async () => root.unmount());
});

test("a call works detached, and nothing is saved with storage: false", async () => {
  const server = new StubServer(langGraphWire);
  const write = vi.spyOn(Storage.prototype, "setItem");
  const { sendMessage, thread, ...rest } = openLangGraph({
    apiUrl: "http://stub",
    assistantId: "agent",
    fetch: server.fetch,
    storage: false,
  }) as LangGraphRunner;
  expect(rest).toBeDefined();
  expect((await sendMessage("Hi")).status).toBe("finished");
  expect(thread.getState().messages.map(textOf)[0]).toBe("Hi");
  leave();
  expect(write.mock.calls.filter(([name]) => name.includes("langgraph"))).toEqual([]);
});

test("wrong options are refused when it is opened", () => {
  const refused = (code: string, message: string) =>
    expect.objectContaining({ code, message: expect.stringContaining(message) as string });
  expect(() => openAgUi({ url: URL, headesr: {} } as never)).toThrow(refused("UNKNOWN_OPTION", "'headers'"));
  expect(() => openAgUi({ transport: { run: () => [] } as never })).toThrow(refused("INVALID_ARGUMENT", "`key`"));
  expect(() => openLangGraph({ apiUrl: "http://stub" } as never)).toThrow(refused("INVALID_ARGUMENT", "assistantId"));
});

test("what is sent without a network goes out once it is back", async () => {
  const server = new StubServer(agUiWire);
  const chat = opened(server, { rejoinDelays: [0] });
  server.faults = { lose: true };
  expect(await chat.sendMessage("Hi")).toMatchObject({ status: "finished" });
  expect(texts(chat)).toEqual(["Hi", "You said Hi, which is message 1."]);
  const other = opened(server, { key: "other", whileOffline: "fail" });
  server.faults = { lose: true };
  expect(await other.sendMessage("Hi")).toMatchObject({ status: "error", error: { code: "NO_CONNECTION" } });
});
