// The demo's deep agent in Chromium: each sub-agent is a thread under the call that started it.
import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { Chat } from "./chat-page";
import { browser, demo } from "./served-demo";

const complaints: string[] = [];
afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});

/** Each call's sub-agent: its name, its status, whether it is open, and what it has written. */
const subagents = (page: Page) =>
  page.locator("#chat-thread > .messages > .message > .call").evaluateAll((calls) =>
    calls.flatMap((call) =>
      [...call.querySelectorAll<HTMLDetailsElement>(":scope > .subagent")].map((one) => ({
        task: call.querySelector("dd")?.textContent,
        summary: one.querySelector("summary")?.textContent,
        open: one.open,
        texts: [...one.querySelectorAll(".message > .text, .message dd, .message .result .text")].map(
          ({ textContent }) => textContent,
        ),
      })),
    ),
  );

const DONE = [
  {
    task: "Find two sights in Rome, and write them down.",
    summary: "sights done",
    open: false,
    texts: [
      "Let me see, and write it down.",
      "/sights.md",
      "- The Pantheon, before nine\n- The Aventine keyhole, at dusk",
      "Updated file /sights.md",
      "The Pantheon before nine, when it is empty. The Aventine keyhole at dusk.",
    ],
  },
  {
    task: "Find two places to eat in Rome, and write them down.",
    summary: "food done",
    open: false,
    texts: [
      "Let me see, and write it down.",
      "/food.md",
      "- Testaccio market, at noon\n- Trastevere, after eight",
      "Updated file /food.md",
      "Testaccio market at noon: the queue is worth it. Trastevere after eight.",
    ],
  },
];

test.each([
  ["ag-ui", 1280],
  ["ag-ui", 390],
  ["langgraph", 1280],
] as const)(
  "over %s, %i pixels wide: two work at the same time, and a reload in mid-run keeps both",
  async (protocol, width) => {
    const page = await browser.newPage({ reducedMotion: "reduce", viewport: { width, height: 900 } });
    const chat = new Chat(page, complaints);
    await page.goto(demo.unmeasured("&tick=25"));
    await page.locator("#server-kind").selectOption(protocol === "ag-ui" ? { index: 0 } : { index: 1 });
    await chat.send("A trip to Rome");
    // Both have begun to write, and neither has ended.
    await page.waitForFunction(() => {
      const [one, other] = document.querySelectorAll(".subagent .messages");
      return one?.textContent && other?.textContent;
    });
    expect((await subagents(page)).map(({ summary, open }) => [summary, open])).toEqual([
      ["sights works…", true],
      ["food works…", true],
    ]);
    await page.locator(".subagent .call").nth(1).waitFor();
    await page.reload();
    await page.locator(".subagent").nth(1).waitFor();
    await chat.settled();
    expect(await subagents(page)).toEqual(DONE);
    expect(await chat.drift()).toMatchObject({ drifts: "0", errors: "0" });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.close();
  },
);
