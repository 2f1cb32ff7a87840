// A page that has not loaded since another one edited: its messages join the thread as it is, its edits are refused.
import { textOf, Thread, type AgUiState } from "threadfold";
import { AgUiRunner, type AgUiRunnerOptions, type AgUiTransport } from "threadfold/ag-ui";
import { createAgent } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { serveAgUi } from "threadfold/serve";
import { describe, expect, test } from "vitest";

/** A thread [one, re one, two, re two] that two pages show. */
async function shared(options: Pick<AgUiRunnerOptions, "whileRunning"> = {}) {
  let fails = 1;
  const graph = createAgent({
    model: (messages, { onToken }) => {
      const text = textOf(messages.filter(({ type }) => type === "human").at(-1));
      onToken("re ");
      if (text === "fail" && fails-- > 0) throw new Error("The model is down.");
      return `re ${text}`;
    },
    checkpointer: new MemorySaver(),
  });
  const handler = serveAgUi(graph, { resumable: true });
  const statuses: number[] = [];
  const refuses: number[] = [];
  const loses: boolean[] = [];
  const slow: Promise<void>[] = [];
  const meanwhile: (() => Promise<unknown>)[] = [];
  const page = (isWatched = false, thread = new Thread<AgUiState>({ threadId: "t" })) =>
    new AgUiRunner(thread, {
      url: "http://page/agent",
      resumable: true,
      ...options,
      fetch: async (url, init) => {
        const status = isWatched && init?.method === "POST" ? refuses.shift() : undefined;
        const response = status ? new Response(null, { status }) : await handler(new Request(url, init));
        if (isWatched && init?.method !== "POST") await slow.shift();
        if (isWatched && init?.method === "POST") {
          if (loses.shift()) {
            await response.text();
            throw new TypeError("fetch failed");
          }
          statuses.push(response.status);
          if (response.status === 412) await meanwhile.shift()?.();
        }
        return response;
      },
    });
  const [first, stale] = [page(), page(true)];
  for (const text of ["one", "two"]) await first.sendMessage(text);
  await stale.load();
  const edit = async (text: string) => {
    const [message] = first.thread.getState().messages;
    expect((await first.sendMessage(text, { messageId: message?.id as string })).status).toBe("finished");
  };
  const kept = async () => {
    const fresh = page();
    await fresh.load();
    return shown(fresh);
  };
  const reload = () => page(true, Thread.fromJSON<AgUiState>(JSON.parse(JSON.stringify(stale.thread))));
  /** The watched page after a run of its own, and a reload. */
  const reloaded = async () => {
    await stale.sendMessage("three");
    await first.load();
    statuses.length = 0;
    return reload();
  };
  return { first, stale, edit, kept, statuses, refuses, loses, slow, meanwhile, reload, reloaded };
}

const shown = ({ thread }: AgUiRunner) => thread.getState().messages.map(textOf);

const failed = ({ thread }: AgUiRunner) =>
  thread.pending
    .filter(({ status }) => status === "failed")
    .map(({ update }) => [(update.messages ?? []) as unknown as AgUiState["messages"]].flat().map(textOf));

describe("after another page's edit", () => {
  test("a message joins the thread as the server has it", async () => {
    const { first, stale, edit, kept, statuses } = await shared();
    await edit("ONE");
    await first.sendMessage("three");
    expect((await stale.sendMessage("mine")).status).toBe("finished");
    expect(statuses).toEqual([409, 200]);
    expect(await kept()).toEqual(["ONE", "re ONE", "three", "re three", "mine", "re mine"]);
    expect(shown(stale)).toEqual(await kept());
    expect(stale.thread.pending).toEqual([]);
  });

  test("a message joins after a regeneration", async () => {
    const { first, stale, kept } = await shared();
    await first.regenerate();
    expect((await stale.sendMessage("mine")).status).toBe("finished");
    expect(await kept()).toEqual(["one", "re one", "two", "re two", "mine", "re mine"]);
    expect(shown(stale)).toEqual(await kept());
    expect(stale.thread.pending).toEqual([]);
  });

  test.each([
    ["edit of the same message", (page: AgUiRunner) => [page.thread.messageIds[0] as string]],
    ["edit of a later message", (page: AgUiRunner) => [page.thread.messageIds[2] as string]],
    ["regeneration", () => []],
  ])("the other page's %s is refused", async (_, of) => {
    const { stale, edit, kept, statuses } = await shared();
    await edit("ONE");
    const [messageId] = of(stale);
    const refused = { status: "error", error: { status: 409 } };
    const act = () => (messageId ? stale.sendMessage("other", { messageId }) : stale.regenerate());
    expect(await act()).toMatchObject(refused);
    expect(statuses).toEqual([409]);
    expect(await stale.retry()).toMatchObject(refused);
    expect(await act()).toMatchObject(refused);
    expect(statuses).toEqual([409, 409, 409]);
    expect(await kept()).toEqual(["ONE", "re ONE"]);
    await stale.load();
    expect(shown(stale)).toEqual(["ONE", "re ONE"]);
    expect(stale.thread.pending).toEqual([]);
  });

  test("a message of a page whose own last run failed joins, too", async () => {
    const { first, stale, edit, kept, statuses } = await shared();
    expect((await stale.sendMessage("fail")).status).toBe("error");
    await first.load();
    await edit("ONE");
    statuses.length = 0;
    expect((await stale.sendMessage("mine")).status).toBe("finished");
    expect(statuses).toEqual([409, 200]);
    expect(await kept()).toEqual(["ONE", "re ONE", "mine", "re mine"]);
    // The failed message still waits for a retry. The ones that the edit has removed do not.
    expect(failed(stale)).toEqual([["fail"]]);
  });

  test("only a page's own failed message stays at its load(), and a retry sends no other", async () => {
    const { first, stale, edit, kept } = await shared();
    expect((await stale.sendMessage("fail")).status).toBe("error");
    await first.load();
    await edit("ONE");
    await stale.load();
    expect(failed(stale)).toEqual([["fail"]]);
    expect((await stale.retry()).status).toBe("finished");
    expect(await kept()).toEqual(["ONE", "re ONE", "fail", "re fail"]);
    expect(shown(stale)).toEqual(await kept());
  });
});

describe("an edit of a page whose own last run failed", () => {
  test.each([
    ["edit", (page: AgUiRunner) => page.sendMessage("TWO", { messageId: page.thread.messageIds[2] as string })],
    ["regeneration", (page: AgUiRunner) => page.regenerate()],
  ])("is made where nobody else has edited: %s", async (name, act) => {
    const { stale, kept, statuses } = await shared();
    expect((await stale.sendMessage("fail")).status).toBe("error");
    expect((await act(stale)).status).toBe("finished");
    expect(statuses).toEqual([200, 200]);
    expect(await kept()).toEqual(
      name === "edit" ? ["one", "re one", "TWO", "re TWO"] : ["one", "re one", "two", "re two", "fail", "re fail"],
    );
    expect(shown(stale)).toEqual(await kept());
    expect(stale.thread.pending).toEqual([]);
  });

  test("is made again after it failed itself", async () => {
    const { stale, kept, statuses } = await shared();
    const edit = (text: string) => stale.sendMessage(text, { messageId: stale.thread.messageIds[0] as string });
    expect((await edit("fail")).status).toBe("error");
    expect((await edit("ONE")).status).toBe("finished");
    expect(statuses).toEqual([200, 200]);
    expect(await kept()).toEqual(["ONE", "re ONE"]);
    expect(shown(stale)).toEqual(await kept());
  });

  test("is refused after another page's", async () => {
    const { first, stale, edit, kept, statuses } = await shared();
    expect((await stale.sendMessage("fail")).status).toBe("error");
    await first.load();
    await edit("ONE");
    const [, , messageId] = stale.thread.messageIds as string[];
    for (let times = 0; times < 2; times++)
      expect(await stale.sendMessage("TWO", { messageId: messageId as string })).toMatchObject({
        status: "error",
        error: { status: 409 },
      });
    expect(statuses).toEqual([200, 409, 409]);
    expect(await kept()).toEqual(["ONE", "re ONE"]);
  });
});

describe("the first request of a page that was reloaded after another page's edit", () => {
  test.each([
    ["a run", true],
    ["a load", false],
  ])("is a message, and it had %s before: it joins the thread as it is", async (_, runs) => {
    const { edit, kept, statuses, reload, reloaded } = await shared();
    const page = runs ? await reloaded() : reload();
    await edit("ONE");
    expect((await page.sendMessage("mine")).status).toBe("finished");
    expect(statuses).toEqual([409, 200]);
    expect(await kept()).toEqual(["ONE", "re ONE", "mine", "re mine"]);
    expect(shown(page)).toEqual(await kept());
    expect(page.thread.pending).toEqual([]);
  });

  test("is an edit: it is refused", async () => {
    const { edit, kept, statuses, reloaded } = await shared();
    const page = await reloaded();
    await edit("ONE");
    expect(await page.regenerate()).toMatchObject({ status: "error", error: { status: 409 } });
    expect(statuses).toEqual([409]);
    expect(await kept()).toEqual(["ONE", "re ONE"]);
  });

  test.each([
    ["where nobody else has edited", false],
    ["after a load that showed the edit", true],
  ])("is made %s", async (_, edits) => {
    const { stale, edit, kept, statuses, reloaded, reload } = await shared();
    await reloaded();
    if (edits) await edit("ONE");
    if (edits) await stale.load();
    const page = reload();
    expect((await page.regenerate()).status).toBe("finished");
    expect(statuses).toEqual([200]);
    expect(shown(page)).toEqual(await kept());
  });
});

test("a load that was stopped makes no page up to date", async () => {
  const { stale, edit, kept, statuses, slow } = await shared();
  await edit("ONE");
  let answer = () => {};
  slow.push(new Promise((resolve) => (answer = resolve)));
  const loading = stale.load();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await stale.stop();
  answer();
  await loading;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(shown(stale)).toEqual(["one", "re one", "two", "re two"]);
  expect((await stale.sendMessage("mine")).status).toBe("finished");
  expect(statuses).toEqual([409, 200]);
  expect(await kept()).toEqual(["ONE", "re ONE", "mine", "re mine"]);
  expect(shown(stale)).toEqual(await kept());
});

test('with whileRunning: "refuse" a message waits for load() and retry()', async () => {
  const { stale, edit, kept, statuses } = await shared({ whileRunning: "refuse" });
  await edit("ONE");
  expect(await stale.sendMessage("mine")).toMatchObject({ status: "error", error: { status: 409 } });
  await stale.load();
  expect(failed(stale)).toEqual([["mine"]]);
  expect((await stale.retry()).status).toBe("finished");
  expect(statuses).toEqual([409, 200]);
  expect(await kept()).toEqual(["ONE", "re ONE", "mine", "re mine"]);
  expect(shown(stale)).toEqual(await kept());
});

test("an edit whose answer is lost can be made again", async () => {
  const { stale, kept, statuses, loses } = await shared();
  const edit = (text: string) => stale.sendMessage(text, { messageId: stale.thread.messageIds[0] as string });
  loses.push(true);
  expect((await edit("ONE")).status).toBe("error");
  expect((await edit("Once")).status).toBe("finished");
  expect(statuses).toEqual([200]);
  expect(await kept()).toEqual(["Once", "re Once"]);
});

describe("a message that the server took in a failed run, and lost", () => {
  const made = async () => {
    const values: AgUiState = { messages: [] };
    let keeps = false;
    const transport: AgUiTransport = {
      async *run({ threadId, runId, messages }) {
        yield { type: "RUN_STARTED", threadId, runId };
        yield { type: "MESSAGES_SNAPSHOT", messages };
        if (keeps) values.messages = messages as AgUiState["messages"];
        yield keeps ? { type: "RUN_FINISHED", threadId, runId } : { type: "RUN_ERROR", message: "Down." };
      },
      load: async () => ({ values }),
    };
    const page = (thread: Thread<AgUiState>) => new AgUiRunner(thread, { transport });
    const own = page(new Thread<AgUiState>({ threadId: "t" }));
    keeps = true;
    await own.sendMessage("kept");
    keeps = false;
    return { own, page };
  };

  test("is failed at load(), with those of earlier failed runs", async () => {
    const { own } = await made();
    for (const text of ["one", "two"]) expect((await own.sendMessage(text)).status).toBe("error");
    expect(own.thread.pending).toEqual([]);
    for (let load = 0; load < 2; load++) {
      await own.load();
      expect(shown(own)).toEqual(["kept", "one", "two"]);
      expect(failed(own)).toEqual([["one", "two"]]);
    }
  });

  test("is failed at load() after a reload, too", async () => {
    const { own, page } = await made();
    expect((await own.sendMessage("one")).status).toBe("error");
    const reloaded = page(Thread.fromJSON<AgUiState>(JSON.parse(JSON.stringify(own.thread))));
    await reloaded.load();
    expect(shown(reloaded)).toEqual(["kept", "one"]);
    expect(failed(reloaded)).toEqual([["one"]]);
  });
});

test("a message that the server refused before it ran brings no removed ones back", async () => {
  const { stale, edit, kept, refuses } = await shared();
  refuses.push(503);
  expect((await stale.sendMessage("mine")).status).toBe("error");
  await edit("ONE");
  await stale.load();
  expect(failed(stale)).toEqual([["mine"]]);
  expect((await stale.retry()).status).toBe("finished");
  expect(await kept()).toEqual(["ONE", "re ONE", "mine", "re mine"]);
});

test("an edit that comes between a refused request and its repetition is kept, too", async () => {
  const { first, stale, edit, kept, statuses, meanwhile } = await shared();
  await first.sendMessage("three");
  meanwhile.push(() => edit("ONE"));
  expect((await stale.sendMessage("mine")).status).toBe("finished");
  expect(statuses).toEqual([412, 409, 200]);
  expect(await kept()).toEqual(["ONE", "re ONE", "mine", "re mine"]);
});

test("messages that another page only added stay where they are", async () => {
  const { first, stale, kept, statuses } = await shared();
  await first.sendMessage("three");
  expect((await stale.sendMessage("mine")).status).toBe("finished");
  expect(statuses).toEqual([412, 200]);
  expect(await kept()).toEqual(["one", "re one", "two", "re two", "three", "re three", "mine", "re mine"]);
});
