// @vitest-environment jsdom
// The panel: which threads it finds, what its tabs show, time travel, files, the keyboard, and its cost.
import { Thread } from "threadfold";
import { AgUiRunner, openAgUi } from "threadfold/ag-ui";
import { mountDevtools, type Devtools } from "threadfold/devtools";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

let devtools: Devtools;
let frames: (() => void)[] = [];

beforeEach(() => {
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (call: () => void) => frames.push(call));
  vi.stubGlobal("cancelAnimationFrame", () => (frames = []));
  devtools = mountDevtools();
});
afterEach(() => {
  devtools.dispose();
  vi.unstubAllGlobals();
});

const frame = () => {
  for (const call of frames.splice(0)) call();
};
const root = () => {
  const shadow = document.querySelector("#threadfold-devtools")?.shadowRoot;
  if (!shadow) throw new Error("There is no panel.");
  return shadow;
};
const all = <E extends HTMLElement>(selector: string) => [...root().querySelectorAll<E>(selector)];
const one = <E extends HTMLElement>(selector: string): E => {
  const [found] = all<E>(selector);
  if (!found) throw new Error(`There is no ${selector}.`);
  return found;
};
const tab = (label: string) => {
  const found = all("[role=tab]").find(({ textContent }) => textContent.startsWith(label));
  found?.click();
  return found?.textContent;
};
const body = () => one(".body").textContent;
const act = (label: string, within = ".panel") => {
  const found = all<HTMLButtonElement>(`${within} button`).find(
    (each) => each.textContent === label || each.getAttribute("aria-label") === label,
  );
  if (!found) throw new Error(`There is no button ${label}.`);
  found.click();
  frame();
};
const names = () => all("select option").map(({ textContent }) => textContent);
const say = (thread: Thread, text: string) => thread.receive({ type: "text", messageId: "a", text });
const started = (thread: Thread) => {
  thread.receive({ type: "run-started", runId: "r1" });
  thread.receive({ type: "message", message: { type: "ai", id: "a", content: "" }, streaming: true });
};

test("finds threads and runners made after it, conversations open before it, and what is added", async () => {
  devtools.dispose();
  const run = () => [];
  const early = openAgUi({ transport: { run }, key: "early", threadId: "early", storage: false });
  const added = new Thread({ threadId: "unseen" });
  devtools = mountDevtools();
  expect(mountDevtools()).toBe(devtools);
  const thread = new Thread({ threadId: "late" });
  const runner = new AgUiRunner(thread as never, { transport: { run } });
  devtools.open();
  expect(names()).toEqual(["early", "late"]);
  devtools.add(added, { name: "added" });
  frame();
  expect(names()).toEqual(["early", "late", "added"]);
  runner.dispose();
  thread.dispose();
  early.dispose();
  devtools.close();
  devtools.open();
  expect(names()).toContain("added");
  expect(names()).not.toContain("late");
  expect(() => devtools.add({} as never)).toThrow(/add: expected a thread/);
  expect(() => mountDevtools({ opne: true } as never)).toThrow(/Did you mean 'open'/);
});

test("a thread restored from a record is recorded from there", async () => {
  const before = new Thread({ threadId: "t", values: { messages: [{ type: "ai", id: "a", content: "Hello" }] } });
  const thread = Thread.fromJSON(JSON.parse(JSON.stringify(before)) as object);
  before.dispose();
  await Promise.resolve();
  say(thread, "!");
  devtools.open();
  act("One part back");
  expect(body()).toContain("1 item");
});

test("runs, parts, pending, problems and checkpoints of a thread", async () => {
  const thread = new Thread({ threadId: "t" });
  const checkpoints = vi.fn(async () => [
    {
      config: { configurable: { checkpoint_id: "c9" } },
      metadata: { step: 4, source: "loop" },
      values: { topic: "x" },
    },
  ]);
  devtools.add(thread, { checkpoints });
  devtools.open();
  const update = thread.optimistic({ messages: "Hi" });
  started(thread);
  say(thread, "Hello");
  thread.receive({ type: "message-finished", messageId: "a" });
  thread.receive({ type: "step", step: 3, checkpointId: "c8" });
  vi.spyOn(console, "warn").mockImplementation(() => {});
  thread.receive({ type: "delta", operations: [{ op: "replace", path: "/no/where", value: 1 }] });
  thread.receive({ type: "messages", messages: [{ type: "ai", id: "a", content: "Other" }] });
  thread.receive({ type: "run-error", error: new Error("overloaded") });
  thread.flush();
  frame();

  expect(one(".chip").textContent).toBe("error");
  expect(tab("Parts")).toBe("Parts11");
  expect(all("[role=option]").map((row) => row.querySelector(".kind")?.textContent)).toContain("run-error");
  expect(body()).toMatch(/text\s*a "Hello"\d+ B/);
  expect(tab("Runs")).toBe("Runs1");
  expect(body()).toMatch(/r1failed.*8 parts.*overloaded/);
  expect(tab("Pending")).toBe("Pending1");
  expect(body()).toContain(`${update.id}failed`);
  act("Retry");
  expect(thread.pending[0]?.status).toBe("pending");
  act("Roll back");
  expect(thread.pending).toEqual([]);
  expect(body()).toContain("Nothing is pending");
  expect(tab("Problems")).toBe("Problems3");
  expect(body()).toMatch(/run-errorfailed.*overloaded.*messagesdrift.*deltaerror.*\/no\/where/);
  expect(tab("Checkpoints")).toBe("Checkpoints1");
  expect(body()).toContain("c8step 3");
  act("Load history");
  await vi.waitFor(() => {
    frame();
    expect(body()).toContain("c9step 4loop");
  });
  expect(checkpoints).toHaveBeenCalledWith("t");
  checkpoints.mockRejectedValueOnce(new Error("401"));
  act("Load history");
  await vi.waitFor(() => expect(body()).toContain("The history could not be loaded: 401"));
});

test("time travel by slider, buttons and the list, and back", () => {
  const thread = new Thread({ threadId: "t" });
  devtools.add(thread);
  devtools.open();
  started(thread);
  for (const text of ["One", " two", " three"]) say(thread, text);
  frame();
  const content = () => {
    const row = all(".tree .row").find((each) => each.textContent.includes("ai a"));
    return row?.textContent.match(/"(.*)"/)?.[1];
  };
  const open = (label: string) =>
    all(".tree button")
      .find((row) => row.textContent.startsWith(label))
      ?.click();
  open("messages");
  expect(content()).toBe("One two three");
  const slider = one<HTMLInputElement>("input[type=range]");
  const slide = (to: number) => {
    slider.value = String(to);
    slider.dispatchEvent(new Event("input"));
    frame();
  };
  slide(3);
  expect(content()).toBe("One");
  expect(one("output").textContent).toContain("3 of 5 · text");
  act("One part on");
  expect(content()).toBe("One two");
  say(thread, " four");
  frame();
  expect(content()).toBe("One two");
  tab("Parts");
  const list = one("[role=listbox]");
  list.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
  frame();
  const chosen = root().getElementById(list.getAttribute("aria-activedescendant") ?? "");
  expect(chosen?.getAttribute("aria-selected")).toBe("true");
  expect(one(".detail").textContent).toContain('text "One"'.replace(" ", ""));
  act("Live");
  tab("State");
  expect(content()).toBe("One two three four");
  expect(one(".live").getAttribute("aria-pressed")).toBe("true");
});

test("an exported recording is imported as a thread of its own", async () => {
  const thread = new Thread({ threadId: "t" });
  devtools.add(thread);
  devtools.open();
  started(thread);
  say(thread, "Hello");
  frame();
  let file: Blob | undefined;
  const [makeUrl, revoke] = [URL.createObjectURL, URL.revokeObjectURL];
  URL.createObjectURL = (blob: Blob) => ((file = blob), "blob:x");
  URL.revokeObjectURL = () => {};
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
  act("Export");
  expect(click).toHaveBeenCalledTimes(1);
  click.mockRestore();
  Object.assign(URL, { createObjectURL: makeUrl, revokeObjectURL: revoke });
  const text = await new Promise<string>((resolve) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.readAsText(file as Blob);
  });
  const choose = (name: string, content: string) => {
    vi.spyOn(HTMLInputElement.prototype, "click").mockImplementationOnce(function (this: HTMLInputElement) {
      Object.defineProperty(this, "files", { value: [{ name, text: () => Promise.resolve(content) }] });
      this.dispatchEvent(new Event("change"));
    });
    act("Import");
  };
  choose("bug.json", text);
  await vi.waitFor(() => {
    frame();
    expect(names()).toEqual(["t", "bug.json"]);
  });
  expect(one(".live").hidden).toBe(true);
  expect(tab("Parts")).toBe("Parts4");
  choose("other.json", "{}");
  await vi.waitFor(() => expect(one("[role=alert]").textContent).toMatch(/importRecording/));
});

test("the keyboard: tabs by arrows, Escape closes and gives the focus back", () => {
  const thread = new Thread();
  devtools.add(thread);
  one(".launch").click();
  expect(devtools.isOpen).toBe(true);
  const key = (name: string) =>
    root().activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, composed: true }));
  expect(root().activeElement?.textContent).toBe("State");
  key("ArrowRight");
  expect(root().activeElement?.textContent).toMatch(/^Parts/);
  key("ArrowLeft");
  key("ArrowLeft");
  expect(root().activeElement?.textContent).toMatch(/^Checkpoints/);
  const heard = vi.fn();
  document.addEventListener("keydown", heard);
  key("Escape");
  document.removeEventListener("keydown", heard);
  expect(heard).not.toHaveBeenCalled();
  expect(devtools.isOpen).toBe(false);
  expect(root().activeElement).toBe(one(".launch"));
});

test("draws once a frame while it is open, and never while it is closed", () => {
  const thread = new Thread();
  devtools.add(thread);
  started(thread);
  for (let at = 0; at < 100; at++) say(thread, ".");
  expect(frames).toEqual([]);
  devtools.open();
  for (let at = 0; at < 100; at++) say(thread, ".");
  expect(frames.length).toBe(1);
  frame();
  expect(frames).toEqual([]);
  devtools.close();
  say(thread, ".");
  expect(frames).toEqual([]);
});

test("a long thread: a few rows for 5,000 messages and for 9,000 parts", () => {
  const messages = Array.from({ length: 5_000 }, (_, at) => ({
    type: "ai",
    id: at === 4_999 ? "a" : `m${at}`,
    content: ".",
  }));
  const thread = new Thread({ values: { messages: messages as never } });
  devtools.add(thread);
  for (let at = 0; at < 9_000; at++) say(thread, ".");
  devtools.open();
  const click = (label: string) =>
    all(".tree button")
      .find((row) => row.textContent.startsWith(label))
      ?.click();
  click("messages");
  expect(all(".row").length).toBeLessThan(60);
  click("4900 …");
  expect(all(".row").length).toBeLessThan(170);
  expect(one(".body").textContent).toContain("4999ai a");
  tab("Parts");
  expect(all("[role=option]").length).toBeLessThan(60);
});

test("dispose() leaves nothing on the page, and threads as they were", () => {
  const thread = new Thread();
  devtools.add(thread);
  devtools.dispose();
  expect(document.querySelector("#threadfold-devtools")).toBeNull();
  expect(Object.hasOwn(thread, "receive")).toBe(false);
  const later = new Thread();
  expect(Object.hasOwn(later, "receive")).toBe(false);
});
