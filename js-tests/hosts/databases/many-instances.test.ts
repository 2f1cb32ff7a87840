// examples/many-instances as its README starts it, in Chromium. same-page.test.ts has its page over each store.
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { devices, type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openChromium } from "../chromium.js";
import { hasPostgres, hasRedis } from "./stores.js";

const TIMEOUT = 30_000;

let browser: Browser;
/** A copy beside the packages that it needs. */
const folder = join(import.meta.dirname, "node_modules", ".cache", "many-instances");
beforeAll(async () => {
  cpSync(join(import.meta.dirname, "..", "..", "..", "examples", "many-instances"), folder, { recursive: true });
  browser = await openChromium();
}, 60_000);
afterAll(() => browser?.close());

/** The example, started by one of its programs. */
class Example {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  output = "";

  constructor(program: string) {
    const env = { ...process.env, PORT: "0" };
    this.#child = spawn(process.execPath, [program], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (data) => (this.output += String(data)));
    this.#ended = new Promise((resolve) => void this.#child.once("exit", () => resolve()));
  }

  async address(): Promise<string> {
    return vi.waitFor(
      () => {
        const [, address] = /Open (http:\S+)/.exec(this.output) ?? [];
        if (address === undefined) throw new Error(`The example does not start: ${this.output}`);
        return address;
      },
      { timeout: TIMEOUT },
    );
  }

  /** Waits until so many instances have started, the first two among them. */
  async started(count: number): Promise<void> {
    const ready = () => expect(this.output.match(/is ready/g)).toHaveLength(count);
    await vi.waitFor(ready, { timeout: TIMEOUT });
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await this.#ended;
  }
}

interface Client {
  readonly page: Page;
  readonly context: BrowserContext;
}

describe.each([
  ["instance.mjs", true, "one instance and its memory"],
  ["start.mjs", hasRedis && hasPostgres, "two instances over Redis and Postgres"],
])("%s", (program, isInstalled, store) => {
  describe.skipIf(!isInstalled)(`the page on ${store}`, () => {
    let example: Example;
    let clients: readonly [Client, Client, Client, Client];
    const errors: string[] = [];

    beforeAll(async () => {
      example = new Example(program);
      const address = await example.address();
      const [desk, phone] = await Promise.all([
        browser.newContext(),
        browser.newContext({ ...devices["Pixel 7"], defaultBrowserType: undefined } as object),
      ]);
      const open = async (context: BrowserContext, url: string): Promise<Client> => {
        const page = await context.newPage();
        page.on("pageerror", ({ message }) => errors.push(message));
        await page.goto(url);
        return { page, context };
      };
      const first = await open(desk, address);
      // The others find a thread that is there.
      await send(first, "Hello");
      await says(first, /answers "Hello"/);
      const others = await Promise.all([desk, desk, phone].map((context) => open(context, first.page.url())));
      clients = [first, ...others] as unknown as typeof clients;
    }, 60_000);
    afterAll(async () => {
      await Promise.all((clients ?? []).map(({ context }) => context.close()));
      await example?.stop();
    });

    const textsOf = ({ page }: Client) => page.locator("li").allTextContents();
    const send = async ({ page }: Client, text: string) => {
      await page.getByLabel("Message").fill(text);
      await page.getByLabel("Message").press("Enter");
    };
    const says = ({ page }: Client, text: RegExp) =>
      page.locator("li", { hasText: text }).last().waitFor({ timeout: TIMEOUT });

    /** All show what the server has: these texts at the end, each once. */
    async function allShow(...last: (string | RegExp)[]): Promise<void> {
      const [{ page }] = clients;
      const { origin, searchParams } = new URL(page.url());
      const expected = last.map((text) => (typeof text === "string" ? text : expect.stringMatching(text)));
      const server = async () => {
        const answer = await fetch(`${origin}/agent/threads/${searchParams.get("thread")}`);
        const { messages, run } = (await answer.json()) as {
          messages: { role: string; content: string }[];
          run?: object;
        };
        return run ? [] : messages.map(({ role, content }) => `${role}: ${content}`);
      };
      await expect.poll(async () => (await server()).slice(-last.length), { timeout: TIMEOUT }).toEqual(expected);
      const history = await server();
      expect(new Set(history).size).toBe(history.length);
      for (const client of clients) await expect.poll(() => textsOf(client), { timeout: TIMEOUT }).toEqual(history);
      for (const { page } of clients)
        await expect
          .poll(() => page.getByRole("status").textContent(), { timeout: TIMEOUT })
          .toMatch(/^(ready|interrupted)/);
      expect(errors).toEqual([]);
    }

    const answerTo = (text: string) => new RegExp(`answers "${text}"\\. .* another one\\.$`);

    test("what one sends, all show", async () => {
      await allShow("user: Hello", answerTo("Hello"));
      const [, , , phone] = clients;
      await send(phone, "From the phone");
      await allShow("user: From the phone", answerTo("From the phone"));
    });

    test.skipIf(program === "instance.mjs")("an instance is killed in mid-answer: the other one answers", async () => {
      for (const [killed, begun] of ["Killed once", "Killed again"].entries()) {
        const text = begun + " and again".repeat(30);
        const [first, second] = clients;
        await send(first, text);
        await says(second, new RegExp(`answers "${text.slice(0, 20)}`));
        const [instance = ""] = /(?<=Instance )\d+/.exec((await textsOf(second)).at(-1) ?? "") ?? [];
        process.kill(Number(instance), "SIGKILL");
        await allShow(`user: ${text}`, answerTo(text));
        expect((await textsOf(second)).at(-1)).not.toContain(instance);
        // The next kill needs it running again.
        await example.started(3 + killed);
      }
    });

    test("a question that the phone answers closes everywhere", async () => {
      const [first, , , phone] = clients;
      await send(first, "book");
      for (const { page } of clients) await page.getByRole("button", { name: "Yes" }).waitFor({ timeout: TIMEOUT });
      await phone.page.getByRole("button", { name: "Yes" }).click();
      await allShow("user: book", "assistant: Your table is booked.");
      for (const { page } of clients) expect(await page.getByRole("button", { name: "Yes" }).count()).toBe(0);
    });
  });
});
