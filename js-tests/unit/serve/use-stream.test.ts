// @vitest-environment jsdom
// `useStream` of the LangGraph SDK, in React, on serveLangGraph(graph).
import { Client } from "@langchain/langgraph-sdk";
import { useStream, type UseStream } from "@langchain/langgraph-sdk/react";
import { act, createElement } from "react";
import { serveLangGraph, type FetchHandler } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { mount, until } from "../react/mount";
import { OURS } from "./libraries";

interface State extends Record<string, unknown> {
  messages: { id: string; type: string; content: string }[];
  todos: { status: string }[];
}

/** A component with the hook, and its last view. */
async function streaming(handler: FetchHandler, more: object = {}) {
  const fetch = ((url: string, init: RequestInit) => handler(new Request(url, init))) as never;
  const client = new Client({ apiUrl: "http://localhost", apiKey: null as never, callerOptions: { fetch } });
  const shown = { now: undefined as unknown as UseStream<State>, texts: new Set<string>() };
  function Chat() {
    const stream = useStream<State>({
      client: client as never,
      assistantId: "agent",
      messagesKey: "messages",
      ...more,
    });
    shown.now = stream as never;
    for (const { content } of stream.messages) shown.texts.add(String(content));
    return null;
  }
  const { root } = await mount(createElement(Chat));
  const done = () => until(() => expect(shown.now.isLoading).toBe(false));
  return { shown, root, done };
}

const contents = ({ messages }: UseStream<State>) => messages.map(({ content }) => content);
const asking = (content: string) => ({ messages: [{ id: `q-${content}`, type: "human", content }] });

describe.each(OURS)("$library", ({ chatGraph }) => {
  test("streams a run with tools, the state and the history", async () => {
    const { shown, root, done } = await streaming(serveLangGraph(chatGraph({ pause: 2 })), { fetchStateHistory: true });
    await act(async () => shown.now.submit(asking("How is the weather?")));
    await done();
    expect(contents(shown.now)).toEqual([
      "How is the weather?",
      "Let me look.",
      "sunny in Rome",
      "sunny in Lima",
      "It is sunny in Lima there.",
    ]);
    // It was streamed, not only there at the end.
    expect(shown.texts).toContain("It is");
    expect(shown.now.values.todos).toMatchObject([{ status: "completed" }]);
    expect(shown.now.history.length).toBeGreaterThan(4);
    await act(async () => root.unmount());
  });

  test("is asked, and resumes", async () => {
    const { shown, root, done } = await streaming(serveLangGraph(chatGraph()));
    await act(async () => shown.now.submit(asking("Mail Ada")));
    await done();
    expect(shown.now.interrupt).toMatchObject({ value: { question: "Send the mail?" } });
    await act(async () => shown.now.submit(null, { command: { resume: true } }));
    await done();
    expect(contents(shown.now)).toEqual(["Mail Ada", "Sent."]);
    expect(shown.now.interrupt).toBeUndefined();
    await act(async () => root.unmount());
  });

  test("shows an error, and continues", async () => {
    const { shown, root, done } = await streaming(serveLangGraph(chatGraph()));
    await act(async () => shown.now.submit(asking("fail")));
    await done();
    expect(String(shown.now.error)).toContain("The model is out.");
    await act(async () => shown.now.submit(asking("Hi")));
    await done();
    expect(contents(shown.now).at(-1)).toBe("You said: Hi");
    await act(async () => root.unmount());
  });

  test("opens a thread that is there, and branches off at a checkpoint", async () => {
    const handler = serveLangGraph(chatGraph());
    let threadId = "";
    const first = await streaming(handler, { onThreadId: (id: string) => (threadId = id) });
    await act(async () => first.shown.now.submit(asking("Hi")));
    await first.done();
    const { shown, root, done } = await streaming(handler, { threadId, fetchStateHistory: true });
    await until(() => expect(contents(shown.now)).toEqual(["Hi", "You said: Hi"]));
    const [question] = shown.now.messages;
    const meta = shown.now.getMessagesMetadata(question as never);
    await act(async () =>
      shown.now.submit(asking("Ho"), { checkpoint: meta?.firstSeenState?.parent_checkpoint as never }),
    );
    await done();
    expect(contents(shown.now)).toEqual(["Ho", "You said: Ho"]);
    await act(async () => root.unmount());
    await act(async () => first.root.unmount());
  });
});
