// @vitest-environment jsdom
// A chat over a Thread: the renders for a token, and a server's earlier rendering.
import { act, createElement as h, memo, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";
import { Thread } from "threadfold";
import { useMessage, useMessageIds, useThread } from "threadfold/react";
import { expectNoComplaints, hydrate, mount } from "./mount";

interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: string;
}
interface State {
  readonly messages: readonly Message[];
}

const ANSWER = "the answer";
const TOKENS = Array.from({ length: 100 }, (_, at) => `t${at} `);

function history(length: number): Message[] {
  return Array.from({ length }, (_, at) => ({
    id: `m${at}`,
    role: at % 2 ? "assistant" : "user",
    content: `Message ${at}`,
  }));
}

const threadOf = (messages: Message[]) => new Thread<State>({ values: { messages } });

/** Counts the renders of each message's component. */
class Renders {
  readonly counts = new Map<string, number>();
  note(id: string): void {
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
  }
}

/** The list renders for each token, the messages are memoised. */
function memoised(thread: Thread<State>, renders: Renders): ReactNode {
  const One = memo(({ message }: { message: Message }) => {
    renders.note(message.id);
    return h("p", { id: message.id }, message.content);
  });
  const All = () => useThread(thread).messages.map((message) => h(One, { key: message.id, message }));
  return h(All);
}

/** The list knows ids only; each message knows itself. */
function byId(thread: Thread<State>, renders: Renders): ReactNode {
  const One = memo(({ id }: { id: string }) => {
    renders.note(id);
    const message = useMessage(thread, id);
    return message && h("p", { id }, message.content);
  });
  const All = () => {
    renders.note("the list");
    return useMessageIds(thread).map((id) => h(One, { key: id, id }));
  };
  return h(All);
}

expectNoComplaints();

test.each([
  ["React.memo", memoised],
  ["useMessageIds and useMessage", byId],
])("100 tokens into 1,000 messages render one message: %s", async (_, chat) => {
  const thread = threadOf(history(1_000));
  const renders = new Renders();
  const { host } = await mount(chat(thread, renders));
  await act(async () => {
    thread.receive({ type: "run-started", runId: "r" });
    thread.receive({ type: "message", message: { id: ANSWER, role: "assistant", content: "" }, streaming: true });
  });
  renders.counts.clear();
  for (const text of TOKENS) await act(async () => thread.receive({ type: "text", messageId: ANSWER, text }));
  expect([...renders.counts]).toEqual([[ANSWER, TOKENS.length]]);
  expect(host.querySelector(`[id="${ANSWER}"]`)?.textContent).toBe(TOKENS.join(""));

  // The server's own list says the same once more: nobody renders.
  renders.counts.clear();
  await act(async () => {
    thread.receive({ type: "message-finished", messageId: ANSWER });
    thread.receive({ type: "messages", messages: structuredClone(thread.getState().messages) });
    thread.receive({ type: "run-finished" });
  });
  expect([...renders.counts]).toEqual([]);
});

test("an optimistic message keeps its element from the echo to the server's copy", async () => {
  const thread = threadOf(history(4));
  const { host } = await mount(memoised(thread, new Renders()));
  const question = { id: "q", role: "user", content: "And?" };
  await act(async () => void thread.optimistic({ messages: [question] }));
  const element = host.querySelector("#q");
  expect(element?.textContent).toBe("And?");
  await act(async () => {
    thread.receive({ type: "run-started", runId: "r" });
    thread.receive({ type: "message", message: { id: "a", role: "assistant", content: "So." }, streaming: true });
  });
  await act(async () => thread.receive({ type: "messages", messages: [...history(4), { ...question }] }));
  await act(async () => thread.receive({ type: "run-finished" }));
  expect(thread.pending).toEqual([]);
  expect(host.querySelector("#q")).toBe(element);
  expect([...host.children].map(({ id }) => id)).toEqual(["m0", "m1", "m2", "m3", "q", "a"]);
});

test("tokens that come in one go render once", async () => {
  const thread = threadOf([{ id: ANSWER, role: "assistant", content: "" }]);
  const renders = new Renders();
  await mount(memoised(thread, renders));
  await act(async () => {
    for (const text of TOKENS) thread.receive({ type: "text", messageId: ANSWER, text });
  });
  expect(renders.counts.get(ANSWER)).toBe(2);
});

test("a server's rendering is taken over without a change, and then follows the thread", async () => {
  const messages = history(3);
  const html = renderToString(memoised(threadOf(messages), new Renders()));
  expect(html).toContain("Message 2");

  const thread = threadOf(structuredClone(messages));
  const { host, errors } = await hydrate(html, memoised(thread, new Renders()));
  expect(errors).toEqual([]);
  expect(host.innerHTML).toBe(html);
  await act(async () => thread.receive({ type: "text", messageId: "m1", text: ", more" }));
  expect(host.querySelector("#m1")?.textContent).toBe("Message 1, more");
});

test("a thread that changed before hydration: the server's HTML is taken over first, then the new state shows", async () => {
  const messages = history(2);
  const html = renderToString(byId(threadOf(messages), new Renders()));
  const thread = threadOf(messages);
  thread.receive({ type: "message", message: { id: "late", role: "assistant", content: "Late" } });
  const { host, errors } = await hydrate(html, byId(thread, new Renders()));
  expect(errors).toEqual([]);
  expect([...host.children].map(({ id }) => id)).toEqual(["m0", "m1", "late"]);
});

test("the server renders the state that the thread was made with", () => {
  const thread = threadOf(history(1));
  thread.receive({ type: "text", messageId: "m0", text: ", later" });
  expect(renderToString(memoised(thread, new Renders()))).toBe('<p id="m0">Message 0</p>');
});
