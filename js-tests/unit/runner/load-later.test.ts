// load() after another page has continued the thread: it shows what the server has.
import { textOf, Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { createAgent, humanInTheLoopMiddleware, tool } from "threadfold/agent";
import { MemorySaver } from "threadfold/graph";
import { LangGraphRunner } from "threadfold/langgraph";
import { serveAgUi, serveLangGraph } from "threadfold/serve";
import { describe, expect, test } from "vitest";

/** An agent that asks before it mails, and whose model fails once in the middle of an answer to "fail". */
function agent(gate: Promise<void> | undefined = undefined) {
  let fails = 1;
  return createAgent({
    model: async (messages, { onToken }) => {
      const text = textOf(messages.filter(({ type }) => type === "human").at(-1));
      onToken("re ");
      await gate;
      if (text.startsWith("fail") && fails-- > 0) throw new Error("The model is down.");
      if (text.endsWith("mail") && messages.at(-1)?.type !== "tool")
        return { content: "asking", tool_calls: [{ id: `c${messages.length}`, name: "mail", args: {} }] };
      return `re ${text}`;
    },
    tools: [tool({ name: "mail", run: () => "sent" })],
    middleware: [humanInTheLoopMiddleware({ interruptOn: { mail: true } })],
    checkpointer: new MemorySaver(),
  });
}

function agUiPages() {
  const handler = serveAgUi(agent(), { resumable: true });
  const fetch = (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
  return () =>
    new AgUiRunner(new Thread<AgUiState>({ threadId: "t" }), { url: "http://p/agent", resumable: true, fetch });
}

function langGraphPages(gate?: Promise<void>) {
  const handler = serveLangGraph(agent(gate));
  const fetch = (url: string | URL | Request, init?: RequestInit) => handler(new Request(url, init));
  return () => new LangGraphRunner(new Thread({ threadId: "t" }), { apiUrl: "http://p", assistantId: "agent", fetch });
}

type Page = AgUiRunner | LangGraphRunner;
const shown = ({ thread }: Page) => thread.getState().messages.map((message) => textOf(message));

describe.each([
  ["AG-UI", agUiPages as () => () => Page],
  ["LangGraph", langGraphPages as () => () => Page],
])("%s", (_, pages) => {
  test.each([
    ["last", 2, ["one", "re one", "mail", "asking"]],
    ["first", 0, ["mail", "asking"]],
  ])("messages that an edit of the %s message removed are gone, though its run asks", async (_, at, expected) => {
    const page = pages();
    const [here, there] = [page(), page()];
    for (const text of ["one", "two"]) await here.sendMessage(text);
    await there.load();
    const messageId = there.thread.messageIds[at] as string;
    expect((await there.sendMessage("mail", { messageId })).status).toBe("interrupted");
    expect((await here.load()).status).toBe("interrupted");
    expect(shown(here)).toEqual(expected);
    const decisions = [{ type: "approve" }];
    expect((await here.resume({ value: { decisions } })).status).toBe("finished");
    expect(shown(here)).toEqual([...expected, "sent", "re mail"]);
  });

  test("half an answer is gone once another page has the whole one", async () => {
    const page = pages();
    const [here, there] = [page(), page()];
    expect((await here.sendMessage("fail")).status).toBe("error");
    expect(shown(here)).toEqual(["fail", "re "]);
    // The server has nothing else yet.
    await here.load();
    expect([here.status, shown(here)]).toEqual(["error", ["fail", "re "]]);
    await there.load();
    expect((await there.sendMessage()).status).toBe("finished");
    await here.load();
    expect([here.status, shown(here)]).toEqual(["ready", ["fail", "re fail"]]);
    expect(here.thread.incompleteIds).toEqual([]);
  });

  test("half an answer is gone once another page's continuation asks", async () => {
    const page = pages();
    const [here, there] = [page(), page()];
    expect((await here.sendMessage("fail to mail")).status).toBe("error");
    await there.load();
    expect((await there.sendMessage()).status).toBe("interrupted");
    expect((await here.load()).status).toBe("interrupted");
    expect(shown(here)).toEqual(["fail to mail", "asking"]);
  });

  test("a page that follows replaces half an answer by the whole one", async () => {
    const page = pages();
    const [here, there] = [page(), page()];
    const leave = here.follow();
    expect((await here.sendMessage("fail")).status).toBe("error");
    await there.load();
    expect((await there.sendMessage()).status).toBe("finished");
    await expect.poll(() => here.status).toBe("ready");
    expect(shown(here)).toEqual(["fail", "re fail"]);
    leave();
  });
});

test.each(["own", "another's"])(
  "LangGraph: going back after half an answer of %s run reports no error",
  async (whose) => {
    for (const [text, go] of [
      ["fail", (page: Page) => page.regenerate()],
      ["else", (page: Page) => page.sendMessage("else", { messageId: page.thread.messageIds[0] as string })],
    ] as const) {
      let fail = () => {};
      const page = langGraphPages(new Promise((resolve) => (fail = resolve)));
      const [here, there] = [page(), page()];
      const isHalf = (of: Page) => expect.poll(() => shown(of)).toEqual(["fail", "re "]);
      const sent = here.sendMessage("fail");
      await isHalf(here);
      const joined = whose === "own" ? undefined : there.load();
      const back = joined ? there : here;
      await isHalf(back);
      fail();
      await Promise.all([sent, joined]);
      expect([back.status, shown(back)]).toEqual(["error", ["fail", "re "]]);
      const reported: unknown[] = [];
      back.thread.on("error", (error) => reported.push(error));
      expect((await go(back)).status).toBe("finished");
      expect([shown(back), reported]).toEqual([[text, `re ${text}`], []]);
    }
  },
);
