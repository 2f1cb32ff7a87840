// LangGraph's own tests of savers, on IndexedDBSaver in Chromium: each call is made in the page.
import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver, type CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { validate } from "@langchain/langgraph-checkpoint-validation";
import type { Browser, BrowserContext, Page } from "playwright-core";
import * as vitest from "vitest";
import { openChromium } from "../chromium";
import { openPage, packageContext } from "./package-page";

const { describe, it, test, expect, beforeAll, beforeEach, afterAll, afterEach } = vitest;
// The package expects them to be global.
Object.assign(globalThis, { describe, it, expect, beforeAll, beforeEach, afterAll, afterEach });

let browser: Browser;
let context: BrowserContext;
let page: Page;

const SCRIPT = `
  import { IndexedDBSaver } from "threadfold/graph";
  const savers = new Map();
  globalThis.callSaver = async (name, method, args) => {
    if (!savers.has(name)) savers.set(name, new IndexedDBSaver({ name }));
    const answer = savers.get(name)[method](...args);
    return method === "list" ? Array.fromAsync(answer) : answer;
  };
  globalThis.ready = true;
`;

beforeAll(async () => {
  browser = await openChromium();
  context = await packageContext(browser, SCRIPT);
  page = await openPage(context);
}, 60_000);

afterAll(async () => {
  await browser?.close();
});

declare function callSaver(name: string, method: string, args: unknown[]): Promise<unknown>;
const call = <T>(on: Page, name: string, method: string, ...args: unknown[]) =>
  on.evaluate(([name, method, args]) => callSaver(name, method, args), [name, method, args] as const) as Promise<T>;

/** The saver of the page. */
class PageSaver extends BaseCheckpointSaver {
  constructor(readonly name: string) {
    super();
  }
  #call<T>(method: string, ...args: unknown[]) {
    return call<T>(page, this.name, method, ...args);
  }
  getTuple(config: RunnableConfig) {
    return this.#call<CheckpointTuple | undefined>("getTuple", config);
  }
  async *list(...args: Parameters<BaseCheckpointSaver["list"]>) {
    yield* await this.#call<CheckpointTuple[]>("list", ...args);
  }
  put(...args: Parameters<BaseCheckpointSaver["put"]>) {
    return this.#call<RunnableConfig>("put", ...args);
  }
  putWrites(...args: Parameters<BaseCheckpointSaver["putWrites"]>) {
    return this.#call<void>("putWrites", ...args);
  }
  deleteThread(threadId: string) {
    return this.#call<void>("deleteThread", threadId);
  }
}

let databases = 0;
validate({
  checkpointerName: "IndexedDBSaver in Chromium",
  createCheckpointer: () => new PageSaver(`validation-${databases++}`),
});

test("two tabs and a reload see one history of a long list", async () => {
  const other = await openPage(context);
  const config = (id?: string) => ({ configurable: { thread_id: "1", checkpoint_ns: "", checkpoint_id: id } });
  const idOf = (number: number) => `1f000000-0000-6000-8000-${String(number).padStart(12, "0")}`;
  const put = (on: Page, number: number, parent: number | undefined, messages: object[]) => {
    const channel_versions = { messages: number + 1 };
    const checkpoint = {
      v: 4,
      id: idOf(number),
      ts: "",
      channel_values: { messages },
      channel_versions,
      versions_seen: {},
    };
    const metadata = { source: "loop", step: number, parents: {} };
    return call(
      on,
      "tabs",
      "put",
      config(parent === undefined ? parent : idOf(parent)),
      checkpoint,
      metadata,
      channel_versions,
    );
  };
  const messages = Array.from({ length: 2_000 }, (_, at) => ({ id: `m${at}`, content: "word ".repeat(200) }));
  await put(page, 0, undefined, messages);
  await Promise.all([put(page, 1, 0, [...messages, { id: "left" }]), put(other, 2, 0, [...messages, { id: "right" }])]);
  await page.reload();
  await page.waitForFunction("globalThis.ready === true");
  for (const tab of [page, other]) {
    const lists = await Promise.all(
      [1, 2].map((number) => call<CheckpointTuple>(tab, "tabs", "getTuple", config(idOf(number)))),
    );
    const [left, right] = lists.map(({ checkpoint }) => checkpoint.channel_values["messages"]);
    expect(left).toEqual([...messages, { id: "left" }]);
    expect(right).toEqual([...messages, { id: "right" }]);
  }
  await other.close();
});
