// @vitest-environment jsdom
// The state of a runner that a component renders.
import { act, createElement as h } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { useChat, useRun, type Chat } from "threadfold/react";
import { StubServer, turn } from "../runner/stub-server.js";
import { agUiWire, langGraphWire } from "../runner/stub-wires.js";
import { expectNoComplaints, hydrate, mount } from "./mount";

expectNoComplaints();

function open() {
  const server = new StubServer(agUiWire);
  const runner = new AgUiRunner(new Thread<AgUiState>(), { url: "http://stub/agent", fetch: server.fetch });
  const seen: Chat<AgUiState, object>[] = [];
  const All = () => {
    const chat = useChat(runner);
    seen.push(chat as never);
    return h("p", {}, chat.status);
  };
  return { server, runner, seen, All };
}

const settled = (what: () => Promise<unknown>) =>
  act(async () => {
    await what();
    for (let turns = 0; turns < 5; turns++) await turn();
  });

test("the runner's actions, one render for each change and none for a token", async () => {
  const { runner, seen, All } = open();
  const { host, root } = await mount(h(All));
  await settled(() => runner.sendMessage("Say many words to me"));
  expect(host.textContent).toBe("ready");
  expect(seen.length).toBeLessThanOrEqual(4);
  const before = seen.length;
  runner.thread.update({ todos: [] });
  await act(async () => root.render(h(All)));
  expect(seen.length).toBe(before + 1);
  expect(seen.at(-1)).toBe(seen.at(-2));
  await act(async () => root.unmount());
});

test("the error, and the interrupts", async () => {
  const { server, runner, seen, All } = open();
  await mount(h(All));
  server.faults = { refuse: 503 };
  await settled(() => runner.sendMessage("Hi"));
  expect(seen.at(-1)).toMatchObject({ status: "error", error: { status: 503 }, interrupts: [] });
  await settled(() => runner.sendMessage("Ask"));
  expect(seen.at(-1)).toMatchObject({ status: "interrupted", error: undefined, interrupts: [{ message: "Ask" }] });
  expect(seen.at(-1)?.interrupts).toBe(runner.interrupts);
});

test("an error other than an object is one object, and another interrupt is reported", async () => {
  const { runner, seen, All } = open();
  await mount(h(All));
  const { thread } = runner;
  await act(async () => {
    thread.receive({ type: "run-started", runId: "r1" });
    thread.receive({ type: "run-error", error: "no" });
    thread.flush();
  });
  expect(seen.at(-1)?.error).toMatchObject({ message: "no", code: "RUN_FAILED" });
  expect(runner.error).toBe(runner.error);
  for (const id of ["one", "two"]) {
    await act(async () => {
      thread.receive({ type: "run-started", runId: id });
      thread.receive({ type: "run-finished", interrupts: [{ id }] });
      thread.flush();
    });
    expect(seen.at(-1)?.interrupts.map((asked) => asked.id)).toEqual([id]);
  }
});

test("a selection renders for itself alone", async () => {
  const { runner } = open();
  let renders = 0;
  const Busy = () => {
    renders++;
    return h("p", {}, String(useRun(runner, ({ status }) => status === "submitted" || status === "streaming")));
  };
  const { host } = await mount(h(Busy));
  await settled(() => runner.sendMessage("Hi"));
  expect([host.textContent, renders <= 3]).toEqual(["false", true]);
});

test("on a server and during hydration it is ready", async () => {
  const { server, runner, All } = open();
  server.faults = { refuse: 500 };
  await runner.sendMessage("Hi");
  expect(runner.status).toBe("error");
  const html = renderToString(h(All));
  expect(html).toBe("<p>ready</p>");
  const { host, errors } = await hydrate(html, h(All));
  expect([errors, host.textContent]).toEqual([[], "error"]);
});

test("that a thread opens, not that it is loaded again", async () => {
  const stub = new StubServer(langGraphWire);
  const options = { apiUrl: "http://stub", assistantId: "agent" };
  const first = new LangGraphRunner(new Thread(), { ...options, fetch: stub.fetch });
  await first.sendMessage("Hi");
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const fetch: typeof globalThis.fetch = async (...request) => {
    await held;
    return stub.fetch(...request);
  };
  const runner = new LangGraphRunner(new Thread({ threadId: first.thread.threadId }), { ...options, fetch });
  const Opening = () => {
    const { isThreadLoading, messageIds } = useChat(runner);
    return h("p", {}, isThreadLoading ? "opens" : messageIds.length);
  };
  const { host } = await mount(h(Opening));
  expect(host.textContent).toBe("0");
  let opened: Promise<unknown> | undefined;
  await act(async () => {
    opened = runner.load();
  });
  expect(host.textContent).toBe("opens");
  answer();
  await settled(() => opened as Promise<unknown>);
  expect(host.textContent).toBe("2");
  await act(async () => {
    opened = runner.load();
  });
  expect(host.textContent).toBe("2");
  await settled(() => opened as Promise<unknown>);
});
