// On the real servers: the agent answers again, or answers a message that was edited.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { expect, inject, test } from "vitest";
import { holds } from "../../peers/recorded/ag-ui-state";
import { held } from "../../peers/recorded/witness";
import { withoutEmpty } from "../../support/without-empty";
import { agUi, langGraph } from "./wire.mjs";

/** A state, with the messages as a page and a server both have them. */
const alike = (state: object) => {
  const { messages, fields } = held(state);
  return { messages: messages.map(withoutEmpty), fields };
};

const SERVERS = {
  LangGraph: () => {
    const thread = new Thread();
    const runner = new LangGraphRunner(thread, { apiUrl: inject("langGraph"), assistantId: "chat" });
    const inStep = async () => {
      const state = await langGraph.state(inject("langGraph"), thread.threadId as string);
      expect("refused" in state ? state : alike(thread.getConfirmedState())).toEqual(
        "refused" in state ? 0 : alike(state.values),
      );
    };
    return { thread, runner, inStep };
  },
  "AG-UI": () => {
    const thread = new Thread<AgUiState>() as unknown as Thread;
    const runner = new AgUiRunner(thread as never, { url: `${inject("agUi")}/chat` });
    const inStep = async () => {
      const state = await agUi.state(inject("agUi"), "chat", thread.threadId as string);
      expect(held(thread.getConfirmedState())).toEqual("refused" in state ? 0 : holds(state));
    };
    return { thread, runner, inStep };
  },
};

for (const [name, open] of Object.entries(SERVERS)) {
  const chat = async () => {
    const { thread, runner, inStep } = open();
    for (const text of ["Count to 2.", "Count to 3.", "Count to 4."])
      expect((await runner.sendMessage(text)).status).toBe("finished");
    const texts = () => thread.getState().messages.map(({ content }) => content);
    return { thread, runner, inStep, texts, id: (at: number) => thread.getState().messages[at]?.id };
  };

  test(`${name}: answers a message that was edited`, async () => {
    const { thread, runner, inStep, texts, id } = await chat();
    expect((await runner.sendMessage("Count to 5.", { messageId: id(2) })).status).toBe("finished");
    expect(texts()).toEqual(["Count to 2.", "1 2", "Count to 5.", "1 2 3 4 5"]);
    expect(thread.pending).toEqual([]);
    await inStep();
    expect((await runner.sendMessage("Count to 6.")).status).toBe("finished");
    expect(texts().slice(4)).toEqual(["Count to 6.", "1 2 3 4 5 6"]);
    await inStep();
  });

  test(`${name}: answers again`, async () => {
    const { thread, runner, inStep, texts, id } = await chat();
    const last = id(5);
    expect((await runner.regenerate()).status).toBe("finished");
    const said = ["Count to 2.", "1 2", "Count to 3.", "1 2 3", "Count to 4.", "1 2 3 4"];
    // If ag-ui-langgraph knows all messages of a list, it continues from there: the new answer follows the old one.
    const keepsAnswer = name === "AG-UI";
    expect(texts()).toEqual(keepsAnswer ? [...said, "1 2 3 4"] : said);
    expect(id(5) === last).toBe(keepsAnswer);
    await inStep();
    if (!keepsAnswer) {
      expect((await runner.regenerate({ messageId: id(2) })).status).toBe("finished");
      expect(texts()).toEqual(said.slice(0, 4));
    }
    expect(thread.pending).toEqual([]);
    await inStep();
  });
}

test("LangGraph: after a stop, and in a stale tab, an edit removes what the server has; what an older page broke heals", async () => {
  const apiUrl = inject("langGraph");
  const open = (threadId?: string) => {
    const thread = new Thread(threadId === undefined ? {} : { threadId });
    const runner = new LangGraphRunner(thread, { apiUrl, assistantId: "chat" });
    return { thread, runner, texts: () => thread.getState().messages.map(({ content }) => content) };
  };
  const tab = open();
  const stopped = async () => {
    const sent = tab.runner.sendMessage("Count slowly to 90.");
    await expect.poll(() => String(tab.texts().at(-1)), { timeout: 10_000 }).toMatch(/^1 2/);
    await tab.runner.stop();
    expect((await sent).status).toBe("stopped");
  };
  const inStep = async () => {
    const state = await langGraph.state(apiUrl, tab.thread.threadId as string);
    expect("refused" in state ? state : alike(tab.thread.getConfirmedState())).toEqual(
      "refused" in state ? 0 : alike(state.values),
    );
  };
  await tab.runner.sendMessage("Count to 2.");
  await stopped();
  const messageId = tab.thread.getState().messages[2]?.id ?? "";
  expect((await tab.runner.sendMessage("Count to 3.", { messageId })).status).toBe("finished");
  expect(tab.texts()).toEqual(["Count to 2.", "1 2", "Count to 3.", "1 2 3"]);
  await inStep();

  // Sends what a page would that mistook its own list for the server's.
  await stopped();
  const { threadId = "" } = tab.thread;
  const poison = {
    assistant_id: "chat",
    input: { messages: [{ type: "remove", id: "no-such-id", content: "" }] },
    stream_mode: ["values"],
  };
  for await (const _ of langGraph.run(apiUrl, threadId, poison)) void _;
  expect(await langGraph.state(apiUrl, threadId)).toHaveProperty("refused");
  const other = open(threadId);
  expect((await other.runner.load()).status).toBe("finished");
  expect(other.texts()).toEqual(["Count to 2.", "1 2", "Count to 3.", "1 2 3", "Count slowly to 90."]);
  const edited = await tab.runner.sendMessage("Count to 4.", { messageId: tab.thread.getState().messages[4]?.id });
  expect(edited.status).toBe("finished");
  expect(tab.texts().slice(4)).toEqual(["Count to 4.", "1 2 3 4"]);
  await inStep();

  expect((await other.runner.regenerate({ messageId: other.thread.getState().messages[2]?.id })).status).toBe(
    "finished",
  );
  expect(other.texts()).toEqual(["Count to 2.", "1 2", "Count to 3.", "1 2 3"]);
  expect((await tab.runner.regenerate()).status).toBe("finished");
  await inStep();
});

test("LangGraph: a run that another tab stops is stopped here, too", async () => {
  const open = (threadId?: string) =>
    new LangGraphRunner(new Thread(threadId === undefined ? {} : { threadId }), {
      apiUrl: inject("langGraph"),
      assistantId: "chat",
    });
  const here = open();
  await here.sendMessage("Count to 2.");
  const sent = here.sendMessage("Count slowly to 200.");
  await expect.poll(() => here.thread.getState().messages.length, { timeout: 10_000 }).toBe(4);
  const there = open(here.thread.threadId);
  const loaded = there.load();
  await expect.poll(() => there.status, { timeout: 10_000 }).toBe("streaming");
  await there.stop();
  await loaded;
  expect(await sent).toMatchObject({ status: "stopped" });
  expect(here.status).toBe("ready");
});
