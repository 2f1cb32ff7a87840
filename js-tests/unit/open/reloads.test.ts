// @vitest-environment jsdom
// A reload takes everything over that was saved, and writes nothing again.
import { beforeEach, expect, test } from "vitest";
import type { ThreadfoldError } from "threadfold";
import { openAgUi } from "threadfold/ag-ui";
import { openLangGraph } from "threadfold/langgraph";
import { Shelf } from "../persist/storages.js";
import { StubServer, until } from "../runner/stub-server.js";
import { langGraphWire } from "../runner/stub-wires.js";

const OPENED = Symbol.for("threadfold.opened");
/** Leaves the page, and forgets the open conversations; the storage stays. */
function reload(): void {
  window.dispatchEvent(new Event("pagehide"));
  delete (globalThis as { [OPENED]?: unknown })[OPENED];
}
beforeEach(reload);

test("a question that came before the reload is open once the run ends", async () => {
  const update = (id: string, data: object) => ({ id, event: "updates", data });
  const saying = (id: string) => update(id, { node: { messages: [{ type: "ai", id: `a${id}`, content: "Done" }] } });
  const transport = {
    async *run() {
      yield { id: "1", event: "metadata", data: { run_id: "r1" } };
      yield update("2", { __interrupt__: [{ id: "i1", value: "Send it?" }] });
      yield saying("3");
      await new Promise(() => {});
    },
    join: () => [saying("4")],
    status: () => "interrupted",
    cancel: () => {},
  };
  const storage = new Shelf();
  const open = () => openLangGraph({ transport: transport as never, key: "question", threadId: "t1", storage });
  const first = open();
  void first.sendMessage("Hi");
  await until(() => first.thread.getMessage("a3") !== undefined);
  reload();
  const second = open();
  expect(await second.load()).toMatchObject({ status: "interrupted", interrupts: [{ id: "i1", value: "Send it?" }] });
});

test("a new conversation's first message, sent offline, goes out after the reload", async () => {
  const server = new StubServer(langGraphWire);
  let isDown = true;
  const fetch = (async (url, init) => {
    if (isDown) throw new TypeError("Failed to fetch");
    return server.fetch(url as string, init);
  }) as typeof globalThis.fetch;
  const storage = new Shelf();
  const open = () => openLangGraph({ apiUrl: "http://stub", assistantId: "agent", fetch, storage });
  const first = open();
  first.sendMessage("Hi").catch(() => {});
  await until(() => first.status === "disconnected");
  reload();
  first.thread.dispose();
  isDown = false;
  const { thread } = open();
  thread.subscribe(() => {});
  expect([thread.threadId, thread.pending.length]).toEqual([undefined, 1]);
  await until(() => thread.pending.length === 0);
  expect(server.requests.length).toBeGreaterThan(0);
});

test("a long thread is not written again, and a new message only with the last ones", () => {
  const storage = new Shelf();
  const open = () => {
    const chat = openAgUi({ transport: { run: () => [] }, key: "long", storage });
    chat.thread.subscribe(() => {});
    return chat.thread;
  };
  const messages = Array.from({ length: 40 }, (_, at) => ({
    id: `m${at}`,
    role: "user" as const,
    content: "x".repeat(9_900),
  }));
  open().update({ messages });
  reload();
  storage.writes.splice(0);
  const thread = open();
  expect(thread.messageIds.length).toBe(40);
  window.dispatchEvent(new Event("pagehide"));
  expect(storage.writes).toEqual([]);
  thread.update({ messages: [{ id: "new", role: "user", content: "new" }] });
  reload();
  expect(storage.writes.length).toBe(1);
  expect(storage.writes[0]?.length).toBeLessThan(80_000);
  expect(open().getMessage("new")).toBeDefined();
});

test("follow() of a transport that cannot reports it, if the storage answers later", async () => {
  const storage = { getItem: async () => null, setItem: () => {} };
  const chat = openAgUi({ transport: { run: () => [] }, key: "follows", storage });
  const reported: ThreadfoldError[] = [];
  chat.thread.on("error", (error) => reported.push(error));
  chat.follow();
  await until(() => reported.length > 0);
  expect(reported).toMatchObject([{ code: "UNSUPPORTED" }]);
});

test("a conversation that is opened again takes the new whileRunning", async () => {
  let finish: () => void = () => {};
  const transport = {
    async *run({ runId }: { runId: string }) {
      yield { type: "RUN_STARTED", threadId: "t", runId };
      await new Promise<void>((resolve) => (finish = resolve));
      yield { type: "RUN_FINISHED", threadId: "t", runId };
    },
  };
  const open = (more: object) => openAgUi({ transport: transport as never, key: "again", storage: false, ...more });
  const first = open({});
  const second = open({ whileRunning: "refuse" });
  expect(second).toBe(first);
  const sent = second.sendMessage("one");
  await until(() => second.status === "streaming");
  expect(await second.sendMessage("two")).toMatchObject({ error: { code: "BUSY" } });
  finish();
  expect(await sent).toMatchObject({ status: "finished" });
});
