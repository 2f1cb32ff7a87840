// regenerate() and sendMessage(…, { messageId }): a conversation that continues from one of the user's messages.
import { Thread } from "threadfold";
import { AgUiRunner } from "threadfold/ag-ui";
import { LangGraphRunner } from "threadfold/langgraph";
import { describe, expect, test } from "vitest";
import { StubServer, until } from "./stub-server.js";
import { agUiWire, langGraphWire, messagesOn } from "./stub-wires.js";

interface Said {
  readonly id: string;
  readonly content: unknown;
}
type AnyThread = Thread<{ messages: readonly Said[] }>;

const PROTOCOLS = {
  "AG-UI": {
    wire: agUiWire,
    runner: (thread: AnyThread, { fetch }: StubServer) => new AgUiRunner(thread, { url: "http://stub/agent", fetch }),
  },
  "AG-UI, new messages only": {
    wire: agUiWire,
    runner: (thread: AnyThread, { fetch }: StubServer) =>
      new AgUiRunner(thread, { url: "http://stub/agent", fetch, messages: "new" }),
  },
  LangGraph: {
    wire: langGraphWire,
    runner: (thread: AnyThread, { fetch }: StubServer) =>
      new LangGraphRunner(thread, { apiUrl: "http://stub", assistantId: "agent", fetch }),
  },
};

describe.each(Object.entries(PROTOCOLS))("%s", (_, { wire, runner: make }) => {
  /** A chat with these questions, each answered. */
  async function chatOf(...questions: string[]) {
    const server = new StubServer(wire);
    const thread: AnyThread = new Thread();
    const runner = make(thread, server);
    for (const question of questions) expect(await runner.sendMessage(question)).toMatchObject({ status: "finished" });
    const texts = () => thread.getState().messages.map(({ content }) => content);
    const id = (at: number) => thread.getState().messages[at]?.id;
    const inStep = () => {
      expect(thread.pending).toEqual([]);
      expect(thread.getState().messages).toEqual(messagesOn(server, wire, thread.threadId));
    };
    return { server, thread, runner, texts, id, inStep };
  }

  test("the last question is answered again", async () => {
    const { thread, runner, texts, id, inStep } = await chatOf("One", "Two");
    const [question, answer] = [id(2), id(3)];
    const again = runner.regenerate();
    expect(texts().length).toBe(3);
    expect(await again).toMatchObject({ status: "finished" });
    expect(texts().slice(1)).toEqual(["You said One, which is message 1.", "Two", "You said Two, which is message 3."]);
    expect([id(2) === question, id(3) === answer]).toEqual([true, false]);
    inStep();
    expect(await runner.sendMessage("Three")).toMatchObject({ status: "finished" });
    expect(thread.getState().messages.length).toBe(6);
    inStep();
  });

  test.each(["question", "answer"])("an earlier one is, by the id of the %s", async (by) => {
    const { runner, texts, id, inStep } = await chatOf("One", "Two", "Three");
    const again = runner.regenerate({ messageId: id(by === "question" ? 2 : 3) });
    expect(texts().length).toBe(3);
    expect(await again).toMatchObject({ status: "finished" });
    expect(texts().slice(2)).toEqual(["Two", "You said Two, which is message 3."]);
    inStep();
  });

  test("an edited message keeps its id and its place, and everything after it is gone", async () => {
    const { runner, texts, id, inStep } = await chatOf("One", "Two", "Three");
    const messageId = id(2);
    const sent = runner.sendMessage("Deux", { messageId });
    expect([texts()[2], texts().length, id(2)]).toEqual(["Deux", 3, messageId]);
    expect(await sent).toMatchObject({ status: "finished" });
    expect(texts()).toEqual(["One", "You said One, which is message 1.", "Deux", "You said Deux, which is message 3."]);
    expect(id(2)).toBe(messageId);
    inStep();
  });

  test.each([{ refuse: 503 }, { lose: true }])("a failed edit is sent again, or rolled back (%s)", async (fault) => {
    const { server, thread, runner, texts, id, inStep } = await chatOf("One", "Two");
    const before = texts();
    for (const act of [() => runner.regenerate(), () => runner.sendMessage("Deux", { messageId: id(2) })]) {
      server.faults = { ...fault };
      expect((await act()).status).toBe("error");
      expect([texts().length, thread.pending.map(({ status }) => status)]).toEqual([3, ["failed"]]);
      thread.pending[0]?.rollback();
      expect(texts()).toEqual(before);
    }
    server.faults = { ...fault };
    await runner.regenerate();
    server.faults = { ...fault };
    await runner.sendMessage("Deux", { messageId: id(2) });
    expect(thread.pending.length).toBe(1);
    // The edit is still failed: to answer it again is to send it.
    expect(await runner.regenerate()).toMatchObject({ status: "finished" });
    expect(texts().slice(2)).toEqual(["Deux", "You said Deux, which is message 3."]);
    inStep();
  });

  test("a run that fails in its middle leaves no half answer to the retry", async () => {
    const { runner, texts, id, inStep } = await chatOf("One", "Two");
    expect((await runner.sendMessage("Fail", { messageId: id(2) })).status).toBe("error");
    expect((await runner.sendMessage("Deux", { messageId: id(2) })).status).toBe("finished");
    expect(texts().slice(2)).toEqual(["Deux", "You said Deux, which is message 3."]);
    inStep();
  });

  test("while a run is under way or asks, it is refused; stopped, it is not", async () => {
    const { server, runner, texts, id, inStep } = await chatOf("One");
    const refused = async () => {
      expect(await runner.regenerate()).toMatchObject({ error: { code: "BUSY" } });
      expect(await runner.sendMessage("x", { messageId: id(0) })).toMatchObject({ error: { code: "BUSY" } });
    };
    server.stopsWhenLeft = true;
    server.holdAt = 5;
    const first = runner.sendMessage("Two");
    await until(() => runner.status === "streaming");
    await refused();
    const stopped = runner.stop();
    server.release();
    expect([(await stopped).status, (await first).status]).toEqual(["stopped", "stopped"]);
    expect((await runner.regenerate()).status).toBe("finished");
    expect(texts().slice(2)).toEqual(["Two", "You said Two, which is message 3."]);
    inStep();
    expect((await runner.sendMessage("Ask")).status).toBe("interrupted");
    await refused();
    await runner.stop();
    expect((await runner.sendMessage("Three", { messageId: id(2) })).status).toBe("finished");
    expect(texts().slice(2)).toEqual(["Three", "You said Three, which is message 3."]);
    inStep();
  });

  test("a message that never went out is rolled back", async () => {
    const { server, runner, texts, id, inStep } = await chatOf("One");
    server.faults = { refuse: 503 };
    await runner.sendMessage("Two");
    expect(await runner.regenerate({ messageId: id(0) })).toMatchObject({ status: "finished" });
    expect(texts()).toEqual(["One", "You said One, which is message 1."]);
    inStep();
  });

  test("an id that names no user message is refused, and nothing is shown", async () => {
    const { thread, runner, id } = await chatOf("One");
    const before = thread.getState();
    const none = new Thread() as AnyThread;
    for (const [code, act] of [
      ["UNKNOWN_MESSAGE", () => runner.regenerate({ messageId: "gone" })],
      ["UNKNOWN_MESSAGE", () => runner.sendMessage("x", { messageId: "gone" })],
      ["INVALID_ARGUMENT", () => runner.sendMessage("x", { messageId: id(1) })],
      ["INVALID_ARGUMENT", () => runner.sendMessage(undefined, { messageId: id(0) })],
      ["INVALID_STATE", () => make(none, new StubServer(wire)).regenerate()],
    ] as const)
      await expect(act()).rejects.toMatchObject({ code });
    expect(thread.getState()).toBe(before);
    expect(runner.status).toBe("ready");
  });
});
