// @vitest-environment jsdom
// useMessageIds, useMessage and usePending of one message: which components render, and states that never show.
import { act, createElement as h, StrictMode, useState, version, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { beforeEach, expect, test, vi } from "vitest";
import { removeMessage, Thread } from "threadfold";
import { useMessage, useMessageIds, usePending } from "threadfold/react";
import { expectNoComplaints, hydrate, mount } from "./mount";

type Messages = readonly { readonly id: string; readonly content: string }[];
type State = { readonly messages: Messages };
type Store = Thread<State>;

const ai = (id: string, content = id) => ({ type: "ai", id, content });
const human = (id: string, content = id) => ({ type: "human", id, content });
// Not freed by `using`: React's late effects still ask it.
const threadOf = (...messages: object[]): Store => new Thread<State>({ values: { messages: messages as never } });
const say = (thread: Store, messageId: string, text: string) => thread.receive({ type: "text", messageId, text });

/** The renders, in order. */
let renders: string[];
beforeEach(() => {
  renders = [];
});
expectNoComplaints();

function Message({ thread, id }: { thread: Store; id: string }): ReactNode {
  const content = useMessage(thread, id)?.content;
  renders.push(`${id} ${content}`);
  return h("p", { id }, content);
}

function List({ thread }: { thread: Store }): ReactNode {
  const ids = useMessageIds(thread);
  renders.push(`the list of ${ids.length}`);
  return ids.map((id) => h(Message, { key: id, thread, id }));
}

const shown = (host: HTMLElement) => [...host.children].map(({ id, textContent }) => `${id}:${textContent}`);

test.each([
  ["", (node: ReactNode) => node],
  ["in StrictMode", (node: ReactNode) => h(StrictMode, {}, node)],
])("a token renders one message, a new one the list, a moved one no message twice %s", async (name, wrap) => {
  const times = name ? 2 : 1;
  const thread = threadOf(ai("1"), ai("2"));
  const { host } = await mount(wrap(h(List, { thread })));
  renders = [];
  await act(async () => say(thread, "2", "!"));
  expect(renders).toEqual(Array(times).fill("2 2!"));
  await act(async () => thread.update({ messages: [ai("3") as never] }));
  expect(shown(host)).toEqual(["1:1", "2:2!", "3:3"]);
  const elements = [...host.children];
  renders = [];
  await act(async () => thread.receive({ type: "messages", messages: [ai("3"), ai("1"), ai("2", "2!")] }));
  expect(shown(host)).toEqual(["3:3", "1:1", "2:2!"]);
  expect([...host.children]).toEqual([elements[2], elements[0], elements[1]]);
});

test("a message that is removed, in the same go as it grows, is never rendered without itself", async () => {
  const thread = threadOf(ai("1"), ai("2"));
  const { host } = await mount(h(List, { thread }));
  renders = [];
  await act(async () => {
    say(thread, "1", "!");
    say(thread, "2", "!");
    thread.update({ messages: [removeMessage("1")] });
  });
  expect(shown(host)).toEqual(["2:2!"]);
  expect(renders).not.toContain("1 undefined");
  await act(async () => thread.update({ messages: [removeMessage("2")] }));
  expect([shown(host), renders.includes("2 undefined")]).toEqual([[], false]);
});

test("a component that is left with an id shows that the message has gone, and come again", async () => {
  const thread = threadOf(ai("1"));
  const { host } = await mount(h(Message, { thread, id: "1" }));
  await act(async () => thread.update({ messages: [removeMessage("1")] }));
  expect(host.textContent).toBe("");
  await act(async () => void thread.optimistic({ messages: [human("1", "again") as never] }));
  expect(host.textContent).toBe("again");
});

test("a message that the server renames is shown once, under its new id", async () => {
  const thread = threadOf();
  const { host } = await mount(h(List, { thread }));
  await act(async () => void thread.optimistic({ messages: [human("mine", "hi") as never] }));
  await act(async () => {
    thread.receive({ type: "run-started", runId: "r" });
    thread.receive({ type: "message", message: human("srv", "hi") });
  });
  expect(shown(host)).toEqual(["srv:hi"]);
  expect(renders).not.toContain("mine undefined");
});

test("another id, and another thread, are shown at once, and the old ones no longer heard", async () => {
  const [old, fresh] = [threadOf(ai("1", "old"), ai("2", "two")), threadOf(ai("2", "fresh"))];
  const { host, root } = await mount(h(Message, { thread: old, id: "1" }));
  await act(async () => root.render(h(Message, { thread: old, id: "2" })));
  expect(host.textContent).toBe("two");
  await act(async () => root.render(h(Message, { thread: fresh, id: "2" })));
  expect(host.textContent).toBe("fresh");
  renders = [];
  await act(async () => {
    say(old, "1", "!");
    say(old, "2", "!");
  });
  expect(renders).toEqual([]);
  await act(async () => say(fresh, "2", "!"));
  expect(host.textContent).toBe("fresh!");
});

test("a listener of the thread's may unmount all", async () => {
  const thread = threadOf(ai("1"), ai("2"));
  const { host, root } = await mount(h(List, { thread }));
  const subscribed = vi.fn();
  thread.subscribeMessage("1", () => {
    root.unmount();
    subscribed();
  });
  renders = [];
  await act(async () => thread.update({ messages: [ai("1", "!"), ai("2", "!")] as never }));
  await act(async () => thread.update({ messages: [ai("1", "?"), ai("2", "?")] as never }));
  expect([host.textContent, renders, subscribed.mock.calls.length]).toEqual(["", [], 2]);
});

test("two roots show one thread; one that goes leaves the other as it is", async () => {
  const thread = threadOf(ai("1"), ai("2"));
  const [left, right] = [await mount(h(List, { thread })), await mount(h(List, { thread }))];
  renders = [];
  await act(async () => say(thread, "1", "!"));
  expect(renders).toEqual(["1 1!", "1 1!"]);
  await act(async () => left.root.unmount());
  await act(async () => say(thread, "1", "!"));
  expect(shown(right.host)).toEqual(["1:1!!", "2:2"]);
});

test("a server renders what the thread was made with; hydration takes it over, then what came since shows", async () => {
  const thread = threadOf(ai("1"), ai("2"));
  const html = renderToString(h(List, { thread }));
  expect(html).toBe('<p id="1">1</p><p id="2">2</p>');
  say(thread, "1", "!");
  thread.update({ messages: [ai("3")] as never });
  thread.optimistic({ messages: [human("4")] as never });
  const Pending = () => h("i", {}, usePending(thread, "4").length);
  expect(renderToString(h("div", {}, h(List, { thread }), h(Pending)))).toBe(`<div>${html}<i>0</i></div>`);
  renders = [];
  const { host, errors } = await hydrate(html, h(List, { thread }));
  expect(errors).toEqual([]);
  expect(renders.slice(0, 3)).toEqual(["the list of 2", "1 1", "2 2"]);
  expect(shown(host)).toEqual(["1:1!", "2:2", "3:3", "4:4"]);
});

test("usePending(thread, id) renders for the updates of that message alone", async () => {
  const thread = threadOf(ai("1"), ai("2"));
  const Mark = ({ id }: { id: string }) => {
    const pending = usePending(thread, id);
    renders.push(`${id} ${pending.map(({ status }) => status).join()}`);
    return h("i", {}, pending.length);
  };
  const { root } = await mount([h(Mark, { key: 1, id: "1" }), h(Mark, { key: 2, id: "2" })]);
  renders = [];
  await act(async () => void thread.optimistic({ messages: [ai("1", "!") as never] }));
  expect(renders.splice(0)).toEqual(["1 pending"]);
  await act(async () => void thread.optimistic({ messages: [removeMessage("2"), human("3") as never] }));
  expect(renders.splice(0)).toEqual(["2 pending"]);
  await act(async () => void thread.optimistic({ messages: [human("4")] as never }));
  await act(async () => thread.receive({ type: "message", message: ai("5"), streaming: true }));
  for (let part = 0; part < 3; part++) await act(async () => say(thread, "5", "."));
  expect(renders.splice(0)).toEqual([]);
  await act(async () => thread.receive({ type: "run-started", runId: "r" }));
  expect(renders.splice(0)).toEqual(["1 sent", "2 sent"]);
  await act(async () => thread.receive({ type: "run-error", error: "down" }));
  expect(renders.splice(0)).toEqual(["1 failed", "2 failed"]);
  await act(async () => thread.pending[0]?.rollback());
  expect(renders.splice(0)).toEqual(["1 "]);
  await act(async () => root.render(h(Mark, { key: 1, id: "2" })));
  expect(renders).toEqual(["2 failed"]);
});

test("usePending(thread, id) follows a message that the server renames", async () => {
  const thread = threadOf();
  const Mark = ({ id }: { id: string }) => h("i", {}, usePending(thread, id).length);
  const { host } = await mount([h(Mark, { key: 1, id: "mine" }), h(Mark, { key: 2, id: "srv" })]);
  const update = { messages: [human("mine", "hi")], topic: "x" } as never;
  const op = await act(async () => thread.optimistic(update));
  expect(host.textContent).toBe("10");
  await act(async () => {
    thread.receive({ type: "run-started", runId: "r" });
    thread.receive({ type: "message", message: human("srv", "hi") });
  });
  expect([op.status, host.textContent]).toEqual(["sent", "01"]);
});

test("a thousand messages with usePending are asked nothing for a token", async () => {
  const thread = threadOf(...Array.from({ length: 1_000 }, (_, at) => ai(`m${at}`)));
  thread.optimistic({ messages: [human("q")] as never });
  const pending = vi.spyOn(thread, "pending", "get");
  const Mark = ({ id }: { id: string }) => usePending(thread, id).length;
  await mount(thread.messageIds.map((id) => h(Mark, { key: id, id })));
  pending.mockClear();
  for (let part = 0; part < 10; part++) await act(async () => say(thread, "m5", "."));
  // Once for the thread itself, once for all of the components.
  expect(pending.mock.calls.length).toBeLessThanOrEqual(20);
});

test("a message's own state lives on while the list around it changes", async () => {
  const thread = threadOf(ai("1"), ai("2"));
  let open: ((value: boolean) => void) | undefined;
  const One = ({ id }: { id: string }) => {
    const [isOpen, setOpen] = useState(false);
    if (id === "2") open = setOpen;
    return h("p", { id }, useMessage(thread, id)?.content, isOpen ? " open" : "");
  };
  const All = () => useMessageIds(thread).map((id) => h(One, { key: id, id }));
  const { host } = await mount(h(All));
  await act(async () => open?.(true));
  await act(async () => thread.receive({ type: "messages", messages: [ai("0"), ai("2", "new"), ai("1")] }));
  expect(shown(host)).toEqual(["0:0", "2:new open", "1:1"]);
});

test("they run on the React that they are to", () => {
  expect(version.split(".")[0]).toBe(process.env["REACT"] ?? "19");
});
