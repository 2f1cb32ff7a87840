// The agent that runs in the demo page, in Chromium: its graph, its question, its checkpoints, another model.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { browser, demo } from "./served-demo";

const complaints: string[] = [];
afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: "reduce", viewport: { width: 1280, height: 900 }, ...options });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(demo.unmeasured());
  await page.locator("#agent").scrollIntoViewIfNeeded();
  await page.locator("#agent .graph").waitFor();
  return page;
}

async function reload(page: Page): Promise<void> {
  await page.reload();
  await page.locator("#agent").scrollIntoViewIfNeeded();
  await page.locator("#agent .graph").waitFor();
}

const agent = (page: Page) => page.locator("#agent");
const say = (page: Page, text: string) => agent(page).getByRole("button", { name: text }).click();
const texts = (page: Page) => agent(page).locator(".message > .text").allTextContents();
const marked = (page: Page, state: string) =>
  agent(page)
    .locator(`.node[data-state="${state}"]`)
    .evaluateAll((nodes) => nodes.map((node) => (node as HTMLElement).dataset["node"]));
const until = (page: Page, status: string) =>
  agent(page).locator(`[data-status="${status}"]`).waitFor({ state: "attached" });
async function converse(page: Page, text: string): Promise<void> {
  await say(page, text);
  await until(page, "streaming");
  await until(page, "ready");
}
const place = (page: Page) => agent(page).locator(".place").textContent();

test("its graph is drawn, and the nodes light up as they work", async ({ expect }) => {
  const page = await open();
  expect(await agent(page).locator(".node text").allTextContents()).toEqual([
    "start",
    "model",
    "approve",
    "tools",
    "end",
  ]);
  expect(await agent(page).locator(".edge").count()).toBe(6);
  const lit = page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const seen: string[] = [];
        const look = () => {
          const node = document.querySelector<SVGElement>("#agent .node[data-state=active]")?.dataset["node"];
          if (node && seen.at(-1) !== node) seen.push(node);
          if (document.querySelector("#agent [data-status=ready]") && seen.length > 2) resolve(seen);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  await say(page, "Compare the weather");
  expect(await lit).toEqual(["model", "tools", "model"]);
  expect(await marked(page, "active")).toEqual([]);
  expect((await texts(page)).at(-1)).toContain("In Lima it is 19 °C, fog; in Osaka 24 °C, clouds.");
  await expect.poll(() => place(page)).toBe("4 / 4");
  await page.close();
});

test.for(["Approve", "Decline"])("it asks before it sends a mail: %s", async (answer, { expect }) => {
  const page = await open();
  await say(page, "Write to Ada");
  await agent(page).getByText("Send this mail to ada@example.com?").waitFor();
  await expect.poll(() => marked(page, "next")).toEqual(["approve"]);
  await agent(page).getByRole("button", { name: answer }).click();
  await until(page, "ready");
  expect((await texts(page)).at(-1)).toBe(
    answer === "Approve" ? "Done: Ada has your mail." : "Fine: nothing was sent.",
  );
  await page.close();
});

test("the slider shows the state at each checkpoint, and the agent continues from one", async ({ expect }) => {
  const page = await open();
  await converse(page, "Plan a trip");
  await expect.poll(() => place(page)).toBe("8 / 8");
  const before = await texts(page);
  await agent(page).getByRole("slider").fill("1");
  expect(await texts(page)).toEqual(["Plan a trip", "Let me plan this first."]);
  await expect.poll(() => marked(page, "next")).toEqual(["tools"]);
  await agent(page).getByRole("button", { name: "Back to now" }).click();
  expect(await texts(page)).toEqual(before);
  await agent(page).getByRole("slider").fill("2");
  await agent(page).getByRole("button", { name: "Go on from here" }).click();
  await page.waitForFunction(() => document.querySelector("#agent .place")?.textContent === "3 / 3");
  expect((await texts(page)).slice(0, 2)).toEqual(["Plan a trip", "Let me plan this first."]);
  await converse(page, "Compare the weather");
  const after = await texts(page);
  expect(after.slice(0, 2)).toEqual(["Plan a trip", "Let me plan this first."]);
  expect(after).not.toContain("Now the weather.");
  expect(after.at(-1)).toContain("In Lima");
  // The plan was noted by then, and later changes are another branch.
  expect(await agent(page).locator(".plan summary").textContent()).toBe("Plan: 0 of 3 done Look at the weather");
  await page.close();
});

test("a reload finds the conversation, its checkpoints and its question", async ({ expect }) => {
  const page = await open();
  await converse(page, "Compare the weather");
  await say(page, "Write to Ada");
  await agent(page).getByText("Send this mail to ada@example.com?").waitFor();
  await expect.poll(() => place(page)).toBe("7 / 7");
  const before = await texts(page);
  await reload(page);
  await agent(page).getByText("Send this mail to ada@example.com?").waitFor();
  await expect.poll(() => place(page)).toBe("7 / 7");
  expect(await texts(page)).toEqual(before);
  await expect.poll(() => marked(page, "next")).toEqual(["approve"]);
  await agent(page).getByRole("button", { name: "Approve" }).click();
  await until(page, "ready");
  expect((await texts(page)).at(-1)).toBe("Done: Ada has your mail.");

  await agent(page).getByRole("button", { name: "Start over" }).click();
  await page.waitForFunction(() => document.querySelector("#agent .place")?.textContent === "0 / 0");
  await reload(page);
  expect(await texts(page)).toEqual([]);
  await expect.poll(() => place(page)).toBe("0 / 0");
  await page.close();
});

test("a run that a reload cut off can be tried again, and says nothing twice", async () => {
  const page = await open();
  await say(page, "Plan a trip");
  // Soon: a run that ends before the reload is not cut off.
  await agent(page).getByText("Let me").waitFor();
  await reload(page);
  await until(page, "error");
  await agent(page).getByRole("button", { name: "Try again" }).click();
  await until(page, "ready");
  const said = await texts(page);
  expect(said.slice(0, 2)).toEqual(["Plan a trip", "Let me plan this first."]);
  for (const once of ["Let me plan this first.", "Now the weather."])
    expect(said.filter((text) => text === once)).toEqual([once]);
  expect(said.at(-1)).toContain("Thursday the coast");
  await page.close();
});

test("a run can be stopped", async () => {
  const page = await open();
  // At once: from here, on a busy machine, the run might have ended meanwhile.
  await agent(page).evaluate((host) => {
    new MutationObserver((_, observer) => {
      const stop = [...host.querySelectorAll("button")].find(({ textContent }) => textContent === "Stop");
      if (!stop) return;
      observer.disconnect();
      stop.click();
      document.body.dataset["stopped"] = "yes";
    }).observe(host, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  await say(page, "Plan a trip");
  await page.locator("body[data-stopped]").waitFor();
  await until(page, "ready");
  expect(await marked(page, "active")).toEqual([]);
  await converse(page, "Compare the weather");
  expect((await texts(page)).at(-1)).toContain("In Lima");
  await page.close();
});

test("a model at an address answers, with the key that was given", async () => {
  const heard: { authorization: string | undefined; body: { model: string; messages: object[]; tools: object[] } }[] =
    [];
  const parts = [
    {
      delta: {
        content: "",
        tool_calls: [{ index: 0, id: "c1", function: { name: "get_weather", arguments: '{"ci' } }],
      },
    },
    { delta: { tool_calls: [{ index: 0, function: { arguments: 'ty":"Berlin"}' } }] } },
  ];
  const answer = [{ delta: { content: "Rain in " } }, { delta: { content: "Berlin." } }];
  const read = async (request: IncomingMessage) => {
    let text = "";
    for await (const part of request) text += String(part);
    return text;
  };
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return void response.end();
    void read(request).then((text) => {
      heard.push({ authorization: request.headers.authorization, body: JSON.parse(text) as never });
      response.setHeader("content-type", "text/event-stream");
      for (const choice of heard.length === 1 ? parts : answer)
        response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = await open();
  await agent(page).getByText("A script answers").click();
  await agent(page)
    .getByLabel("Base URL")
    .fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  await agent(page).getByLabel("Model", { exact: true }).fill("small");
  await agent(page).getByLabel("Key").fill("secret");
  await agent(page).getByRole("button", { name: "Use it" }).click();
  await say(page, "Compare the weather");
  await agent(page).getByText("Rain in Berlin.").waitFor();
  expect(heard.map(({ authorization }) => authorization)).toEqual(["Bearer secret", "Bearer secret"]);
  expect(heard[0]?.body).toMatchObject({
    model: "small",
    messages: [{ role: "user", content: "Compare the weather" }],
  });
  expect(heard[0]?.body.tools).toHaveLength(3);
  expect(heard[1]?.body.messages.slice(1)).toEqual([
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Berlin"}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "12 °C, rain" },
  ]);
  await page.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  [390, "light"],
  [1280, "dark"],
] as const)("at %i pixels nothing runs over, in %s", async (width, colorScheme) => {
  const page = await open({ viewport: { width, height: 844 }, colorScheme });
  await say(page, "Write to Ada");
  await agent(page).getByRole("button", { name: "Approve" }).waitFor();
  const over = await page.evaluate(() =>
    [...document.querySelectorAll("#agent *")]
      .filter((node) => node.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
      .map((node) => `${node.tagName}.${node.getAttribute("class")}`),
  );
  expect(over).toEqual([]);
  await page.close();
});
