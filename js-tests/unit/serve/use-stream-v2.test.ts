// @vitest-environment jsdom
// `useStream` of @langchain/react, which speaks protocol v2 only, on serveLangGraph(graph).
import type { BaseMessage } from "@langchain/core/messages";
import { useStream, type UseStreamReturn } from "@langchain/react";
import { act, createElement } from "react";
import { serveLangGraph, type FetchHandler } from "threadfold/serve";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { complaints, mount, until } from "../react/mount";
import { OURS } from "./libraries";

type Shown = UseStreamReturn<{ messages: BaseMessage[]; todos: { status: string }[] }>;

/** A component with the hook, and its last view. */
async function streaming(handler: FetchHandler, more: object = {}) {
  const fetch = (url: string | URL, init?: RequestInit) => handler(new Request(url, init));
  const options = { assistantId: "agent", apiUrl: "http://localhost", callerOptions: { fetch }, fetch, ...more };
  const shown = { now: undefined as unknown as Shown, texts: new Set<string>() };
  function Chat() {
    shown.now = useStream(options as never) as unknown as Shown;
    for (const { text } of shown.now.messages) shown.texts.add(text);
    return null;
  }
  const { root } = await mount(createElement(Chat));
  return {
    shown,
    done: () => until(() => expect(shown.now.isLoading).toBe(false)),
    close: () => act(async () => root.unmount()),
  };
}

const asking = (content: string) => ({ messages: [{ type: "human", id: `q-${content}`, content }] }) as never;
const contents = ({ now }: { now: Shown }) => now.messages.map(({ text }) => text);

// The hook's stream changes its state outside of act().
beforeEach(() => void complaints());
afterEach(() => vi.restoreAllMocks());

describe.each(OURS)("$library", ({ chatGraph }) => {
  test("streams a run with tools, and a second one", async () => {
    const { shown, done, close } = await streaming(serveLangGraph(chatGraph({ pause: 2 })));
    await act(() => shown.now.submit(asking("How is the weather?")));
    await done();
    const first = [
      "How is the weather?",
      "Let me look.",
      "sunny in Rome",
      "sunny in Lima",
      "It is sunny in Lima there.",
    ];
    expect(contents(shown)).toEqual(first);
    // It was streamed, not only there at the end.
    const parts = [...shown.texts].filter((text) => text !== "" && !first.includes(text));
    expect(parts.length).toBeGreaterThan(0);
    expect(shown.now.values.todos).toMatchObject([{ status: "completed" }]);
    await act(() => shown.now.submit(asking("Hi")));
    await done();
    expect(contents(shown)).toEqual([...first, "Hi", "You said: Hi"]);
    expect(shown.now.error).toBeUndefined();
    await close();
  });

  test("is asked, and resumes", async () => {
    const { shown, done, close } = await streaming(serveLangGraph(chatGraph()));
    await act(() => shown.now.submit(asking("Mail Ada")));
    await done();
    expect(shown.now.interrupt).toMatchObject({ value: { question: "Send the mail?" } });
    await act(() => shown.now.respond(true));
    await until(() => expect(contents(shown)).toEqual(["Mail Ada", "Sent."]));
    await done();
    expect(shown.now.interrupt).toBeUndefined();
    await close();
  });

  test("a second client follows the answer, and may not answer again", async () => {
    const handler = serveLangGraph(chatGraph());
    const first = await streaming(handler);
    await act(() => first.shown.now.submit(asking("Mail Ada")));
    await first.done();
    const { threadId } = first.shown.now;
    const id = first.shown.now.interrupt?.id as string;
    const second = await streaming(handler, { threadId });
    await until(() => expect(second.shown.now.interrupt?.id).toBe(id));
    await act(() => first.shown.now.respond(true));
    await until(() => expect(contents(second.shown)).toEqual(["Mail Ada", "Sent."]));
    await act(async () => {
      await expect(second.shown.now.respond(true, { interruptId: id, namespace: [] } as never)).rejects.toThrow(
        "input.respond can only be used while the run is interrupted.",
      );
    });
    await first.close();
    await second.close();
  });

  test("shows an error, and continues", async () => {
    const { shown, done, close } = await streaming(serveLangGraph(chatGraph()));
    await act(() => shown.now.submit(asking("fail")));
    await done();
    expect(String(shown.now.error)).toContain("The model is out.");
    await act(() => shown.now.submit(asking("Hi")));
    await done();
    expect(contents(shown).at(-1)).toBe("You said: Hi");
    await close();
  });

  test("stops", async () => {
    const { shown, done, close } = await streaming(serveLangGraph(chatGraph({ pause: 40 })));
    await act(async () => void shown.now.submit(asking("one two three four five six seven eight nine ten")));
    await until(() => expect(contents(shown).length).toBe(2));
    await act(() => shown.now.stop());
    await done();
    expect(contents(shown)[1] ?? "").not.toContain("ten");
    const state = (await shown.now.client.threads.get(shown.now.threadId as string)) as { status: string };
    await until(() => expect(state.status).not.toBe("error"));
    await close();
  });

  test("a reload opens the thread, joins the run under way, and branches off", async () => {
    const handler = serveLangGraph(chatGraph({ pause: 20 }));
    const first = await streaming(handler);
    await act(async () => void first.shown.now.submit(asking("one two three four")));
    await until(() => expect(contents(first.shown).length).toBe(2));
    const { threadId } = first.shown.now;
    await first.close();
    const second = await streaming(handler, { threadId });
    await until(() => expect(contents(second.shown)).toEqual(["one two three four", "You said: one two three four"]));
    await second.done();
    const [start] = (await second.shown.now.client.threads.getHistory(threadId as string)).slice(-1);
    const forkFrom = start?.checkpoint?.checkpoint_id as string;
    await act(() => second.shown.now.submit(asking("Ho"), { forkFrom } as never));
    await second.done();
    const { values } = await second.shown.now.client.threads.getState<{ messages: { content: string }[] }>(
      threadId as string,
    );
    expect(values.messages.map(({ content }) => content)).toEqual(["Ho", "You said: Ho"]);
    await second.close();
  });
});
