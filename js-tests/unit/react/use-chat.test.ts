// @vitest-environment jsdom
// A chat in one hook, and the hooks of its parts, which take the runner.
import { act, createElement as h, memo } from "react";
import { renderToString } from "react-dom/server";
import { expect, expectTypeOf, test } from "vitest";
import { textOf, Thread, type AgUiMessage, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import {
  useChat,
  useMessage,
  useMessageIds,
  usePending,
  useRun,
  useThread,
  useToolResult,
  type Chat,
} from "threadfold/react";
import { StubServer, turn } from "../runner/stub-server.js";
import { agUiWire } from "../runner/stub-wires.js";
import { expectNoComplaints, hydrate, mount } from "./mount";

expectNoComplaints();

function open() {
  const server = new StubServer(agUiWire);
  const runner = new AgUiRunner(new Thread<AgUiState>(), { url: "http://stub/agent", fetch: server.fetch });
  const seen: Chat<AgUiState, object>[] = [];
  const texts: string[] = [];
  const Message = memo(({ id }: { id: string }) => {
    const message = useMessage(runner, id);
    expectTypeOf(message).toEqualTypeOf<AgUiMessage | undefined>();
    texts.push(message ? textOf(message) : "");
    return h("p", {}, message && textOf(message));
  });
  const All = () => {
    const chat = useChat(runner);
    seen.push(chat as never);
    return h(
      "div",
      {},
      chat.messageIds.map((id) => h(Message, { key: id, id })),
    );
  };
  return { server, runner, seen, texts, All };
}

/** React 18 renders when an `act` ends, so each turn of the event loop has one of its own. */
async function settled(what: () => Promise<unknown>) {
  let done: Promise<unknown> | undefined;
  await act(async () => void (done = what()));
  for (let turns = 0; turns < 10; turns++) await act(turn);
  await act(async () => void (await done));
}

test("a sent message and its answer, by calls that work detached; a token renders one message", async () => {
  const { runner, seen, texts, All } = open();
  const { host, root } = await mount(h(All));
  const { sendMessage } = seen[0] as Chat<AgUiState, object>;
  await settled(() => sendMessage("Say many words to me"));
  expect(host.querySelectorAll("p").length).toBe(2);
  expect(host.textContent).toContain("Say many words to me");
  // Two new messages, three changes of the status, and no token.
  expect(seen.length).toBeLessThanOrEqual(6);
  expect(texts.length).toBeGreaterThan(2);
  expect(seen.at(-1)).toMatchObject({ status: "ready", error: undefined, interrupts: [], isThreadLoading: false });
  expect(seen.at(-1)?.sendMessage).toBe(sendMessage);
  expect(seen.at(-1)?.thread).toBe(runner.thread);
  await act(async () => root.unmount());
});

test("a failed run is seen, and retried by the chat's own call", async () => {
  const { server, seen, All } = open();
  await mount(h(All));
  server.faults = { refuse: 503 };
  await settled(() => (seen[0] as Chat<AgUiState, object>).sendMessage("Hi"));
  expect(seen.at(-1)).toMatchObject({ status: "error", error: { status: 503 } });
  server.faults = {};
  await settled(() => (seen.at(-1) as Chat<AgUiState, object>).retry());
  expect(seen.at(-1)).toMatchObject({ status: "ready", error: undefined });
});

test("every hook takes the runner for its thread", async () => {
  const { runner } = open();
  const { thread } = runner;
  thread.receive({ type: "message", message: { id: "t", role: "tool", toolCallId: "c", content: "42" } });
  thread.optimistic({ messages: [{ id: "q", role: "user", content: "Hi" }] });
  const pairs: [unknown, unknown][] = [];
  const Both = () => {
    pairs.push(
      [useMessageIds(runner), useMessageIds(thread)],
      [useMessage(runner, "q"), useMessage(thread, "q")],
      [usePending(runner), usePending(thread)],
      [usePending(runner, "q"), usePending(thread, "q")],
      [useRun(runner), useRun(thread)],
      [useThread(runner), useThread(thread)],
      [useThread(runner, (state) => state.messages.length), 2],
      [useToolResult(runner, "c"), useToolResult(thread, "c")],
    );
    return null;
  };
  await mount(h(Both));
  expect(pairs.length).toBeGreaterThanOrEqual(8);
  for (const [one, other] of pairs) expect(one).toBe(other);
  expect(pairs[1]?.[0]).toMatchObject({ content: "Hi" });
});

test("a server and hydration show the thread's initial values, and no mismatch", async () => {
  const { runner, All } = open();
  runner.thread.optimistic({ messages: [{ id: "q", role: "user", content: "Hi" }] });
  const html = renderToString(h(All));
  expect(html).toBe("<div></div>");
  const { host } = await hydrate(html, h(All));
  expect(host.textContent).toBe("Hi");
});
