// Drives the demo's chat and reads what it shows.
import type { Page } from "playwright-core";

interface ServerMessage {
  readonly role: string;
  readonly content?: string;
}

/** Chromium's own message for a broken connection or an error status. The tests here cause both. */
const NETWORK = /^Failed to load resource: /;

export class Chat {
  readonly #page: Page;
  #thread = "";
  #server = "";
  #networkErrors = false;

  constructor(page: Page, complaints: string[]) {
    this.#page = page;
    page.on("request", (request) => {
      if (request.method() !== "POST" || !new URL(request.url()).pathname.endsWith("/agent")) return;
      this.#server = request.url().replace(/\?.*/, "");
      this.#thread = (request.postDataJSON() as { threadId: string }).threadId;
    });
    page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      if (this.#networkErrors && NETWORK.test(message.text())) return;
      complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
  }

  /** From here on Chromium's own words about the network are not held against the page. */
  expectNetworkErrors(): void {
    this.#networkErrors = true;
  }

  async send(text: string): Promise<void> {
    await this.#page.getByRole("textbox", { name: "Message" }).fill(text);
    await this.#page.keyboard.press("Enter");
  }

  /** Opens the folded switches for the faults. */
  async openFaults(): Promise<void> {
    const faults = this.#page.locator("#faults");
    if ((await faults.getAttribute("open")) === null) await faults.locator("summary").click();
  }

  async latency(milliseconds: number): Promise<void> {
    await this.openFaults();
    await this.#page.getByLabel("Server answers").selectOption(String(milliseconds));
  }

  async line(value: "whole" | "resume" | "replay"): Promise<void> {
    if (value !== "whole") this.expectNetworkErrors();
    await this.openFaults();
    await this.#page.getByLabel("Connection").selectOption(value);
  }

  /** Waits until no run is active and none is about to start. */
  async settled(): Promise<void> {
    await this.#page.waitForFunction(
      () => {
        const status = document.querySelector<HTMLElement>("#run-status")?.dataset["status"] ?? "";
        const waiting = document.querySelector("#chat-thread :is([data-status=pending], [data-status=sent])");
        return ["ready", "error"].includes(status) && !waiting && document.querySelector("#chat-thread .message");
      },
      undefined,
      { timeout: 30_000 },
    );
  }

  /** The messages of the thread, without those of its sub-agents: author and text. */
  shown(): Promise<string[]> {
    return this.#page.locator("#chat-thread > .messages > .message").evaluateAll((all) =>
      all.map((item) => {
        const [, role = ""] = item.className.split(" ");
        const text = item.querySelector(role === "tool" ? ".result .text" : ":scope > .text");
        return `${role}: ${text?.textContent ?? ""}`;
      }),
    );
  }

  static line({ role, content }: ServerMessage): string {
    return `${role}: ${content ?? ""}`;
  }

  /** Returns the thread as the server reports it. */
  async held(): Promise<{ messages: ServerMessage[]; state: Record<string, unknown> }> {
    const response = await fetch(`${this.#server}/threads/${this.#thread}`);
    return response.json() as Promise<{ messages: ServerMessage[]; state: Record<string, unknown> }>;
  }

  async status(text: string): Promise<string | null> {
    return this.#page
      .locator("#chat-thread .message.user", { has: this.#page.getByText(text, { exact: true }) })
      .getAttribute("data-status");
  }

  async drift(): Promise<{ drifts: string | null; errors: string | null; said: string | null }> {
    const host = this.#page.locator("#drift");
    return {
      drifts: await host.getAttribute("data-drift"),
      errors: await host.getAttribute("data-errors"),
      said: await this.#page.locator("#drift-status").textContent(),
    };
  }

  /** From here on, notes every message's element that comes or goes. */
  async watch(): Promise<void> {
    await this.#page.evaluate(() => {
      const list = document.querySelector("#chat-thread .messages");
      if (!list) throw new Error("no messages");
      const seen: Element[] = [];
      const notes = { seen, removed: [] as string[], replaced: [] as string[], moved: 0 };
      const isElement = (node: Node): node is Element => node instanceof Element;
      new MutationObserver((records) => {
        // Elements that come and go before anything is painted: a result that the server gave another id.
        const fresh = records
          .flatMap(({ addedNodes }) => [...addedNodes].filter(isElement))
          .filter((node) => node.isConnected && !seen.includes(node));
        for (const { addedNodes, removedNodes } of records) {
          // One that was put elsewhere in the list is removed and added again before anything is painted.
          for (const node of [...removedNodes].filter(isElement)) {
            if (node.isConnected) notes.moved++;
            else {
              const at = fresh.findIndex((other) => other.textContent === node.textContent);
              const [instead] = at < 0 ? [] : fresh.splice(at, 1);
              if (instead) {
                seen[seen.indexOf(node)] = instead;
                notes.replaced.push(node.className);
              } else notes.removed.push(node.className);
            }
          }
          for (const node of [...addedNodes].filter(isElement)) if (!seen.includes(node)) seen.push(node);
        }
      }).observe(list, { childList: true });
      Object.assign(globalThis, { notes });
    });
  }

  async watched(): Promise<{
    added: string[];
    removed: string[];
    replaced: string[];
    moved: number;
    firstIsEcho: boolean;
  }> {
    return this.#page.evaluate(() => {
      const { notes } = globalThis as unknown as {
        notes: { seen: Element[]; removed: string[]; replaced: string[]; moved: number };
      };
      const added = notes.seen.map((item) => item.className.split(" ")[1] ?? "");
      return {
        added,
        removed: notes.removed,
        replaced: notes.replaced,
        moved: notes.moved,
        firstIsEcho: document.querySelector("#chat-thread .message") === notes.seen[0],
      };
    });
  }
}
