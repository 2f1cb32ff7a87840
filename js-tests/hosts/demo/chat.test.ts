// The chat of the demo page against the agent server that comes with it, in Chromium.
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { Chat } from "./chat-page";
import { serveLangGraph } from "./langgraph-stand-in";
import { browser, demo } from "./served-demo";

const complaints: string[] = [];
afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});

/** Whether all of an element of the log is in the part of it that one sees. */
const inLog = (page: Page, selector: string) =>
  page.locator("#chat-thread").evaluate((log, selector) => {
    const { top, bottom } = log.getBoundingClientRect();
    const box = log.querySelector(selector)?.getBoundingClientRect();
    return box !== undefined && box.top >= top && box.bottom <= bottom + 1;
  }, selector);

/** Three times as fast as the page for visitors: `tick` is the time from one event to the next, in milliseconds. */
async function open(options: BrowserContextOptions = {}, query = "&tick=8"): Promise<{ page: Page; chat: Chat }> {
  const page = await browser.newPage({ reducedMotion: "reduce", viewport: { width: 1280, height: 1000 }, ...options });
  const chat = new Chat(page, complaints);
  await page.goto(demo.unmeasured(query));
  return { page, chat };
}

test("a message shows before the server answers, the answer streams, and all of it is the server's in the end", async () => {
  const { page, chat } = await open();
  await chat.latency(1_000);
  const place = await page.locator("#chat-thread").boundingBox();
  await chat.send("Plan my week");
  await page.waitForFunction(() => document.querySelector("#chat-thread .message.user .note"));
  // The server has sent nothing yet; the run that carries the message began with its request.
  expect(await chat.shown()).toEqual(["user: Plan my week"]);
  expect(await chat.status("Plan my week")).toBe("sent");
  expect(
    await page
      .locator("#chat-state .pending > details > .row .key, #chat-state .pending > .row .key")
      .first()
      .textContent(),
  ).toBe("0");
  expect(await page.locator("#chat-legend").textContent()).toMatch(/^1 pending/);

  await page.locator("#chat-thread .message.assistant .text").first().waitFor();
  expect(await chat.status("Plan my week")).toBe("sent");
  await chat.settled();
  expect(await chat.status("Plan my week")).toBe("confirmed");
  // The view of the state draws a moment after the chat.
  await page.waitForFunction(() => !document.querySelector("#chat-state .pending"));
  expect(await page.locator("#chat-legend").textContent()).toMatch(/^All of it is confirmed/);
  const { messages, state } = await chat.held();
  expect(messages).toHaveLength(4);
  expect(await chat.shown()).toEqual(messages.map(Chat.line));
  expect(
    await page.locator("#chat .todos li").evaluateAll((all) => all.map((item) => item.getAttribute("data-status"))),
  ).toEqual((state["todos"] as { status: string }[]).map(({ status }) => status));
  expect(await page.locator("#chat .plan").textContent()).toContain("Plan: 3 of 3 done");
  expect(await page.locator("#chat-thread").boundingBox()).toEqual(place);
  expect(await chat.drift()).toEqual({ drifts: "0", errors: "0", said: "In sync" });
  await page.close();
});

test.each([
  ["whole", false],
  ["whole", true],
  ["resume", true],
  ["replay", true],
] as const)(
  "no flicker, with a server that answers after 300 ms: connection %s, late snapshots %s",
  async (line, lag) => {
    const { page, chat } = await open();
    await chat.latency(300);
    await chat.line(line);
    if (lag) await page.getByLabel("Snapshots come late").check();
    await chat.watch();
    await chat.send("Plan my week");
    await chat.settled();
    const seen = await chat.watched();
    const { messages } = await chat.held();
    expect(await chat.shown()).toEqual(messages.map(Chat.line));
    // Every message came once and none ever left: the echo, the agent's two, the tool's.
    expect(seen.added).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(seen.removed).toEqual([]);
    // The server has another id for the tool's result than its stream: the same words in another element, in one frame.
    // Where frames are late, the first element is never drawn.
    expect([["message tool"], []]).toContainEqual(seen.replaced);
    expect(seen.moved).toBe(0);
    expect(seen.firstIsEcho).toBe(true);
    expect(await chat.drift()).toMatchObject({ drifts: "0", errors: "0" });
    await page.close();
  },
);

test("two messages in one go: the second waits for its turn and none vanishes", async () => {
  const { page, chat } = await open();
  // Time enough for both, also on a busy machine.
  await chat.latency(3_000);
  await chat.watch();
  await chat.send("Hi");
  await chat.send("A short one, please");
  await chat.settled();
  const { messages } = await chat.held();
  const lines = messages.map(Chat.line);
  expect(lines.filter((line) => line.startsWith("user"))).toEqual(["user: Hi", "user: A short one, please"]);
  expect(await chat.shown()).toEqual(lines);
  // The first answer goes before the second question, which had followed the first question until then.
  expect(await chat.watched()).toMatchObject({ removed: [], added: ["user", "user", "assistant", "assistant"] });
  await page.close();
});

test("a failed run leaves the message with two ways out: sent again it is answered", async () => {
  const { page, chat } = await open();
  await chat.latency(0);
  await page.getByLabel("Run fails midway").check();
  await chat.send("Plan my week");
  await chat.settled();
  expect(await chat.status("Plan my week")).toBe("failed");
  expect(await page.locator("#chat-thread .note").textContent()).toContain("The model did not answer.");
  expect(await page.locator("#chat-legend").textContent()).toMatch(/^1 pending \(1 failed\)/);
  await page.getByLabel("Run fails midway").uncheck();
  await chat.watch();
  await page.getByRole("button", { name: "Send again" }).click();
  await chat.settled();
  expect(await chat.status("Plan my week")).toBe("confirmed");
  // Nothing is left of the failed run's text, and the question has not moved.
  const { removed, moved } = await chat.watched();
  expect(removed.filter((item) => item.includes("user"))).toEqual([]);
  expect(moved).toBe(0);
  const { messages } = await chat.held();
  expect(await chat.shown()).toEqual(messages.map(Chat.line));
  expect((await chat.shown()).map((line) => line.split(":")[0])).toEqual(["user", "assistant", "tool", "assistant"]);
  await page.close();
});

test("a failed message that is rolled back leaves no trace", async () => {
  const { page, chat } = await open();
  await chat.latency(0);
  await chat.send("Hi");
  await chat.settled();
  const before = await chat.shown();
  await page.getByLabel("Run fails midway").check();
  await chat.send("A short one, please");
  await chat.settled();
  expect(await chat.status("A short one, please")).toBe("failed");
  await page.getByRole("button", { name: "Take back" }).click();
  await page.waitForFunction(() => !document.querySelector("#chat-thread .note"));
  expect(await chat.shown()).toEqual(before);
  await page.waitForFunction(() => !document.querySelector("#chat-state .pending"));
  await page.close();
});

test("a user who scrolls up to read while an answer streams stays there; sending goes to the end", async () => {
  const { page, chat } = await open({}, "&tick=4");
  await chat.latency(0);
  await chat.send("A long answer, please");
  await chat.settled();
  const thread = page.locator("#chat-thread");
  const comesToEnd = () =>
    page.waitForFunction(() => {
      const host = document.querySelector("#chat-thread");
      return host && host.scrollTop > 5 && host.scrollHeight - host.scrollTop - host.clientHeight < 2;
    });
  await comesToEnd();
  await chat.send("A long answer, please");
  // Scrolls in the page itself: however slow this test is, the answer is still coming then.
  const said = await thread.evaluate(async (host) => {
    const second = () => host.querySelectorAll(".message.assistant .text")[1]?.textContent;
    // In a task of its own, like a reader's actions: not between a frame's own steps.
    while (!second()) await new Promise((resolve) => setTimeout(resolve));
    host.scrollTop = 5;
    return second();
  });
  await page.waitForFunction(
    (before) => document.querySelectorAll("#chat-thread .message.assistant .text")[1]?.textContent !== before,
    said,
  );
  expect(await thread.evaluate((host) => host.scrollTop)).toBe(5);
  await chat.settled();
  expect(await thread.evaluate((host) => host.scrollTop)).toBe(5);
  await chat.send("Hi");
  await comesToEnd();
  await chat.settled();
  await comesToEnd();
  await page.close();
});

test("drift is reported: the light turns on when the server's snapshot differs", async () => {
  const { page, chat } = await open();
  await chat.latency(0);
  await page.getByLabel("Answer is reworded").check();
  await chat.send("Hi");
  await chat.settled();
  expect(await chat.drift()).toMatchObject({ drifts: "1", said: "Drifted once" });
  const [difference] = JSON.parse((await page.locator(".drifts code").first().textContent()) ?? "") as unknown[];
  expect(difference).toMatchObject({
    op: "replace",
    path: expect.stringMatching(/^\/messages\/\d\/content$/) as string,
    value: "I would rather not have said that.",
  });
  expect((await chat.shown()).at(-1)).toBe("assistant: I would rather not have said that.");
  // The note explains itself, and goes out after a run in which both agree.
  await page.getByText("What does that mean?").click();
  expect(await page.locator(".drift-details p").innerText()).toContain("its version stands");
  await page.getByLabel("Answer is reworded").uncheck();
  await chat.send("Hello");
  await chat.settled();
  expect(await chat.drift()).toMatchObject({ drifts: "0", said: "In sync" });
  await page.getByRole("button", { name: "New thread" }).click();
  expect(await chat.shown()).toEqual([]);
  await page.close();
});

test.for([
  ["ours", "Approve", "The mail is sent."],
  ["ours-langgraph", "Decline", "The user said no: nothing was sent."],
] as const)("the agent asks before it mails (%s): %s", async ([server, answer, result], { expect }) => {
  const { page, chat } = await open();
  await page.getByLabel("Talk to").selectOption(server);
  await chat.latency(0);
  const place = await page.locator("#chat-thread").boundingBox();
  await chat.send("Mail Ada that I am late");
  await page.getByText("Send this mail to ada@example.com?").waitFor();
  expect(await page.locator("#run-status").textContent()).toBe("The agent waits for you.");
  // The question is in sight, and has moved only the content that it follows.
  expect(await page.locator("#chat-thread").boundingBox()).toEqual(place);
  await expect.poll(() => inLog(page, ".question")).toBe(true);
  // The call is drawn, not dumped.
  expect(await page.locator("#chat-thread .call dt").allTextContents()).toEqual(["to", "subject", "text"]);
  expect(await page.locator("#chat-thread").textContent()).not.toContain("{");
  await page.getByRole("button", { name: answer }).click();
  await page.locator("#chat-thread .result", { hasText: result }).waitFor();
  await chat.settled();
  expect(await page.locator(".question").count()).toBe(0);
  expect(await chat.drift()).toMatchObject({ drifts: "0", errors: "0" });
  await page.close();
});

test("plays by itself until its visitor writes, and a reload in mid-run keeps the chat and joins the run", async () => {
  const { page, chat } = await open({ reducedMotion: "no-preference" }, "&tick=60");
  await page.locator("#chat-thread .message.tool").waitFor();
  const before = await chat.shown();
  expect(before[0]).toBe("user: Plan my week");
  await page.reload();
  await page.locator("#chat-thread .message.tool").waitFor();
  expect((await chat.shown()).slice(0, 3)).toEqual(before.slice(0, 3));
  await chat.settled();
  expect(await chat.shown()).toEqual((await chat.held()).messages.map(Chat.line));
  expect(await chat.shown()).toHaveLength(4);
  expect(await chat.drift()).toMatchObject({ drifts: "0", errors: "0" });
  await page.close();
});

test("the ring fills; what the model is then sent as a summary stays in the chat, also after a reload", async ({
  expect,
}) => {
  const { page, chat } = await open({}, "&tick=1");
  const tokens = async () => Number(await page.locator("#context").getAttribute("data-tokens"));
  const mark = page.locator(".summary-mark");
  const full: number[] = [];
  while ((await mark.count()) === 0 && full.length < 10) {
    await chat.send("A long answer, please");
    await chat.settled();
    full.push(await tokens());
  }
  const said = full.length;
  expect(said).toBeLessThan(10);
  // All of it would be so many times the first answer.
  await expect.poll(tokens).toBeLessThan(0.8 * said * Number(full[0]));
  const everything = await chat.shown();
  expect(everything.filter((line) => line === "user: A long answer, please")).toHaveLength(said);
  expect(await mark.locator("p").textContent()).toContain("The user said: A long answer, please");
  await page.reload();
  await mark.waitFor();
  expect(await chat.shown()).toEqual(everything);
  await page.close();
});

test("stop ends the run, and the messages stay", async () => {
  const { page, chat } = await open({}, "&tick=25");
  await chat.latency(0);
  await chat.send("A long answer, please");
  await page.locator("#chat-thread .message.assistant .text").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await chat.settled();
  const [question, answer = ""] = await chat.shown();
  expect(question).toBe("user: A long answer, please");
  expect(answer).toMatch(/^assistant: threadfold/);
  expect((await chat.held()).messages.at(-1)?.content?.length).toBeLessThan(1_000);
  await page.close();
});

test("the keyboard alone: to the composer, a line break, sending, a failed message's buttons", async () => {
  const { page, chat } = await open();
  await chat.latency(0);
  await page.getByLabel("Run fails midway").focus();
  await page.keyboard.press("Space");
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.type("one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("two");
  await page.keyboard.press("Enter");
  await chat.settled();
  expect((await chat.shown())[0]).toBe("user: one\ntwo");
  // Backwards from the composer: the suggestions, then the failed message.
  for (let press = 0; press < 12; press++) {
    await page.keyboard.press("Shift+Tab");
    if ((await page.evaluate(() => document.activeElement?.textContent)) === "Take back") break;
  }
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !document.querySelector("#chat-thread .note"));
  expect(await chat.shown()).toEqual([]);
  await page.close();
});

test("any other AG-UI server, by its address; one that is not there fails the message", async () => {
  const { page, chat } = await open();
  await page.getByLabel("Talk to").selectOption("ag-ui");
  await page.getByLabel("Address").fill(`${demo.address}agent`);
  await page.getByRole("button", { name: "Connect" }).click();
  expect(await page.locator("#faults").isVisible()).toBe(false);
  await chat.send("Hi");
  await chat.settled();
  expect(await chat.shown()).toEqual((await chat.held()).messages.map(Chat.line));

  await page.getByLabel("Address").fill(`${demo.address}agent/nowhere`);
  await page.getByRole("button", { name: "Connect" }).click();
  chat.expectNetworkErrors();
  await chat.send("Hi");
  await chat.settled();
  expect(await chat.status("Hi")).toBe("failed");
  expect(await page.locator("#chat-thread .note").textContent()).toContain("answered 404");
  await page.close();
});

test("a LangGraph deployment, by its address", async () => {
  const server = await serveLangGraph();
  const { page, chat } = await open();
  await page.getByLabel("Talk to").selectOption("langgraph");
  await page.getByLabel("Address").fill(server.address);
  await page.getByLabel("Assistant").fill("planner");
  await page.getByRole("button", { name: "Connect" }).click();
  await chat.send("What is the answer?");
  await chat.settled();
  expect(server.asked).toMatchObject([
    { assistant_id: "planner", input: { messages: [{ type: "human", content: "What is the answer?" }] } },
  ]);
  const lines = await chat.shown();
  expect(lines[0]).toBe("user: What is the answer?");
  expect(lines.at(-1)).toContain("the answer is 42");
  expect(await page.locator("#chat .todos li").count()).toBe(2);
  expect(await chat.drift()).toMatchObject({ drifts: "0", errors: "0" });
  await page.close();
  await server.close();
});

test("a message that was stopped before the server had it says so, and can be sent", async () => {
  const { page, chat } = await open();
  await chat.latency(3_000);
  await chat.send("Plan my week");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped before the server had it").waitFor();
  await chat.latency(0);
  await page.getByRole("button", { name: "Send again" }).click();
  await chat.settled();
  expect(await chat.status("Plan my week")).toBe("confirmed");
  await page.close();
});

test("content below the chat stays there when its switches are shown on a small phone", async () => {
  const { page } = await open({ viewport: { width: 360, height: 640 } });
  await page.locator("#faults summary").click();
  // Clicks the topmost element: it fails if another card covers it.
  await page.getByLabel("Answer is reworded").check();
  await page.close();
});

test.each([390, 320])("the chat fits a phone of %i px", async (width) => {
  const { page, chat } = await open({ viewport: { width, height: 844 } });
  await chat.latency(0);
  await page.getByLabel("Run fails midway").check();
  await chat.send(`Plan my ${"very ".repeat(20)}long ${"x".repeat(80)} week`);
  await chat.settled();
  await page.getByLabel("Talk to").selectOption("langgraph");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  await page.close();
});

test.each([390, 820])("the first screen of %i px has its place before React has made it", async (width) => {
  const place = async (javaScriptEnabled: boolean) => {
    const { page } = await open({ viewport: { width, height: 844 }, javaScriptEnabled });
    if (javaScriptEnabled) await page.locator("#chat").waitFor();
    const box = await page.locator("#first-screen").boundingBox();
    await page.close();
    return box;
  };
  const [before, after] = [await place(false), await place(true)];
  expect(before?.y).toBe(after?.y);
  // Fonts differ; the content after it is below the screen at once.
  expect(Math.abs((before?.height ?? 0) - (after?.height ?? 0))).toBeLessThan(80);
  expect((before?.y ?? 0) + (before?.height ?? 0)).toBeGreaterThan(844);
});
