// @vitest-environment jsdom
// useToolResult: which components render, and at which cost.
import { act, createElement as h, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { beforeEach, expect, expectTypeOf, test, vi } from "vitest";
import { type AgUiMessage, type AgUiState, type LangChainMessage, removeMessage, textOf, Thread } from "threadfold";
import { useToolResult } from "threadfold/react";
import { expectNoComplaints, hydrate, mount } from "./mount";

const asks = (id: string, ...calls: string[]): AgUiMessage => ({
  id,
  role: "assistant",
  content: "",
  toolCalls: calls.map((call) => ({ id: call, type: "function", function: { name: "search", arguments: "{}" } })),
});
const result = (toolCallId: string, content: string, id = `result-${toolCallId}`): AgUiMessage => ({
  id,
  role: "tool",
  toolCallId,
  content,
});
const threadOf = (...messages: AgUiMessage[]) => new Thread<AgUiState>({ values: { messages } });

let renders: string[];
beforeEach(() => {
  renders = [];
});
expectNoComplaints();

function Call({ thread, id }: { thread: Thread<AgUiState>; id: string }): ReactNode {
  const found = useToolResult(thread, id);
  const shown = `${id}:${found ? textOf(found) : "…"} `;
  renders.push(shown.trim());
  return shown;
}

const calls = (thread: Thread<AgUiState>, ...ids: string[]) => ids.map((id) => h(Call, { key: id, thread, id }));

test("a result renders its own call: when it comes, changes and goes", async () => {
  const thread = threadOf(asks("a", "c1", "c2"));
  const { host } = await mount(calls(thread, "c1", "c2"));
  expect(renders.splice(0)).toEqual(["c1:…", "c2:…"]);
  await act(async () => thread.receive({ type: "message", message: result("c1", "sun") }));
  expect(renders.splice(0)).toEqual(["c1:sun"]);
  await act(async () => thread.receive({ type: "message", message: result("c1", "rain") }));
  expect(renders.splice(0)).toEqual(["c1:rain"]);
  await act(async () => thread.receive({ type: "message", message: result("c2", "wind") }));
  await act(async () => thread.update({ messages: [removeMessage("result-c1")] }));
  expect(renders.splice(0)).toEqual(["c2:wind", "c1:…"]);
  expect(host.textContent).toBe("c1:… c2:wind ");
});

test("a result that the server has under another id is the call's", async () => {
  const thread = threadOf(asks("a", "c1"), result("c1", "sun"));
  const { host } = await mount(calls(thread, "c1"));
  await act(async () => thread.receive({ type: "messages", messages: [asks("a", "c1"), result("c1", "rain", "srv")] }));
  expect([thread.messageIds, host.textContent]).toEqual([["a", "srv"], "c1:rain "]);
});

test("another call, and another thread, are shown at once", async () => {
  const [old, fresh] = [threadOf(result("c1", "one"), result("c2", "two")), threadOf(result("c2", "fresh"))];
  const { host, root } = await mount(h(Call, { thread: old, id: "c1" }));
  await act(async () => root.render(h(Call, { thread: old, id: "c2" })));
  expect(host.textContent).toBe("c2:two ");
  await act(async () => root.render(h(Call, { thread: fresh, id: "c2" })));
  expect(host.textContent).toBe("c2:fresh ");
  renders = [];
  await act(async () => old.update({ messages: [removeMessage("result-c2")] }));
  expect(renders).toEqual([]);
});

test("a token asks for no message but the one that grew", async () => {
  const ids = Array.from({ length: 500 }, (_, at) => `c${at}`);
  const thread = threadOf(asks("a", ...ids), ...ids.map((id) => result(id, id)));
  thread.receive({ type: "message", message: { id: "b", role: "assistant", content: "" }, streaming: true });
  await mount(calls(thread, ...ids));
  renders = [];
  const asked = [vi.spyOn(thread, "getMessage"), vi.spyOn(thread, "messageIds", "get")];
  for (let part = 0; part < 10; part++)
    await act(async () => thread.receive({ type: "text", messageId: "b", text: "." }));
  expect(renders).toEqual([]);
  expect(asked.map((spy) => spy.mock.calls.length)).toEqual([0, 10]);
});

test("a server renders the result that the thread was made with; hydration takes it over", async () => {
  const thread = threadOf(asks("a", "c1", "c2"), result("c1", "sun"));
  const html = renderToString(calls(thread, "c1", "c2"));
  thread.receive({ type: "message", message: result("c2", "wind") });
  expect(renderToString(calls(thread, "c1", "c2"))).toBe(html);
  const { host, errors } = await hydrate(html, calls(thread, "c1", "c2"));
  expect([errors, host.textContent]).toEqual([[], "c1:sun c2:wind "]);
});

test("LangChain's results are found by their tool_call_id", async () => {
  const thread = new Thread({ values: { messages: [{ type: "tool", id: "r", tool_call_id: "c1", content: "sun" }] } });
  const One = () => useToolResult(thread, "c1")?.content as string;
  expect((await mount(h(One))).host.textContent).toBe("sun");
});

test("its type is that of the thread's tool results", () => {
  const agUi = (thread: Thread<AgUiState>) => useToolResult(thread, "c1");
  const langChain = (thread: Thread) => useToolResult(thread, "c1");
  const own = (thread: Thread<{ messages: { id: string; role: string }[] }>) => useToolResult(thread, "c1");
  expectTypeOf(agUi).returns.toEqualTypeOf<Extract<AgUiMessage, { role: "tool" }> | undefined>();
  expectTypeOf(langChain).returns.exclude<undefined>().toExtend<Extract<LangChainMessage, { type: "tool" }>>();
  expectTypeOf(own).returns.toEqualTypeOf<{ id: string; role: string } | undefined>();
});
