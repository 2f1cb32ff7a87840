// A browser's tabs in one process: their channels, locks and timers. A tab may be closed, put to sleep and woken.
import { AsyncLocalStorage } from "node:async_hooks";
import { vi } from "vitest";

/** A page: what happens to it waits while it sleeps, and never comes once it is closed. */
export class Tab {
  readonly channels = new Set<Channel>();
  isClosed = false;
  isAsleep = false;
  readonly #waiting: (() => void)[] = [];

  run(work: () => void): void {
    if (this.isClosed) return;
    if (this.isAsleep) this.#waiting.push(work);
    else RUNNING.run(this, work);
  }

  wake(): void {
    this.isAsleep = false;
    for (const work of this.#waiting.splice(0)) this.run(work);
  }
}

/** The tab whose code runs, also later. */
const RUNNING = new AsyncLocalStorage<Tab>();

/** Calls what is not in the browser, as a server. */
export const outside = <T>(call: () => T): T => RUNNING.exit(call);

function running(): Tab {
  const tab = RUNNING.getStore();
  if (!tab) throw new Error("Run this as the code of a tab: tab.run(work).");
  return tab;
}

class Channel {
  readonly #listeners: ((event: { readonly data: unknown }) => void)[] = [];
  readonly #tab = running();
  readonly #browser: BrowserStandIn;
  readonly #name: string;

  constructor(browser: BrowserStandIn, name: string) {
    this.#browser = browser;
    this.#name = name;
    this.#tab.channels.add(this);
  }

  addEventListener(_: "message", listener: (event: { readonly data: unknown }) => void): void {
    this.#listeners.push(listener);
  }

  postMessage(data: unknown): void {
    if (!this.#tab.channels.has(this)) throw new Error("The channel is closed.");
    const text = JSON.stringify(data);
    this.#tab.run(() => {
      for (const tab of this.#browser.tabs)
        for (const other of tab.channels)
          if (other !== this && other.#name === this.#name) this.#browser.send(this.#tab, tab, () => other.#hear(text));
    });
  }

  #hear(text: string): void {
    for (const listener of this.#listeners) if (this.#tab.channels.has(this)) listener({ data: JSON.parse(text) });
  }

  close(): void {
    this.#tab.channels.delete(this);
  }
}

interface Request {
  readonly tab: Tab;
  readonly signal: AbortSignal | undefined;
  grant(): void;
  lose(): void;
}

type Work = () => unknown;
type Granted = (lock: object | null) => unknown;
interface LockOptions {
  readonly signal?: AbortSignal;
  readonly steal?: boolean;
  readonly ifAvailable?: boolean;
}

/** Makes the globals of a browser, of fake timers too: call `vi.useFakeTimers` before. */
export class BrowserStandIn {
  readonly tabs: Tab[] = [];
  readonly #delay: () => number;
  readonly #held = new Map<string, Request>();
  readonly #queues = new Map<string, Request[]>();
  /** When the last message of one tab reaches another: what two tabs send may overtake. */
  readonly #last = new Map<Tab, Map<Tab, number>>();

  /** @param delay - How many milliseconds a message takes. */
  constructor(delay: () => number = () => 0) {
    this.#delay = delay;
    const { setInterval, setTimeout } = globalThis;
    const later = (work: Work, milliseconds?: number) => {
      const tab = RUNNING.getStore();
      return setTimeout(() => (tab ? tab.run(work) : void work()), milliseconds);
    };
    const again = (work: Work, milliseconds?: number) => {
      const tab = RUNNING.getStore();
      // A page that slept finds one call of its interval, not many.
      return setInterval(() => (tab ? tab.isAsleep || tab.run(work) : work()), milliseconds);
    };
    vi.stubGlobal("setTimeout", later);
    vi.stubGlobal("setInterval", again);
    vi.stubGlobal("navigator", { locks: { request: this.#request.bind(this) } });
    vi.stubGlobal("BroadcastChannel", Channel.bind(undefined, this));
  }

  open(): Tab {
    const tab = new Tab();
    this.tabs.push(tab);
    return tab;
  }

  close(tab: Tab): void {
    tab.isClosed = true;
    for (const [name, request] of this.#held) if (request.tab === tab) this.#release(name, request);
  }

  send(from: Tab, to: Tab, work: () => void): void {
    const now = performance.now();
    const sent = this.#last.get(from) ?? new Map<Tab, number>();
    this.#last.set(from, sent);
    const at = Math.max(now + this.#delay(), sent.get(to) ?? 0);
    sent.set(to, at);
    RUNNING.exit(() => setTimeout(() => to.run(work), at - now));
  }

  /** The tab that has a lock whose name holds this text. */
  holder(text: string): Tab | undefined {
    return [...this.#held].find(([name]) => name.includes(text))?.[1].tab;
  }

  #request(name: string, options: LockOptions | Granted, granted?: Granted): Promise<unknown> {
    const { signal, steal = false, ifAvailable = false } = typeof options === "function" ? {} : options;
    const work = typeof options === "function" ? options : (granted as Granted);
    const tab = running();
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    if (ifAvailable && this.#held.has(name)) return Promise.resolve(work(null));
    return new Promise((resolve, reject) => {
      const request: Request = {
        tab,
        signal,
        grant: () =>
          tab.run(() => {
            void (async () => work({ name }))()
              .then(resolve, reject)
              .finally(() => this.#release(name, request));
          }),
        lose: () => tab.run(() => reject(new DOMException("stolen", "AbortError"))),
      };
      signal?.addEventListener("abort", () => {
        if (!queue.includes(request)) return;
        queue.splice(queue.indexOf(request), 1);
        reject(signal.reason as Error);
      });
      if (steal) {
        this.#held.get(name)?.lose();
        this.#held.delete(name);
        queue.unshift(request);
      } else queue.push(request);
      this.#next(name);
    });
  }

  #release(name: string, request: Request): void {
    if (this.#held.get(name) !== request) return;
    this.#held.delete(name);
    this.#next(name);
  }

  #next(name: string): void {
    if (this.#held.has(name)) return;
    const request = this.#queues.get(name)?.shift();
    if (!request) return;
    if (request.tab.isClosed) return this.#next(name);
    this.#held.set(name, request);
    RUNNING.exit(() => setTimeout(() => request.grant(), this.#delay()));
  }
}
