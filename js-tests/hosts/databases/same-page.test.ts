// One page in Chromium over three stores of runs: three tabs and a phone on one thread show the same, whatever is cut,
// reloads or dies. The test is the model, so that each moment of a run lasts until all have shown it.
import { devices, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openChromium } from "../chromium.js";
import { durableObjects, memory, redisAndPostgres } from "./same-page/backends.mjs";
import { Model } from "./same-page/model.js";
import { Network } from "./same-page/network.js";
import { hasPostgres, hasRedis } from "./stores.js";

const WAIT = { timeout: 30_000, interval: 20 };

interface Backend {
  readonly port: number;
  /** Ends the instance of this name, which runs the thread, without a word. */
  kill?(instance: string, threadId: string): Promise<void>;
  stop(): Promise<void>;
}

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
}, 60_000);
afterAll(() => browser?.close());

/** A tab, or the phone's browser. */
class Client {
  constructor(
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  get yes() {
    return this.page.getByRole("button", { name: "Yes" });
  }
  texts() {
    return this.page.locator("li").allTextContents();
  }
  status() {
    return this.page.getByRole("status").locator("span").first().textContent();
  }
  async send(text: string) {
    await this.page.getByLabel("Message").fill(text);
    await this.page.getByLabel("Message").press("Enter");
  }
  press(name: string) {
    return this.page.getByRole("button", { name }).click(WAIT);
  }
}

describe.each([
  ["memory", true, memory],
  ["Redis and Postgres, two instances", hasRedis && hasPostgres, redisAndPostgres],
  ["Durable Objects", true, durableObjects],
])("%s", (_name, isInstalled, start) => {
  describe.skipIf(!isInstalled)("the same page", () => {
    let model: Model;
    let backend: Backend;
    let networks: { readonly desk: Network; readonly phone: Network };
    let clients: readonly [Client, Client, Client, Client];
    let threadId: string;
    const errors: string[] = [];

    beforeAll(async () => {
      model = await Model.start();
      backend = await start(model.address);
      const [desk, phone] = await Promise.all([Network.before(backend.port), Network.before(backend.port)]);
      networks = { desk, phone };
      const [atDesk, onPhone] = await Promise.all([
        browser.newContext(),
        browser.newContext({ ...devices["Pixel 7"], defaultBrowserType: undefined } as object),
      ]);
      threadId = crypto.randomUUID();
      const open = async (context: BrowserContext, network: Network) => {
        const page = await context.newPage();
        page.on("pageerror", ({ message }) => errors.push(message));
        await page.goto(`${network.address}/?thread=${threadId}`);
        return new Client(context, page);
      };
      clients = [
        await open(atDesk, desk),
        await open(atDesk, desk),
        await open(atDesk, desk),
        await open(onPhone, phone),
      ];
    }, 120_000);
    afterAll(async () => {
      await Promise.all((clients ?? []).map(({ context }) => context.close()));
      networks?.desk.stop();
      networks?.phone.stop();
      await backend?.stop();
      model?.stop();
    }, 60_000);

    /** All of these show these last messages. */
    async function show(of: readonly Client[], ...last: string[]): Promise<void> {
      const shown = () => Promise.all(of.map(async (client) => (await client.texts()).slice(-last.length)));
      await expect.poll(shown, WAIT).toEqual(of.map(() => last));
    }

    async function allReady(): Promise<void> {
      const statuses = () => Promise.all(clients.map((client) => client.status()));
      await expect.poll(statuses, WAIT).toEqual(clients.map(() => "ready "));
    }

    /** The messages that the server has; undefined while a run goes on. */
    async function history(): Promise<string[] | undefined> {
      const answer = await fetch(`http://127.0.0.1:${backend.port}/agent/threads/${threadId}`);
      const { messages, run } = (await answer.json()) as {
        messages: { role: string; content: string }[];
        run?: object;
      };
      return run ? undefined : messages.map(({ role, content }) => `${role}: ${content}`);
    }

    /** All show what the server has, each message once, with these at the end; nothing is under way. */
    async function allRest(...last: string[]): Promise<void> {
      await expect.poll(async () => (await history())?.slice(-last.length), WAIT).toEqual(last);
      const messages = (await history()) ?? [];
      expect([...new Set(messages)]).toEqual(messages);
      await show(clients, ...messages);
      for (const client of clients) expect(await client.texts()).toHaveLength(messages.length);
      await allReady();
      expect(errors).toEqual([]);
    }

    /** Sends this, and waits until the model is asked. */
    async function begin(client: Client, text: string): Promise<string> {
      await client.send(text);
      return model.isAsked(text, WAIT.timeout);
    }

    /** Ends the answer to this. */
    async function finish(asked: string, said: string): Promise<void> {
      model.say(asked, " whole.");
      model.say(asked);
      await allRest(`user: ${asked}`, `assistant: ${said} whole.`);
    }

    test("what one sends, all show word by word", async () => {
      for (const [at, client] of [clients[0], clients[3]].entries()) {
        const asked = `Hello ${at}`;
        await begin(client, asked);
        await show(clients, `user: ${asked}`);
        for (const [word, said] of [
          [`I hear ${at}:`, `I hear ${at}:`],
          [" half,", `I hear ${at}: half,`],
        ] as const) {
          model.say(asked, word);
          await show(clients, `user: ${asked}`, `assistant: ${said}`);
        }
        await finish(asked, `I hear ${at}: half,`);
      }
    });

    test("the sender, another tab and the phone reload at each moment of a run", async () => {
      const [sender, other, , phone] = clients;
      const reload = () => Promise.all([sender, other, phone].map(({ page }) => page.reload()));
      const asked = "Who reloads?";
      await sender.send(asked);
      await other.page.reload();
      await model.isAsked(asked, WAIT.timeout);
      await reload();
      await show(clients, `user: ${asked}`);
      let said = "";
      for (const word of ["All", " do,", " often,"]) {
        model.say(asked, word);
        said += word;
        await show(clients, `user: ${asked}`, `assistant: ${said}`);
        await reload();
        await show(clients, `user: ${asked}`, `assistant: ${said}`);
      }
      model.say(asked, " whole.");
      await reload();
      model.say(asked);
      await reload();
      await allRest(`user: ${asked}`, `assistant: ${said} whole.`);
      await reload();
      await allRest(`user: ${asked}`, `assistant: ${said} whole.`);
    });

    describe.each([
      [
        "a browser that knows that it is offline",
        async (client: Client, isCut: boolean) => client.context.setOffline(isCut),
      ],
      ["connections that break", async (_: Client, isCut: boolean) => networks.phone[isCut ? "cut" : "heal"]()],
    ])("%s", (way, setCut) => {
      test.each(["follows", "has begun"])(
        "the network of a phone that %s the run is cut and healed in mid-run",
        async (how) => {
          const [first, second, third, phone] = clients;
          const asked = `Cut: ${way}, ${how}`;
          await begin(how === "follows" ? first : phone, asked);
          model.say(asked, `To ${asked}:`);
          await show(clients, `user: ${asked}`, `assistant: To ${asked}:`);
          await setCut(phone, true);
          model.say(asked, " half,");
          await show([first, second, third], `user: ${asked}`, `assistant: To ${asked}: half,`);
          await setCut(phone, false);
          await show([phone], `user: ${asked}`, `assistant: To ${asked}: half,`);
          await finish(asked, `To ${asked}: half,`);
        },
      );

      test("a run ends while the phone is away, and what it sends meanwhile goes out later", async () => {
        const [first, second, third, phone] = clients;
        const [asked, sent] = [`Away: ${way}`, `From the tunnel: ${way}`];
        await begin(first, asked);
        model.say(asked, `To ${asked}:`);
        await show(clients, `user: ${asked}`, `assistant: To ${asked}:`);
        await setCut(phone, true);
        model.say(asked, " whole.");
        model.say(asked);
        await show([first, second, third], `user: ${asked}`, `assistant: To ${asked}: whole.`);
        await phone.send(sent);
        await show([phone], `user: ${sent}`);
        await setCut(phone, false);
        await model.isAsked(sent, WAIT.timeout);
        model.say(sent, `To ${sent},`);
        await finish(sent, `To ${sent},`);
      });
    });

    test("a question stays open over reloads and cuts, and the answer of one closes it in all", async () => {
      const [first, second, third, phone] = clients;
      const seeYes = (of: readonly Client[]) => Promise.all(of.map(({ yes }) => yes.waitFor(WAIT)));
      const seeNone = async (of: readonly Client[]) => {
        for (const { yes } of of) await expect.poll(() => yes.count(), WAIT).toBe(0);
      };
      for (const [at, answering] of [phone, second].entries()) {
        const asked = `Book ${at}`;
        await first.send(asked);
        await seeYes(clients);
        await Promise.all([first, third, phone].map(({ page }) => page.reload()));
        await seeYes(clients);
        const away = answering === phone ? undefined : phone;
        await away?.context.setOffline(true);
        await answering.press("Yes");
        await model.isAsked(asked, WAIT.timeout);
        await seeNone(clients.filter((client) => client !== away));
        await away?.context.setOffline(false);
        await seeNone(clients);
        model.say(asked, `Booked ${at},`);
        await show(clients, `user: ${asked}`, `assistant: Booked ${at},`);
        await finish(asked, `Booked ${at},`);
      }
    });

    test("a run that another tab or the phone stops is over for all, and half an answer stays", async () => {
      const [first, second, , phone] = clients;
      for (const stopping of [second, phone]) {
        const asked = stopping === phone ? "Phone, stop me" : "Tab, stop me";
        await begin(first, asked);
        model.say(asked, `To "${asked}"`);
        await show(clients, `user: ${asked}`, `assistant: To "${asked}"`);
        await stopping.press("Stop");
        await allReady();
        await show(clients, `user: ${asked}`, `assistant: To "${asked}"`);
        const next = `${asked}: go on`;
        await begin(first, next);
        model.say(next, `To ${next},`);
        model.say(next);
        // The server gets half an answer with the next message.
        await allRest(`user: ${asked}`, `assistant: To "${asked}"`, `user: ${next}`, `assistant: To ${next},`);
      }
    });

    test("an instance dies in mid-answer: another one answers, and all show it once", async ({ skip }) => {
      if (!backend.kill) return skip("Its memory is the store.");
      for (const client of [clients[0], clients[3]]) {
        const asked = client === clients[0] ? "From a tab, to die" : "From the phone, to die";
        const instance = await begin(client, asked);
        model.say(asked, `To "${asked}":`);
        await show(clients, `user: ${asked}`, `assistant: To "${asked}":`);
        await backend.kill(instance, threadId);
        model.say(asked, " half,");
        await show(clients, `user: ${asked}`, `assistant: To "${asked}": half,`);
        expect(await model.isAsked(asked, WAIT.timeout)).not.toBe(instance);
        await finish(asked, `To "${asked}": half,`);
      }
    });
  });
});
