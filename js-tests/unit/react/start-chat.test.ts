// @vitest-environment jsdom
// The chat of docs/start.md over a reload: of a run that failed, and of something else under its name.
import { act, createElement as h, type ComponentType } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Thread } from "threadfold";
import { mount } from "./mount";

beforeEach(() => sessionStorage.clear());
afterEach(() => vi.unstubAllGlobals());

const OPENED = Symbol.for("threadfold.opened");

type Opened = Map<string, { runner: { thread: Thread } }>;

/** Opens the page again: its modules run again, and no conversation is open. */
async function open(onError: () => void = () => {}) {
  vi.resetModules();
  const all = globalThis as { [OPENED]?: Opened };
  delete all[OPENED];
  const { Chat } = (await import("../../../examples/chat/src/chat.js")) as { Chat: ComponentType };
  // The conversation reads its storage with the first subscriber, which is the component.
  for (const { runner } of all[OPENED] ? (all[OPENED] as Opened).values() : []) runner.thread.on("error", onError);
  const { host } = await mount(h(Chat));
  const send = async (text: string) => {
    (host.querySelector("input") as HTMLInputElement).value = text;
    await act(async () => host.querySelector("form")?.requestSubmit());
  };
  const leave = () => window.dispatchEvent(new Event("pagehide"));
  return { host, send, leave };
}

/** Waits until the page has these buttons. */
const shows = (host: HTMLElement, expected: readonly string[]) =>
  vi.waitFor(async () => {
    await act(() => new Promise((resolve) => setTimeout(resolve)));
    expect(buttons(host)).toEqual(expected);
  });

const buttons = (host: HTMLElement) =>
  [...host.querySelectorAll("button")].map((button) => button.textContent?.split(":")[0]);

test("a failed message is retried by one button, before a reload and after it", async () => {
  vi.stubGlobal("fetch", async () => new Response("busy", { status: 503 }));
  const before = await open();
  await before.send("Hi");
  await shows(before.host, ["Try again", "Send"]);
  before.leave();
  const after = await open();
  expect(after.host.textContent).toContain("Hi");
  await shows(after.host, ["Try again", "Send"]);
});

test("a message that failed before is retried by itself", async () => {
  let refuses = true;
  vi.stubGlobal("fetch", async (_: string, { body }: { body: string }) => {
    if (refuses) return new Response("busy", { status: 503 });
    const { threadId, runId } = JSON.parse(body) as object & Record<string, string>;
    const events = [
      { type: "RUN_STARTED", threadId, runId },
      { type: "RUN_FINISHED", threadId, runId },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
  });
  const { host, send } = await open();
  await send("One");
  await shows(host, ["Try again", "Send"]);
  refuses = false;
  await send("Two");
  await shows(host, ["Failed", "Send"]);
});

test("another value under the chat's name is reported, and nothing breaks", async () => {
  for (const text of ["{", "null", '{"messages":[]}', '{"version":1}', "[1,2]"]) {
    sessionStorage.setItem("threadfold:ag-ui:/agent:", text);
    const onError = vi.fn<() => void>();
    const { host } = await open(onError);
    expect(buttons(host)).toEqual(["Send"]);
    expect(onError).toHaveBeenCalled();
  }
});
