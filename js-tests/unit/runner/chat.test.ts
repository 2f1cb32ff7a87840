// @vitest-environment jsdom
// A chat around a runner: its view of a run that is sent, interrupted, refused, retried and stopped.
import { act, createElement } from "react";
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { expect, test } from "vitest";
import { mount } from "../react/mount.js";
import { Chat } from "./chat.js";
import { StubServer, turn } from "./stub-server.js";
import { agUiWire } from "./stub-wires.js";

test("sends, streams, asks, fails, retries, stops", async () => {
  const server = new StubServer(agUiWire);
  const thread = new Thread<AgUiState>();
  const runner = new AgUiRunner(thread, { url: "http://stub/agent", fetch: server.fetch });
  const { host, root } = await mount(createElement(Chat, { runner }));
  // A form is sent only from within a page.
  document.body.append(host);

  const shown = () => [...host.querySelectorAll("p")].map(({ textContent }) => textContent?.trim());
  const button = (name: string) => [...host.querySelectorAll("button")].find(({ textContent }) => textContent === name);
  const press = (name: string) => act(async () => button(name)?.click());
  const say = async (text: string) => {
    const input = host.querySelector("input");
    if (input) input.value = text;
    await press("Send");
  };
  const until = async (holds: () => boolean) => {
    for (let turns = 0; !holds() && turns < 2_000; turns++) await act(async () => void (await turn()));
    expect(holds()).toBe(true);
  };

  await say("Hi");
  expect(shown()).toEqual(["Hi"]);
  expect(button("Stop")).toBeDefined();
  await until(() => !button("Stop"));
  expect(shown()).toEqual(["Hi", "You said Hi, which is message 1."]);

  await say("Ask");
  await until(() => button("Yes") !== undefined);
  await press("Yes");
  await until(() => runner.status === "ready");
  expect(shown().at(-1)).toBe("You chose [true].");

  server.faults = { refuse: 500 };
  await say("Again");
  await until(() => button("Retry") !== undefined);
  expect(shown().slice(-2)).toEqual(["Again (failed)", expect.stringContaining("500")]);
  await press("Retry");
  await until(() => runner.status === "ready");
  expect(shown().slice(-2)).toEqual(["Again", "You said Again, which is message 5."]);

  server.holdAt = 4;
  await say("Stop me");
  await until(() => thread.incompleteIds.length > 0);
  await press("Stop");
  await until(() => !button("Stop"));
  expect(shown().at(-2)).toBe("Stop me");
  server.release();
  await act(async () => root.unmount());
});
