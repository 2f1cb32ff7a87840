// @vitest-environment jsdom
// The devtools as a component: there while it is mounted, also under StrictMode, and nothing on a server.
import { act, createElement as h, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { Thread } from "threadfold";
import { mountDevtools } from "threadfold/devtools";
import { ThreadDevtools } from "threadfold/devtools/react";
import { expect, test } from "vitest";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const shadow = () => document.querySelector("#threadfold-devtools")?.shadowRoot;

test("is on the page while it is mounted, with its thread", () => {
  const thread = new Thread({ threadId: "t" });
  const tools = h(StrictMode, undefined, h(ThreadDevtools, { of: thread, name: "support", open: true }));
  expect(renderToString(tools)).toBe("");
  expect(shadow()).toBeUndefined();
  const root = createRoot(document.createElement("div"));
  act(() => root.render(tools));
  expect(document.querySelectorAll("#threadfold-devtools").length).toBe(1);
  expect(shadow()?.querySelector("option")?.textContent).toBe("support");
  expect(mountDevtools().isOpen).toBe(true);
  act(() => root.unmount());
  expect(shadow()).toBeUndefined();
  expect(Object.hasOwn(thread, "receive")).toBe(false);
});
