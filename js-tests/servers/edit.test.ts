// On the real servers: the agent answers again, or answers a message that was edited.
import { Thread, type AgUiState } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph/events";
import { expect, inject, test } from "vitest";
import { holds } from "../recorded/ag-ui-state";
import { held } from "../recorded/witness";
import { agUi, langGraph } from "./wire.mjs";

const SERVERS = {
  LangGraph: () => {
    const thread = new Thread();
    const runner = new LangGraphRunner(thread, { apiUrl: inject("langGraph"), assistantId: "chat" });
    const inStep = async () => {
      const state = await langGraph.state(inject("langGraph"), thread.threadId as string);
      expect("refused" in state ? state : held(thread.confirmed)).toEqual("refused" in state ? 0 : held(state.values));
    };
    return { thread, runner, inStep };
  },
  "AG-UI": () => {
    const thread = new Thread<AgUiState>() as unknown as Thread;
    const runner = new AgUiRunner(thread as never, { url: `${inject("agUi")}/chat` });
    const inStep = async () => {
      const state = await agUi.state(inject("agUi"), "chat", thread.threadId as string);
      expect(held(thread.confirmed)).toEqual("refused" in state ? 0 : holds(state));
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
    expect((await runner.sendMessage("Count to 5.", {}, { messageId: id(2) })).status).toBe("finished");
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
    // ag-ui-langgraph takes a list of messages that it knows for one that goes on: it answers behind the old answer.
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
