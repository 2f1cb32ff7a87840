// @vitest-environment jsdom
// useBranches and switchBranch: what edits and regenerations replaced, over both servers, beside a model of leaves.
import { act, createElement as h, type ReactNode } from "react";
import { defineSchema, field, Thread, type AgUiState, type ThreadStorage } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { createAgent, tool } from "threadfold/agent";
import { END, MemorySaver, START, StateGraph } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { loadThread, persist } from "threadfold/persist";
import { useBranches, useMessageIds, type Branches } from "threadfold/react";
import { serveAgUi, serveLangGraph, type FetchHandler } from "threadfold/serve";
import { describe, expect, test } from "vitest";
import { randomOf } from "../../support/random.js";
import { runs } from "../../support/seed";
import { mount, until } from "./mount";

type Chat = Pick<
  LangGraphRunner,
  "thread" | "sendMessage" | "regenerate" | "load" | "retry" | "switchBranch" | "follow" | "subscribe" | "getStatus"
> &
  Parameters<typeof useBranches>[0];

/** How a protocol's server and runner are made, and where the server tells its checkpoints. */
const PROTOCOLS = {
  serveLangGraph: {
    serve: serveLangGraph as (graph: never, options: object) => FetchHandler,
    open: (thread: Thread, fetch: typeof globalThis.fetch, more: object = {}) =>
      new LangGraphRunner(thread, { apiUrl: "http://page", assistantId: "agent", fetch, ...more }) as Chat,
    history: /\/history$/,
  },
  serveAgUi: {
    serve: (graph: never, options: object) => serveAgUi(graph, { resumable: true, ...options }),
    open: (thread: Thread, fetch: typeof globalThis.fetch, more: object = {}) =>
      new AgUiRunner(thread as never, { url: "http://page/agent", resumable: true, fetch, ...more }) as unknown as Chat,
    history: /\/checkpoints\?/,
  },
};

const answering = (checkpointer: unknown = new MemorySaver(), compiled: object = {}) => {
  let answers = 0;
  return new StateGraph(defineSchema({ messages: field.messages() }))
    .addNode("answer", () => ({ messages: [{ type: "ai", content: `answer ${++answers}` }] }))
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: checkpointer as MemorySaver, ...compiled });
};

function serving(name: keyof typeof PROTOCOLS, options: object = {}, graph: object = answering()) {
  const protocol = PROTOCOLS[name];
  const handler = protocol.serve(graph as never, options);
  const asked: string[] = [];
  let isOffline = false;
  const fetch = (async (url: string | URL | Request, init?: RequestInit) => {
    const request = new Request(url, init);
    if (isOffline) throw new TypeError("fetch failed");
    if (protocol.history.test(request.url)) asked.push(request.url);
    return handler(request);
  }) as typeof globalThis.fetch;
  const open = (thread = new Thread(), more: object = {}) => protocol.open(thread, fetch, more);
  return { open, asked, handler, offline: (is: boolean) => void (isOffline = is) };
}

/** Shows a chat; returns its branches by the messages' places. */
async function show(runner: Chat) {
  const seen = new Map<string, Branches | undefined>();
  const Message = ({ id }: { id: string }): ReactNode => {
    seen.set(id, useBranches(runner, id));
    return null;
  };
  const Chat = () => {
    // React 18 subscribes a message's component after a run that takes no time: the page itself listens from the start.
    useBranches(runner, "");
    return useMessageIds(runner as LangGraphRunner).map((id) => h(Message, { key: id, id }));
  };
  const { root } = await mount(h(Chat));
  const branches = () => runner.thread.messageIds.map((id) => seen.get(id));
  const told = () => branches().map((one) => one && `${one.current + 1}/${one.ids.length}`);
  return { branches, told, leave: () => act(async () => root.unmount()) };
}

const textsOf = ({ thread }: Chat) => thread.getState().messages.map(({ content }) => String(content));
const idAt = ({ thread }: Chat, at: number) => thread.messageIds.at(at) ?? "";

/** A chat whose only answer was regenerated, shown, and the branch that this replaced. */
async function regenerated(open: () => Chat) {
  const runner = open();
  await runner.sendMessage("one");
  await runner.regenerate();
  const page = await show(runner);
  await until(() => expect(page.told()).toEqual([undefined, "2/2"]));
  const [before = ""] = page.branches()[1]?.ids ?? [];
  return { runner, page, before };
}

/** Runs a call of the runner where React may render. */
const call = async (made: () => Promise<{ status: string; error?: unknown }>) =>
  act(async () => {
    const { status, error } = await made();
    expect([status, error]).toEqual(["finished", undefined]);
  });

/** A conversation's leaves: the texts of each, and which came or was shown last. */
class Leaves {
  all: { texts: string[]; at: number }[] = [];
  readonly #made = new Map<string, number>();
  #now = 0;

  /** The shown list has become this one: at its end, by an edit, or by a switch. */
  shows(texts: string[]): void {
    const at = ++this.#now;
    for (const text of texts) if (!this.#made.has(text)) this.#made.set(text, at + this.#made.size / 1e6);
    const goesOn = (leaf: string[]) => leaf.every((text, index) => text === texts[index]);
    this.all = [...this.all.filter((leaf) => !goesOn(leaf.texts)), { texts, at }];
  }

  siblings(texts: readonly string[], at: number): string[] {
    const under = this.all.filter((leaf) => texts.slice(0, at).every((text, index) => leaf.texts[index] === text));
    const all = new Set(under.flatMap((leaf) => leaf.texts[at] ?? []));
    return [...all].sort((a, b) => (this.#made.get(a) ?? 0) - (this.#made.get(b) ?? 0));
  }

  /** The list that a switch to this text at its place shows. */
  under(texts: readonly string[], at: number, text: string): string[] {
    const start = [...texts.slice(0, at), text];
    const under = this.all.filter((leaf) => start.every((one, index) => leaf.texts[index] === one));
    return under.sort((a, b) => b.at - a.at)[0]?.texts ?? [];
  }

  told(texts: readonly string[]): (string | undefined)[] {
    return texts.map((text, at) => {
      const all = this.siblings(texts, at);
      return all.length > 1 ? `${all.indexOf(text) + 1}/${all.length}` : undefined;
    });
  }
}

describe.each(["serveLangGraph", "serveAgUi"] as const)("over %s", (name) => {
  test("random edits, regenerations and switches at each depth; a reload, and another device", async () => {
    for (let seed = 1; seed <= runs(name === "serveLangGraph" ? 40 : 20); seed++) {
      const random = randomOf(seed);
      const pick = (below: number) => Math.floor(random() * below);
      const { open } = serving(name);
      let runner = open();
      let page = await show(runner);
      const leaves = new Leaves();
      for (const text of ["one", "two", "three"]) {
        await call(() => runner.sendMessage(text));
        leaves.shows(textsOf(runner));
      }
      for (let turn = 0; turn < 14; turn++) {
        const texts = textsOf(runner);
        const place = pick(texts.length / 2) * 2;
        const switches = texts.flatMap((own, at) =>
          leaves.siblings(texts, at).flatMap((text, index) => (text === own ? [] : { at, index, text })),
        );
        const step = pick(6);
        if (step === 0) await call(() => runner.sendMessage(`more ${turn}`));
        else if (step === 1) await call(() => runner.regenerate({ messageId: idAt(runner, place) }));
        else if (step === 2) await call(() => runner.sendMessage(`edit ${turn}`, { messageId: idAt(runner, place) }));
        else if (step === 3 && turn > 0) {
          // Another device, or the page's next life.
          await page.leave();
          const { threadId } = runner.thread;
          runner = open(new Thread({ threadId }));
          await runner.load();
          page = await show(runner);
        }
        const chosen = step > 3 ? switches[pick(switches.length)] : undefined;
        if (chosen) {
          const goal = leaves.under(texts, chosen.at, chosen.text);
          const before = runner.thread.getState().messages.slice(0, chosen.at);
          await call(() => runner.switchBranch(page.branches()[chosen.at]?.ids[chosen.index] ?? ""));
          expect(textsOf(runner)).toEqual(goal);
          for (const [at, message] of before.entries()) expect(runner.thread.getState().messages[at]).toBe(message);
        }
        leaves.shows(textsOf(runner));
        await until(() => expect([seed, turn, page.told()]).toEqual([seed, turn, leaves.told(textsOf(runner))]));
      }
      await page.leave();
    }
  }, 120_000);

  test("the history is asked for once, and again only after what went back", async () => {
    const { open, asked } = serving(name);
    const runner = open();
    const page = await show(runner);
    for (const text of ["one", "two", "three"]) await call(() => runner.sendMessage(text));
    expect(asked).toEqual([]);
    await call(() => runner.regenerate());
    await until(() => expect(page.told()[5]).toBe("2/2"));
    expect(asked).toHaveLength(1);
    const before = page.branches()[5];
    await call(() => runner.sendMessage("four"));
    expect(page.branches()[5]).toBe(before);
    expect(asked).toHaveLength(1);
    await page.leave();
  });

  test("a thread that was saved shows its branches once it is there again", async () => {
    const { open } = serving(name);
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    } as ThreadStorage;
    const runner = open();
    const saving = persist(runner.thread, { name: "chat", storage });
    await runner.sendMessage("one");
    await runner.sendMessage("uno", { messageId: idAt(runner, 0) });
    await saving.flush();
    saving();
    const again = open(await loadThread({ name: "chat", storage }));
    const page = await show(again);
    await until(() => expect(page.told()).toEqual(["2/2", undefined]));
    await call(() => again.switchBranch(page.branches()[0]?.ids[0] ?? ""));
    expect(textsOf(again)).toEqual(["one", "answer 1"]);
    await page.leave();
  });

  test("a switch is BUSY during a run; an unknown branch fails, and changes nothing", async () => {
    const { open } = serving(name);
    const runner = open();
    await runner.sendMessage("one");
    const running = runner.sendMessage("two");
    expect((await runner.switchBranch("x")).error?.code).toBe("BUSY");
    await running;
    const { status, error } = await runner.switchBranch("x");
    expect([status, error?.status]).toEqual(["error", 404]);
    expect(textsOf(runner)).toEqual(["one", "answer 1", "two", "answer 2"]);
    expect((await runner.load()).status).toBe("finished");
  });

  test("another device has the same branches, and shows what the first one switches to", async () => {
    const { open } = serving(name);
    const first = open();
    await first.sendMessage("one");
    for (const text of ["uno", "un"]) await first.sendMessage(text, { messageId: idAt(first, 0) });
    const second = open(new Thread({ threadId: first.thread.threadId }));
    await second.load();
    const pages = [await show(first), await show(second)] as const;
    for (const page of pages) await until(() => expect(page.told()).toEqual(["3/3", undefined]));
    expect(pages[0].branches()).toEqual(pages[1].branches());
    await call(() => second.switchBranch(pages[1].branches()[0]?.ids[1] ?? ""));
    await call(() => first.load());
    expect(textsOf(first)).toEqual(["uno", "answer 2"]);
    for (const page of pages) await until(() => expect(page.told()).toEqual(["2/3", undefined]));
    await call(() => first.sendMessage("on"));
    await call(() => second.load());
    expect(textsOf(second)).toEqual(["uno", "answer 2", "on", "answer 4"]);
    for (const page of pages) await until(() => expect(page.told()[0]).toBe("2/3"));
    for (const page of pages) await page.leave();
  });

  test("a page that follows shows what another device switches to, and goes on from there", async () => {
    const { open } = serving(name);
    const first = open();
    await first.sendMessage("one");
    await first.sendMessage("uno", { messageId: idAt(first, 0) });
    const end = first.follow();
    const page = await show(first);
    await until(() => expect(page.told()).toEqual(["2/2", undefined]));
    const second = open(new Thread({ threadId: first.thread.threadId }));
    await second.load();
    const other = await show(second);
    await until(() => expect(other.told()).toEqual(["2/2", undefined]));
    await call(() => second.switchBranch(other.branches()[0]?.ids[0] ?? ""));
    await until(() => expect(textsOf(first)).toEqual(["one", "answer 1"]));
    for (const shown of [page, other]) await until(() => expect(shown.told()).toEqual(["1/2", undefined]));
    // Again, and back, by the one who followed: a page knows its own switches.
    await call(() => first.switchBranch(page.branches()[0]?.ids[1] ?? ""));
    await call(() => first.sendMessage("due"));
    expect(textsOf(first)).toEqual(["uno", "answer 2", "due", "answer 3"]);
    end();
    for (const shown of [page, other]) await shown.leave();
  });

  test("a page that still shows the other branch sends to the one that was switched to", async () => {
    const { open } = serving(name);
    const first = open();
    await first.sendMessage("one");
    await first.regenerate();
    await first.sendMessage("two");
    const second = open(new Thread({ threadId: first.thread.threadId }));
    await second.load();
    const page = await show(first);
    await until(() => expect(page.told()[1]).toBe("2/2"));
    await call(() => first.switchBranch(page.branches()[1]?.ids[0] ?? ""));
    expect(textsOf(first)).toEqual(["one", "answer 1"]);
    await call(() => second.sendMessage("three"));
    expect(textsOf(second)).toEqual(["one", "answer 1", "three", "answer 4"]);
    await call(() => first.load());
    expect(textsOf(first)).toEqual(textsOf(second));
    await page.leave();
  });

  test("a page that follows counts a regeneration that another device makes, however long the run takes", async () => {
    let answers = 0;
    const slow = new StateGraph(defineSchema({ messages: field.messages() }))
      .addNode("answer", async () => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        return { messages: [{ type: "ai", content: `answer ${++answers}` }] };
      })
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer: new MemorySaver() });
    const { open } = serving(name, {}, slow);
    const first = open();
    await first.sendMessage("one");
    const end = first.follow();
    const page = await show(first);
    const second = open(new Thread({ threadId: first.thread.threadId }));
    await second.load();
    await call(() => second.regenerate());
    await until(() =>
      expect([textsOf(first), page.told()]).toEqual([
        ["one", "answer 2"],
        [undefined, "2/2"],
      ]),
    );
    end();
    await page.leave();
  });

  test("a switch waits for the network, where the runner does", async () => {
    const { open, offline } = serving(name);
    const { runner, page, before } = await regenerated(open);
    const waiting = open(new Thread({ threadId: runner.thread.threadId }), {
      whileOffline: "wait",
      rejoinDelays: [20],
    });
    await waiting.load();
    offline(true);
    const switched = waiting.switchBranch(before);
    await new Promise((resolve) => setTimeout(resolve, 60));
    offline(false);
    expect(await switched).toMatchObject({ status: "finished", error: undefined });
    expect(textsOf(waiting)).toEqual(["one", "answer 1"]);
    await page.leave();
  });

  test("a switch that failed is made by retry() alone: no load makes it", async () => {
    const { open, offline } = serving(name);
    const { runner, page, before } = await regenerated(open);
    offline(true);
    expect((await runner.switchBranch(before)).error?.code).toBe("NO_CONNECTION");
    offline(false);
    await call(() => runner.load());
    expect(textsOf(runner)).toEqual(["one", "answer 2"]);
    expect((await runner.retry()).error?.code).toBe("INVALID_STATE");
    expect(textsOf(runner)).toEqual(["one", "answer 2"]);
    await page.leave();
  });

  test("a switch that does not reach the server is made by retry()", async () => {
    const { open, offline } = serving(name);
    const { runner, page, before } = await regenerated(open);
    offline(true);
    expect((await runner.switchBranch(before)).error?.code).toBe("NO_CONNECTION");
    expect(textsOf(runner)).toEqual(["one", "answer 2"]);
    offline(false);
    await call(() => runner.retry());
    expect(textsOf(runner)).toEqual(["one", "answer 1"]);
    await page.leave();
  });

  test("an answer with reasoning and tool calls, streamed or loaded, hides no branch", async () => {
    const model = ({ length }: readonly unknown[], { write }: { write(chunk: object): void }) => {
      if (length % 2 === 0) return "Done.";
      write({ content: [{ type: "reasoning", reasoning: "Hm." }] });
      return {
        content: [{ type: "reasoning", reasoning: "Hm." }],
        tool_calls: [{ id: `c${length}`, name: "look", args: {} }],
      };
    };
    const look = tool({ name: "look", run: () => "Seen." });
    const agent = createAgent({ model: model as never, tools: [look], checkpointer: new MemorySaver() });
    const { open } = serving(name, {}, agent);
    const runner = open();
    for (const text of ["one", "two"]) await runner.sendMessage(text);
    await runner.sendMessage("deux", { messageId: runner.thread.messageIds.at(textsOf(runner).indexOf("two")) ?? "" });
    await runner.regenerate();
    const page = await show(runner);
    const told = () => page.told().flatMap((one, at) => (one ? `${textsOf(runner)[at]} ${one}` : []));
    await until(() => expect(told()).toEqual(["deux 2/2", expect.stringContaining("2/2")]));
    const again = open(new Thread({ threadId: runner.thread.threadId }));
    await call(() => again.load());
    const other = await show(again);
    await until(() => expect(other.told().filter(Boolean)).toEqual(["2/2", "2/2"]));
    for (const one of [page, other]) await one.leave();
  });
});

test("a client switches where it may not write, but not to a checkpoint at which something is left to do", async () => {
  const { open, handler } = serving("serveLangGraph", { clientWrites: false });
  const runner = open();
  await runner.sendMessage("one");
  await runner.regenerate();
  const page = await show(runner);
  await until(() => expect(page.told()).toEqual([undefined, "2/2"]));
  await call(() => runner.switchBranch(page.branches()[1]?.ids[0] ?? ""));
  expect(textsOf(runner)).toEqual(["one", "answer 1"]);
  const at = `http://page/threads/${runner.thread.threadId}`;
  const post = (path: string, body: object) =>
    handler(
      new Request(at + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  const history = (await (await post("/history", { limit: 100 })).json()) as {
    checkpoint_id: string;
    next: string[];
  }[];
  const open_ = history.find(({ next }) => next.includes("answer"));
  expect((await post("/state", { values: null, checkpoint_id: open_?.checkpoint_id })).status).toBe(403);
  await page.leave();
});

test("without a message, a component gets the branches of all, and the same map until they change", async () => {
  const fetch = (async (url: string, init?: RequestInit) =>
    handler(new Request(url, init))) as unknown as typeof globalThis.fetch;
  const handler = serveAgUi(answering(), { resumable: true });
  const runner = new AgUiRunner(new Thread<AgUiState>(), { url: "http://page/agent", resumable: true, fetch });
  const seen: ReadonlyMap<string, Branches>[] = [];
  const All = (): ReactNode => {
    seen.push(useBranches(runner));
    return null;
  };
  const { root } = await mount(h(All));
  await runner.sendMessage("one");
  await act(async () => void (await runner.regenerate()));
  const { messageIds } = runner.thread;
  await until(() => expect([...(seen.at(-1)?.keys() ?? [])]).toEqual([messageIds[1]]));
  expect(seen.at(-1)?.get(messageIds[1] ?? "")).toMatchObject({ current: 1, ids: { length: 2 } });
  const before = seen.at(-1);
  await act(async () => void (await runner.sendMessage("two")));
  await act(async () => root.render(h(All)));
  expect(seen.at(-1)).toBe(before);
  await act(async () => root.unmount());
});

test("a transport without a history has no branches, and refuses a switch", async () => {
  const runner = new AgUiRunner(new Thread() as never, { transport: { run: () => [] } });
  await expect(runner.switchBranch("x")).rejects.toMatchObject({ code: "UNSUPPORTED" });
});
